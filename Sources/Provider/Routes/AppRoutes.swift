import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps

/// Installed apps and their pages, for the owner.
struct AppRoutes {
    let door: Door
    let library: AppLibrary
    let supervisor: RunSupervisor
    let facts: HostFacts

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/apps", [.get: list, .post: install])
        routes.on("api/v1/apps/{app}", [.get: describe, .delete: uninstall])
        routes.on("api/v1/apps/{app}/launch", [.post: launch])
        routes.on("api/v1/launch", [.post: redeem])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("apps", request, context)
        var items: [AppDescription] = []
        for app in try await library.apps() { items.append(await describe(app)) }
        return try .json(ItemList(items))
    }

    @Sendable
    private func describe(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("app", request, context)
        return try await .json(describe(app(context)))
    }

    /// Takes the bytes of an archive.
    @Sendable
    private func install(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("install", request, context)
        let archive = try await request.bytes(upTo: library.limits.archiveBytes)
        let app = try await library.install(archive: archive)
        try await door.authority.admit(app: app.name.text)
        var response = try await Response.json(describe(app), status: .created)
        response.headers[.location] = "/api/v1/apps/\(app.name)"
        return response
    }

    @Sendable
    private func uninstall(_ request: Request, _ context: ProviderContext) async throws -> Response
    {
        try await door.owner("uninstall", request, context)
        let name = try context.decoded("app").required("app")
        // What would still run of it could use what is about to be forgotten.
        await supervisor.forget(app: name)
        try await library.uninstall(name)
        try await door.authority.forget(client: name)
        return Response(status: .noContent)
    }

    // MARK: - Pages

    private struct Launch: Encodable {
        let url: String
    }

    @Sendable
    private func launch(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("launch", request, context)
        let app = try await app(context)
        try await door.authority.admit(app: app.name.text)
        guard let port = facts.port() else {
            throw Problem(
                status: .serviceUnavailable, code: "not-serving",
                title: "No server for pages runs", detail: "Pages need a running server.",
                fix: "Start it with: nervous serve")
        }
        let code = try await door.authority.launchCode(for: app.name.text)
        let url = "http://\(app.name).localhost:\(port)/#launch=\(code)"
        return try .json(Launch(url: url), status: .created)
    }

    private struct Code: Decodable {
        let code: String
    }

    private struct PageToken: Encodable {
        let token: String
    }

    /// The one call without a token: it trades a launch code for one.
    @Sendable
    private func redeem(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let body = try await request.json(Code.self)
        let token = try await door.authority.redeem(
            launchCode: body.code, name: context.claimedName)
        return try .json(PageToken(token: token.text), status: .created)
    }

    // MARK: - Private

    private func app(_ context: ProviderContext) async throws -> InstalledApp {
        try await library.app(named: context.decoded("app").required("app"))
    }

    private func describe(_ app: InstalledApp) async -> AppDescription {
        let authority = door.authority
        let undecided = await authority.undecided(app.manifest.privileges, by: app.name.text)
        var denied: Set<PrivilegeID> = []
        for privilege in app.manifest.privileges
        where await authority.isDenied(privilege, to: app.name.text) {
            denied.insert(privilege.id)
        }
        return AppDescription(
            app, undecided: Set(undecided.map(\.id)), denied: denied,
            lastRun: await supervisor.lastRun(of: app.name.text))
    }
}
