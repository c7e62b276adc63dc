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
        routes.on(.runs(ofProgram: "{client}"), [.post: beginRun])
        routes.on(.run("{run}", ofProgram: "{client}"), [.put: renewRun, .delete: endRun])
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
        try Self.check(name: body.name)
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

    private static func check(name: String) throws(Problem) {
        guard SensorID(name) != nil, !name.contains("."), name.utf8.count <= nameLimit else {
            throw Problem.invalidBody(
                "name must be kebab-case, at most \(nameLimit) characters.")
        }
    }

    // MARK: - Runs of programs

    @Sendable
    private func beginRun(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("begin-program-run", request, context)
        let authority = authorizer.authority
        let name = try context.required("client")
        let body = try await request.json(ProgramRunRequest.self)
        let isNew = await !authority.isProgram(name)
        if isNew, body.create == true {
            try Self.check(name: name)
            try await checkUnrevoked(name)
            try await createWithStatistics(name)
        }
        let (run, token) = try await authority.beginRun(ofProgram: name)
        var response = try Response.json(
            ProgramRun(
                name: name, run: run, token: token.text, created: isNew,
                lifetime: Double(Authority.runLifetime.wholeMicroseconds) / 1000),
            status: .created)
        response.headers[.location] = APIPath.run(run, ofProgram: name).description
        return response
    }

    /// Checks that the owner has not revoked a program of this name: an assistant that is still configured must
    /// not come back by itself.
    private func checkUnrevoked(_ name: String) async throws {
        let query = AccessLogQuery(client: name, kind: .tokenRevoked, limit: 1)
        guard try await !authorizer.authority.log.entries(query).isEmpty else { return }
        throw Problem(
            .denied, "\(name) was revoked by the owner.",
            fix: "Create it again with: nervous token create \(name)")
    }

    /// Creates a program that may read statistics of the sensors of this machine while it runs, and nothing in
    /// the background.
    ///
    /// Positions are not among them: their statistics show a place as samples do. The owner is asked for
    /// everything else.
    private func createWithStatistics(_ name: String) async throws {
        let authority = authorizer.authority
        // Nobody gets this token. The program calls with those of its runs.
        _ = try await authority.createClient(name, isOwner: false, expires: nil)
        do {
            let policy = await authority.permissions.policy
            for kind in await authorizer.isGrantable.kinds()
            where !SensorFamily(of: kind).isPlace {
                let privilege = PrivilegeID.sensor(kind, .stats)
                guard policy.restriction(of: privilege) == nil else { continue }
                try await authority.decide(
                    .allow(Terms(access: .stats, background: false)), on: privilege, by: name)
            }
        } catch {
            // A program with a part of its permissions would not get the others later.
            try? await authority.revokeClient(name)
            throw error
        }
    }

    @Sendable
    private func renewRun(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("renew-program-run", request, context)
        try await authorizer.authority.renewRun(run(context))
        return Response(status: .noContent)
    }

    @Sendable
    private func endRun(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("end-program-run", request, context)
        try await authorizer.authority.endRun(run(context))
        return Response(status: .noContent)
    }

    private func run(_ context: ProviderContext) async throws -> String {
        let (name, run) = (try context.required("client"), try context.required("run"))
        let authority = authorizer.authority
        guard await authority.isProgram(name), await authority.isRunning(run, of: name) else {
            throw Problem.notFound("\(name) has no run \(run).")
        }
        return run
    }

    // MARK: - Revocation

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
