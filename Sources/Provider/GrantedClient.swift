import Addresses
import Auth
import Egress
import NIOCore
import Synchronization

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
    ///   - receiver: takes the last response as it arrives; `nil` to collect its body.
    ///   - permit: checks the permission for the origin of each redirect.
    /// - Throws: `EgressError`, `CancellationError`, or what `permit` and the receiver throw.
    @discardableResult
    func send(
        _ request: OutboundRequest, under grant: OriginGrant,
        _ options: OutboundOptions = OutboundOptions(), to receiver: ResponseReceiver? = nil,
        permit: @escaping @Sendable (WebOrigin) async throws -> OriginGrant
    ) async throws -> OutboundResponse {
        try await client.send(request, options) { step in
            let origin = step.request.address.origin
            let grant = step.isRedirect ? try await permit(origin) : grant
            precondition(grant.origin == origin, "a grant for another origin")
            return try await perform(step, under: grant, to: receiver)
        }
    }

    private func perform(
        _ step: OutboundStep, under grant: OriginGrant, to receiver: ResponseReceiver?
    ) async throws -> OutboundResponse {
        let request = step.request
        if !request.body.isEmpty {
            await log.record(
                "fetch-body", for: grant, detail: request.method, bytes: request.body.count)
        }
        let arrived = Arrived()
        let counting = receiver?.preceded { head in
            arrived.begin(status: head.status)
            guard head.isEventStream else { return }
            // A stream can last for days: the log has it from its beginning.
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(head.status) stream", bytes: 0)
        } piece: { piece in
            arrived.add(piece.readableBytes)
        }
        do {
            let response = try await step.perform(pin: grant.pin, receiver: counting)
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(response.status)",
                bytes: response.received)
            return response
        } catch {
            let (status, bytes) = arrived.state
            let detail = status.map { "\($0) incomplete" } ?? "without an answer"
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(detail)", bytes: bytes)
            throw error
        }
    }

    /// What has arrived of a response that may end with an error.
    private final class Arrived: Sendable {
        private let count = Mutex<(status: Int?, bytes: Int)>((nil, 0))

        var state: (status: Int?, bytes: Int) { count.withLock { $0 } }

        func begin(status: Int) {
            count.withLock { $0.status = status }
        }

        func add(_ bytes: Int) {
            count.withLock { $0.bytes += bytes }
        }
    }
}
