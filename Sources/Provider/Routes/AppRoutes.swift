import API
import AppRuns
import AppStorage
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import Samples
import Sealing

/// Installed apps and their pages, for the owner.
struct AppRoutes {
    let authorizer: RequestAuthorizer
    let library: AppLibrary
    let supervisor: RunSupervisor
    let downloads: PackageDownloads
    /// The port of the server; `nil` while it does not listen.
    let port: @Sendable () -> Int?
    let secrets: SecretStore

    private var describe: AppDescriber {
        AppDescriber(
            authorizer: authorizer, library: library, supervisor: supervisor)
    }

    func add(to routes: inout RouteTable) {
        routes.on(.apps, [.get: list, .post: install])
        routes.on(.app("{app}"), [.get: one, .delete: uninstall])
        routes.on(.data(of: "{app}"), [.delete: forget])
        routes.on(.icon(of: "{app}"), [.get: icon])
        routes.on(.launch(of: "{app}"), [.post: launch])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("apps", request, context)
        return try .json(ItemList(await describe(library.apps())))
    }

    @Sendable
    private func one(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("app", request, context)
        return try await .json(describe(app(context)))
    }

    /// Installs the package in the body, or a downloaded one.
    @Sendable
    private func install(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("install", request, context)
        try request.rejectParameters(except: ["allowDowngrade", "dryRun"])
        let options = InstallOptions(
            allowsDowngrade: try request.flag("allowDowngrade"),
            isDryRun: try request.flag("dryRun"))
        let installation = try await install(request, with: options)
        let app = installation.app
        let before = installation.previous?.privileges
        let status = await authorizer.authority.status(of: app.declared, before: before)
        guard !options.isDryRun else {
            try await authorizer.authority.checkFree(app: app.name.text)
            return try await .json(describe(installation, status))
        }
        do {
            try await authorizer.authority.admit(app.declared, before: before)
        } catch {
            // An app whose name is taken must not stay installed.
            if installation.updateCheck.kind == .first {
                try? await library.uninstall(app.name.text)
            }
            throw error
        }
        if installation.updateCheck.kind != .unchanged {
            await authorizer.authority.log.note(
                .installed(
                    app.name.text, version: app.manifest.version,
                    replacing: installation.previous?.version))
        }
        if installation.updateCheck.reset != nil {
            // Current and past runs belong to the previous app.
            await supervisor.forget(app: app.name.text)
        }
        var response = try await Response.json(describe(installation, status), status: .created)
        response.headers[.location] = APIPath.app(app.name.text).description
        return response
    }

    /// Installs an archive, or, named or contained in JSON, a downloaded archive or the files of a folder.
    private func install(
        _ request: Request, with options: InstallOptions
    ) async throws -> Installation {
        let limits = library.limits
        guard request.mediaType == "application/json" else {
            let archive = try await request.bytes(upTo: limits.archiveBytes)
            return try await library.install(archive: archive, with: options)
        }
        // Base64 takes four bytes for three; the rest is for paths.
        let limit = limits.unpackedBytes / 3 * 4 + limits.entries * (limits.pathBytes + 64)
        let sent: FolderPackage
        switch try await request.json(SentPackage.self, upTo: limit) {
        case .folder(let folder): sent = folder
        case .download(let id):
            let archive = try await downloads.archive(of: id)
            if let listed = try await downloads.listing(of: id) {
                try listed.check(isA: .app)
                // A catalogue must not install another app than the one that was chosen.
                let preview = InstallOptions(allowsDowngrade: true, isDryRun: true)
                try listed.check(
                    try await library.install(archive: archive, with: preview).app.manifest)
            }
            let installation = try await library.install(archive: archive, with: options)
            if !options.isDryRun { try? await downloads.discard(id) }
            return installation
        }
        let folder = try AppFolder(
            named: sent.name, files: sent.files.map { ($0.path, Array($0.content)) },
            limits: limits)
        return try await library.install(folder, with: options)
    }

