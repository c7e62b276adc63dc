import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import Resources
import Samples
import VM

/// The status of the host, the description of the API, and the calling client.
struct StatusRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let host: HostInformation

    func add(to routes: inout RouteTable) {
        routes.on(.health, [.get: health])
        routes.on(.openAPI, [.get: description])
        routes.on(.status, [.get: status])
        routes.on(.me, [.get: me])
    }

    @Sendable
    private func health(_ request: Request, _ context: ProviderContext) async throws -> Response {
        .json(ByteBuffer(string: #"{"status":"ok"}"#))
    }

    @Sendable
    private func description(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        .json(ByteBuffer(bytes: ProviderFiles.openapiJSON.bytes))
    }

    @Sendable
    private func status(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("status", request, context)
        let status = await machine.status()
        let log = authorizer.authority.log
        var failure = status.failure
        if failure == nil { failure = await log.failure }
        let stored = try await machine.retention.report().sensors.reduce(0) { $0 + $1.samples }
        return try .json(
            HostStatus(
                version: host.version, pid: getpid(), data: host.dataDirectory,
                port: host.port(), started: status.started.milliseconds,
                collecting: status.collecting, samples: stored + Int64(status.buffered),
                buffered: status.buffered, dropped: status.dropped, bytes: status.bytes,
                failure: failure,
                damaged: DamagedRange.list(status.damage),
                accessLog: AccessLogHead(
                    try await log.head(), bytes: try await log.size(), budget: await log.budget),
                localNetwork: host.localNetwork()?.description))
    }

    @Sendable
    private func me(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("me", request, context)
        let records = try await authorizer.authority.records(for: client)
        let policy = await authorizer.authority.permissions.policy
        return try .json(
            ClientDescription(
                name: client.name, kind: client.kind.rawValue,
                privileges: records.map { GrantDescription($0, policy, isForOwner: false) }))
    }
}

/// The page that explains how to change the permissions of an app; refusals link to it.
///
/// It needs no token, because it changes nothing and contains nothing but the name in its URL.
struct SettingsRoutes {
    func add(to routes: inout RouteTable) {
        routes.on(.settings("{app}"), [.get: page])
    }

    @Sendable
    private func page(_ request: Request, _ context: ProviderContext) async throws -> Response {
        guard let name = AppName(try context.required("app")) else {
            throw Problem.notFound("This is not the name of an app.")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: FileType.html.rawValue,
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            ], body: .init(byteBuffer: ByteBuffer(string: Self.html(of: name))))
    }

    /// A name in kebab-case needs no escape.
    private static func html(of app: AppName) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Permissions of \(app)</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; }
        body { max-width: 42rem; }
        pre { background: #8882; border-radius: .4rem; padding: .6rem .8rem; overflow-x: auto; }
        </style>
        </head>
        <body>
        <h1>Permissions of \(app)</h1>
        <p>Permissions cannot be changed on a page. Use these commands in a terminal:</p>
        <h2>Show permissions</h2>
        <pre>nervous permissions \(app)</pre>
        <h2>Allow a sensor, or its statistics only</h2>
        <pre>nervous permissions grant \(app) sensor:NAME
        nervous permissions grant \(app) sensor:NAME:stats</pre>
        <h2>Deny a sensor</h2>
        <pre>nervous permissions deny \(app) sensor:NAME</pre>
        <h2>Be asked again</h2>
        <pre>nervous permissions reset \(app)</pre>
        <p>A change takes effect with the next call of the app; no restart is needed.</p>
        </body>
        </html>

        """
    }
}
