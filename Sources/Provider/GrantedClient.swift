import Addresses
import Auth
import Egress
import NIOCore

/// Calls servers for clients, each step under an `OriginGrant` and recorded in the access log.
///
/// The routes get this instead of an `OutboundClient`, so that code that forgot to ask for permission
/// does not compile.
///
/// ```swift
/// let response = try await client.send(request, under: grant) { origin in
///     try await authority.checkApp(token: token, name: nil, reaching: origin, isRedirect: true)
/// }
/// ```
struct GrantedClient: Sendable {
    private let client: OutboundClient
    private let log: AccessLog

    init(_ client: OutboundClient, log: AccessLog) {
        (self.client, self.log) = (client, log)
    }

    /// Refuses origins that may not be called even with permission.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    func check(_ origin: WebOrigin) throws(EgressError) {
        try client.check(origin)
    }

    /// Sends a request and follows redirects.
    ///
    /// - Parameters:
    ///   - grant: for the origin of the request.
    ///   - permit: checks the permission for the origin of each redirect.
    /// - Throws: `EgressError`, `CancellationError`, or what `permit` throws.
    func send(
        _ request: OutboundRequest, under grant: OriginGrant,
        _ options: OutboundOptions = OutboundOptions(),
        permit: @escaping @Sendable (WebOrigin) async throws -> OriginGrant
    ) async throws -> OutboundResponse {
        try await client.send(request, options) { step in
            let origin = step.request.address.origin
            let grant = step.isRedirect ? try await permit(origin) : grant
            precondition(grant.origin == origin, "a grant for another origin")
            return try await perform(step, under: grant)
        }
    }

    private func perform(
        _ step: OutboundStep, under grant: OriginGrant
    ) async throws -> OutboundResponse {
        let request = step.request
        if !request.body.isEmpty {
            await log.record(
                "fetch-body", for: grant, detail: request.method, bytes: request.body.count)
        }
        do {
            let response = try await step.perform(pin: grant.pin)
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(response.status)",
                bytes: response.body.readableBytes)
            return response
        } catch {
            await log.record(
                "fetch", for: grant, detail: "\(request.method) without an answer", bytes: 0)
            throw error
        }
    }
}
