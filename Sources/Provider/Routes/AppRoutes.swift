import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import Samples

/// Installed apps and their pages, for the owner.
struct AppRoutes {
    let door: Door
    let library: AppLibrary
    let supervisor: RunSupervisor
    let facts: HostFacts

    private var describe: AppDescriber {
        AppDescriber(
            authority: door.authority, isGrantable: door.isGrantable, library: library,
            supervisor: supervisor)
    }

    func add(to routes: inout RouteTable) {
        routes.on(.apps, [.get: list, .post: install])
        routes.on(.app("{app}"), [.get: one, .delete: uninstall])
        routes.on(.data(of: "{app}"), [.delete: forget])
        routes.on(.icon(of: "{app}"), [.get: icon])
        routes.on(.launch(of: "{app}"), [.post: launch])
        routes.on(.launch, [.post: redeem])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("apps", request, context)
        return try .json(ItemList(await describe(library.apps())))
    }

    @Sendable
    private func one(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("app", request, context)
        return try await .json(describe(app(context)))
    }

    /// Takes the bytes of an archive.
    @Sendable
    private func install(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("install", request, context)
        try request.refuseParameters(besides: ["allowDowngrade", "dryRun"])
        let terms = InstallTerms(
            allowsDowngrade: try request.flag("allowDowngrade"),
            isDryRun: try request.flag("dryRun"))
        let archive = try await request.bytes(upTo: library.limits.archiveBytes)
        let installation = try await library.install(archive: archive, under: terms)
        let app = installation.app
        let before = installation.previous?.privileges
        let standing = await door.authority.standing(of: app.declared, before: before)
        guard !terms.isDryRun else {
            try await door.authority.checkFree(app: app.name.text)
            return try await .json(describe(installation, standing))
        }
        do {
            try await door.authority.admit(app.declared, before: before)
        } catch {
            // An app that cannot have its name must not stay.
            if installation.succession.kind == .first {
                try? await library.uninstall(app.name.text)
            }
            throw error
        }
        if installation.succession.kind != .unchanged {
            await door.authority.log.note(
                .installed(
                    app.name.text, version: app.manifest.version,
                    replacing: installation.previous?.version))
        }
        if installation.succession.reset != nil {
            // What runs of the app before is another's, and so is what it was last.
            await supervisor.forget(app: app.name.text)
        }
        var response = try await Response.json(describe(installation, standing), status: .created)
        response.headers[.location] = APIPath.app(app.name.text).description
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
        await door.authority.log.note(.uninstalled(name))
        return Response(status: .noContent)
    }

    /// Forgets what was decided about an app and what it did; the app itself stays.
    @Sendable
    private func forget(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("forget-app", request, context)
        let app = try await app(context)
        let name = app.name.text
        let decisions = await door.authority.records(of: name).count
        let stored = try await door.authority.storageUsage(of: name)
        let runs = await supervisor.runs().count { $0.app == name }
        let hadRun = await supervisor.lastRun(of: name) != nil
        await supervisor.forget(app: name)
        try await door.authority.forget(client: name)
        try await door.authority.admit(app.declared)
        await door.authority.log.note(.forgotten(app: name))
        return try .json(
            AppForgetReceipt(
                app: name, time: Timestamp.now().milliseconds, decisions: decisions,
                runs: max(runs, hadRun ? 1 : 0), stored: stored.used,
                kept: ["access-log", "app"]))
    }

    // MARK: - Pages

    /// The picture that a published app has in its `package.json`.
    @Sendable
    private func icon(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("icon", request, context)
        guard let icon = try await app(context).manifest.icon else {
            throw Problem.notFound("The app has no icon.")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: FileType.png.rawValue, .contentSecurityPolicy: "default-src 'none'",
            ], body: .init(byteBuffer: ByteBuffer(bytes: icon.bytes)))
    }

    @Sendable
    private func launch(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("launch", request, context)
        let app = try await app(context)
        try await door.authority.admit(app.declared)
        guard let port = facts.port() else {
            throw Problem(
                .notServing, "Pages need a running server.",
                fix: "Start it with: nervous serve")
        }
        let code = try await door.authority.launchCode(for: app.name.text)
        let url = "http://\(app.name).localhost:\(port)/#launch=\(code)"
        return try .json(LaunchReply(url: url), status: .created)
    }

    /// The one call without a token: it trades a launch code for one.
    @Sendable
    private func redeem(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let body = try await request.json(LaunchCode.self)
        let token = try await door.authority.redeem(
            launchCode: body.code, name: context.claimedName)
        return try .json(PageToken(token: token.text), status: .created)
    }

    // MARK: - Private

    private func app(_ context: ProviderContext) async throws -> InstalledApp {
        try await library.app(named: context.decoded("app").required("app"))
    }
}
