import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Samples

/// Tokens for programs of the owner's own.
struct TokenRoutes {
    private static let nameLimit = 64

    let door: Door
    let isGrantable: GrantableCheck

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/tokens", [.get: list, .post: create])
        routes.on("api/v1/tokens/{client}", [.delete: revoke])
    }

    private struct Body: Decodable {
        let name: String
        let owner: Bool?
        /// Privileges to allow from the start.
        let allow: [String]?
        /// A span after which the token ends.
        let lifetime: String?
    }

    private struct Created: Encodable {
        let name: String
        let token: String
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("tokens", request, context)
        return try .json(ItemList(await door.authority.clientTokens().map(TokenItem.init)))
    }

    @Sendable
    private func create(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("create-token", request, context)
        let body = try await request.json(Body.self)
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
            try await isGrantable(privilege)
            try await door.authority.permissions.policy.check(privilege)
        }
        let expires = try body.lifetime.map { text in
            guard let span = Duration(span: text), span > .zero else {
                throw Problem.invalidBody("lifetime must be a span such as 1h.")
            }
            return Timestamp.now().advanced(byMicroseconds: span.wholeMicroseconds)
        }
        let token = try await door.authority.createClient(
            body.name, isOwner: body.owner ?? false, expires: expires)
        for privilege in privileges {
            try await door.authority.decide(.allowAlways, on: privilege, by: body.name)
        }
        var response = try Response.json(
            Created(name: body.name, token: token.text), status: .created)
        response.headers[.location] = "/api/v1/tokens/\(body.name)"
        return response
    }

    @Sendable
    private func revoke(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("revoke-token", request, context)
        try await door.authority.revokeClient(context.decoded("client").required("name"))
        return Response(status: .noContent)
    }
}
