import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Samples

/// Tokens of clients, for the owner.
struct TokenRoutes {
    private static let nameLimit = 64

    let authorizer: RequestAuthorizer

    func add(to routes: inout RouteTable) {
        routes.on(.tokens, [.get: list, .post: create])
        routes.on(.token(of: "{client}"), [.delete: revoke])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("tokens", request, context)
        return try .json(ItemList(await authorizer.authority.clientTokens().map(TokenItem.init)))
    }

    @Sendable
    private func create(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("create-token", request, context)
        let body = try await request.json(TokenRequest.self)
        let isName = SensorID(body.name) != nil && !body.name.contains(".")
        guard isName, body.name.utf8.count <= Self.nameLimit else {
            throw Problem.invalidBody(
                "name must be kebab-case, at most \(Self.nameLimit) characters.")
        }
        let privileges = try (body.allow ?? []).map { text in
            guard let privilege = PrivilegeID(text) else {
                throw Problem.invalidBody("\(text.prefix(80).debugDescription) is not a privilege.")
            }
            return privilege
        }
        for privilege in privileges {
            try await authorizer.isGrantable(privilege)
            try await authorizer.authority.permissions.policy.check(privilege)
        }
        let expires = try authorizer.expiry(of: body.lifetime)
        let token = try await authorizer.authority.createClient(
            body.name, isOwner: body.owner ?? false, expires: expires)
        for privilege in privileges {
            try await authorizer.authority.decide(.allowAlways, on: privilege, by: body.name)
        }
        var response = try Response.json(
            CreatedToken(name: body.name, token: token.text), status: .created)
        response.headers[.location] = APIPath.token(of: body.name).description
        return response
    }

    @Sendable
    private func revoke(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("revoke-token", request, context)
        try await authorizer.authority.revokeClient(context.required("client"))
        return Response(status: .noContent)
    }
}

extension RequestAuthorizer {
    /// When a token that is created now expires; `nil` for never.
    ///
    /// - Parameter lifetime: `nil` for the standard lifetime.
    /// - Throws: `Problem` if it is not a lifetime.
    func expiry(of lifetime: String?) throws(Problem) -> Timestamp? {
        let lifetime = lifetime ?? TokenRequest.standardLifetime
        guard TokenRequest.isLifetime(lifetime) else {
            throw Problem.invalidBody("lifetime must be a duration such as 1h, or never.")
        }
        // A lifetime that is not a duration is `never`.
        return Duration(span: lifetime).map {
            now().advanced(byMicroseconds: $0.wholeMicroseconds)
        }
    }
}