    @Sendable
    private func uninstall(_ request: Request, _ context: ProviderContext) async throws -> Response
    {
        try await authorizer.owner("uninstall", request, context)
        let name = try context.required("app")
        // A run that continues could use the data that is forgotten next.
        await supervisor.forget(app: name)
        try await library.uninstall(name)
        try await authorizer.authority.forget(client: name)
        try secrets.removeAll(of: .app(name))
        await authorizer.authority.log.note(.uninstalled(name))
        return Response(status: .noContent)
    }

    /// Forgets the decisions, runs and stored values of an app; the app stays installed.
    @Sendable
    private func forget(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("forget-app", request, context)
        let app = try await app(context)
        let name = app.name.text
        let decisions = await authorizer.authority.permissions.records(of: name).count
        // What a damaged file holds cannot be counted.
        let stored = try? await authorizer.authority.storageUsage(of: name)
        let runs = await supervisor.runs().count { $0.app == name }
        let hadRun = await supervisor.lastRun(of: name) != nil
        await supervisor.forget(app: name)
        try await authorizer.authority.forget(client: name)
        try await authorizer.authority.admit(app.declared)
        await authorizer.authority.log.note(.forgotten(app: name))
        return try .json(
            AppForgetReceipt(
                app: name, time: Timestamp.now().milliseconds, decisions: decisions,
                runs: max(runs, hadRun ? 1 : 0), stored: stored?.used ?? 0,
                kept: ["access-log", "app"]))
    }

    // MARK: - Pages

    /// The icon in the `package.json` of a nervousnet app.
    @Sendable
    private func icon(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("icon", request, context)
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
        try await authorizer.owner("launch", request, context)
        let app = try await app(context)
        try await authorizer.authority.admit(app.declared)
        guard let port = port() else {
            throw Problem.notServing
        }
        let code = try await authorizer.authority.launchCode(for: .app(app.name.text))
        let url = "http://\(app.name).localhost:\(port)/#launch=\(code)"
        return try .json(LaunchReply(url: url), status: .created)
    }

    // MARK: - Private

    private func app(_ context: ProviderContext) async throws -> InstalledApp {
        try await library.app(named: context.required("app"))
    }
}

/// A package as JSON.
private enum SentPackage: Decodable {
    case download(String)
    case folder(FolderPackage)

    private enum CodingKeys: CodingKey {
        case download
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self =
            members.contains(.download)
            ? .download(try DownloadedPackage(from: decoder).download)
            : .folder(try FolderPackage(from: decoder))
    }
}

/// Describes installed apps, with their signers and the states of their privileges.
private struct AppDescriber: Sendable {
    let authorizer: RequestAuthorizer
    let library: AppLibrary
    let supervisor: RunSupervisor

    func callAsFunction(_ app: InstalledApp) async -> AppDescription {
        await describe(app, await library.signerNames())
    }

    func callAsFunction(_ apps: [InstalledApp]) async -> [AppDescription] {
        let names = await library.signerNames()
        var items: [AppDescription] = []
        for app in apps { items.append(await describe(app, names)) }
        return items
    }

    /// Describes an app that was installed, or would be.
    func callAsFunction(
        _ installation: Installation, _ status: PrivilegeStatus
    ) async -> AppDescription {
        let names = await library.signerNames()
        return AppDescription(
            installation.app, status, signerName: installation.app.signer.flatMap { names[$0] },
            lastRun: await supervisor.lastRun(of: installation.app.name.text),
            budget: supervisor.budget(installation.app.name.text),
            update: UpdateDescription(installation, status))
    }

    private func describe(
        _ app: InstalledApp, _ names: [SignerKey: String]
    ) async -> AppDescription {
        var newSensors: [PrivilegeID: [SensorID]] = [:]
        for privilege in app.manifest.privileges {
            let present = await authorizer.isGrantable.instances(of: privilege.id)
            newSensors[privilege.id] = await authorizer.authority.permissions.newSensors(
                of: privilege, for: app.name.text, among: present)
        }
        return AppDescription(
            app, await authorizer.authority.status(of: app.declared), newSensors: newSensors,
            signerName: app.signer.flatMap { names[$0] },
            lastRun: await supervisor.lastRun(of: app.name.text),
            budget: supervisor.budget(app.name.text))
    }
}
