import API
import Addresses
import Auth
import Egress
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import Samples
import Sealing

/// Secrets of apps and sources, for the owner.
struct SecretRoutes {
    let authorizer: RequestAuthorizer
    let secrets: SecretStore
    let library: AppLibrary

    func add(to routes: inout RouteTable) {
        routes.on(.secrets, [.get: list])
        routes.on(.secret("{secret}", of: "{holder}"), [.put: set, .delete: remove])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("secrets", request, context)
        if let fault = secrets.fault { throw fault }
        return try .json(ItemList(secrets.entries.map(SecretDescription.init)))
    }

    @Sendable
    private func set(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("set-secret", request, context)
        let (holder, name) = try Self.address(context)
        let body = try await request.json(SecretRequest.self)
        guard let keeper = SecretStore.Keeper(rawValue: body.keeper ?? "owner") else {
            throw Problem.invalidBody("keeper must be owner or host.")
        }
        // The secrets of an app end with it, so there are none before it is installed.
        if case .app(let app) = holder { _ = try await library.app(named: app) }
        try secrets.set(body.value, name, of: holder, keptBy: keeper)
        guard let entry = secrets.entries.first(where: { $0.holder == holder && $0.name == name })
        else { throw Self.missing(holder, name) }
        return try .json(SecretDescription(entry))
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("remove-secret", request, context)
        let (holder, name) = try Self.address(context)
        guard try secrets.remove(name, of: holder) else { throw Self.missing(holder, name) }
        return Response(status: .noContent)
    }

    private static func missing(_ holder: SecretHolder, _ name: SecretName) -> Problem {
        Problem(
            .noSuchSecret, "\(holder) has no secret \(name).",
            fix: "List the secrets with: nervous secrets")
    }

    private static func address(
        _ context: ProviderContext
    ) throws -> (SecretHolder, SecretName) {
        guard let holder = SecretHolder(try context.required("holder")) else {
            throw Problem.invalidParameter("holder", "must be app:NAME or source:NAME")
        }
        guard let name = SecretName(try context.required("secret")) else {
            throw Problem.invalidParameter(
                "secret", "must have 1 to 64 lower-case letters, digits and hyphens")
        }
        return (holder, name)
    }
}

extension SecretDescription {
    fileprivate init(_ entry: SecretStore.Entry) {
        self.init(
            holder: entry.holder.description, name: entry.name.description,
            keeper: entry.keeper.rawValue, set: entry.set.milliseconds)
    }
}

/// The secrets that an app names in the header fields of a call to another server.
///
/// A field whose value is `nervous-secret:NAME`, or ends with it after a blank, is sent with the value of the
/// secret in its place. The app does not see the value.
struct UsedSecrets {
    private static let mark = "nervous-secret:"

    private struct Use {
        let field: String
        let prefix: String
        let name: SecretName
    }

    private let uses: [Use]

    /// - Throws: `Problem` for a malformed name, or a mark in another place.
    init(in request: OutboundRequest) throws {
        uses = try request.fields.compactMap { field in
            guard let mark = field.value.range(of: Self.mark) else { return nil }
            let prefix = field.value[..<mark.lowerBound]
            guard prefix.isEmpty || prefix.hasSuffix(" "),
                let name = SecretName(String(field.value[mark.upperBound...]))
            else {
                throw Problem.invalidParameter(
                    "Nervous-Request",
                    "a header field with a secret is nervous-secret:NAME, or a word before it")
            }
            return Use(field: field.name.lowercased(), prefix: String(prefix), name: name)
        }
    }

    /// The privileges that the app needs for them.
    func privileges(at request: OutboundRequest) -> [PrivilegeID] {
        uses.map { .secret($0.name, request.address.origin) }
    }

    /// The request with the values of the secrets.
    ///
    /// - Throws: `Problem` for a missing secret, and unless an app calls; `SealingError` while it is locked.
    func filled(
        _ request: OutboundRequest, for client: Client, from secrets: SecretStore
    ) throws -> OutboundRequest {
        guard !uses.isEmpty else { return request }
        guard client.kind == .app else {
            throw Problem.invalidParameter("Nervous-Request", "only apps have secrets")
        }
        var values: [String: String] = [:]
        for use in uses {
            guard let value = try secrets.value(use.name, of: .app(client.name)) else {
                throw Problem(
                    .noSuchSecret, "\(client.name) has no secret \(use.name).",
                    fix: "Set it with: nervous secrets set \(use.name) --app \(client.name)")
            }
            values[use.field] = value.withUnsafeBytes {
                use.prefix + String(decoding: $0, as: UTF8.self)
            }
        }
        return try request.binding(values)
    }
}
