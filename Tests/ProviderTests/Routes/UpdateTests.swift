import AppRuns
import Auth
import Foundation
import JSApps
import Testing
import Text

/// Replacing packages through the API.
@Suite(.timeLimit(.minutes(10)))
struct UpdateTests {
    private static let both = #"["gauge", {"sensor": "network", "access": "stats", "reason": "r"}]"#

    private static func post(
        _ host: ServedHost, _ version: String, signer: String? = nil, privileges: String = both,
        script: String = "x", query: String = ""
    ) async throws -> Answer {
        let bytes = try TestPackage.bytes(
            version: version, privileges: privileges, script: script, signer: signer,
            in: host.folder)
        return try await host.send(
            Call("POST", "/api/v1/apps\(query)", token: host.owner, body: bytes))
    }

    private static func changes(_ answer: Answer) throws -> [String] {
        (try answer.json()["update"]?["privileges"]?.array ?? []).map { item in
            [item["change"], item["privilege"], item["state"]].compactMap { $0?.string }
                .joined(separator: " ")
        }
    }

    private static func states(_ host: ServedHost) async throws -> [String] {
        let app = try await host.send(Call("GET", "/api/v1/apps/my-app", token: host.owner)).json()
        return app["privileges"]?.array?.compactMap { $0["state"]?.string } ?? []
    }

    @Test func `an update asks about the difference, and keeps other decisions`() async throws {
        try await ServedHost.with { host in
            #expect(try await Self.post(host, "1.0.0").status == 201)
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            try await host.decide(.allowAlways, "sensor:network:stats", by: "my-app")
            let update = try await Self.post(
                host, "1.1.0", privileges: #"["network", "networking"]"#)
            #expect(update.status == 201)
            let json = try update.json()
            #expect(json["update"]?["kind"]?.string == "update")
            #expect(json["update"]?["from"]?.string == "1.0.0")
            #expect(json["update"]?["reset"] == nil)
            #expect(json["updatedFrom"]?.string == "1.0.0")
            #expect(
                try Self.changes(update) == [
                    "wider sensor:network prompt", "added sensor:networking prompt",
                    "removed sensor:gauge",
                ])
            #expect(try await Self.states(host) == ["prompt", "prompt"])
            // The next version declares again what this one dropped: the owner is asked.
            let next = try await Self.post(host, "1.2.0", privileges: #"["gauge"]"#)
            #expect(
                try Self.changes(next) == [
                    "added sensor:gauge prompt", "removed sensor:network",
                    "removed sensor:networking",
                ])
        }
    }

    @Test func `an update that declares the same or less asks nothing`() async throws {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            try await host.decide(.deny, "sensor:network:stats", by: "my-app")
            let same = try await Self.post(host, "1.0.1")
            #expect(
                try Self.changes(same) == [
                    "unchanged sensor:gauge granted", "unchanged sensor:network:stats denied",
                ])
            let less = try await Self.post(
                host, "1.0.2",
                privileges: #"[{"sensor": "gauge", "access": "stats", "reason": "r"}]"#)
            #expect(
                try Self.changes(less) == [
                    "narrower sensor:gauge:stats granted", "removed sensor:network:stats",
                ])
            let records = await host.authority.permissions.records(of: "my-app")
            #expect(records.map(\.privilege.description) == ["sensor:gauge:stats"])
            #expect(records.first?.terms?.access == .stats)
        }
    }

    @Test func `a signed app is updated only by its own key`() async throws {
        try await ServedHost.with { host in
            let first = try await Self.post(host, "1.0.0", signer: "ann")
            let signer = try first.json()["signer"]
            #expect(signer?["name"]?.string == "ann")
            #expect(
                signer?["fingerprint"]?.string
                    == (try TestPackage.key(in: host.folder)).signer.fingerprint)
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            for (version, signer) in [("1.1.0", nil), ("1.1.0", "eve"), ("1.0.0", "eve")] {
                for query in ["", "?allowDowngrade=true", "?dryRun=true"] {
                    let answer = try await Self.post(
                        host, version, signer: signer, query: query)
                    #expect(answer.status == 409)
                    #expect(answer.code == "signer-changed")
                    #expect(try answer.json()["fix"]?.string?.contains("uninstall my-app") == true)
                }
            }
            #expect(try await Self.states(host) == ["granted", "prompt"])
            #expect(try await Self.post(host, "1.1.0", signer: "ann").status == 201)
            #expect(try await Self.states(host) == ["granted", "prompt"])
        }
    }

    @Test func `an app that becomes signed asks for its privileges again`() async throws {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            let token = try await host.begin().token
            await host.gauge(1)
            let latest = Call("GET", "/api/v1/sensors/gauge/latest", token: token)
            #expect(try await host.send(latest).status == 200)
            let answer = try await Self.post(host, "1.1.0", signer: "ann")
            #expect(try answer.json()["update"]?["reset"]?.string == "signed")
            #expect(
                try Self.changes(answer) == [
                    "unchanged sensor:gauge prompt", "unchanged sensor:network:stats prompt",
                ])
            #expect(await host.authority.permissions.records(of: "my-app").isEmpty)
            #expect(try await host.send(latest).code == "invalid-token")
        }
    }

    @Test func `an older version is rejected unless allowed, and inherits nothing`()
        async throws
    {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.1.0")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            let refused = try await Self.post(host, "1.0.0")
            #expect(refused.status == 409)
            #expect(refused.code == "downgrade")
            #expect(try await Self.states(host) == ["granted", "prompt"])
            let allowed = try await Self.post(host, "1.0.0", query: "?allowDowngrade=true")
            #expect(allowed.status == 201)
            #expect(try allowed.json()["update"]?["reset"]?.string == "downgrade")
            #expect(try await Self.states(host) == ["prompt", "prompt"])
            // A later upgrade does not restore them.
            _ = try await Self.post(host, "1.1.0")
            #expect(try await Self.states(host) == ["prompt", "prompt"])
        }
    }

    @Test func `a dry run returns the same and changes nothing`() async throws {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            let before = await host.authority.permissions.records()
            let privileges = #"["networking"]"#
            let dry = try await Self.post(
                host, "1.1.0", privileges: privileges, query: "?dryRun=true")
            #expect(dry.status == 200)
            #expect(dry["location"] == nil)
            #expect(await host.authority.permissions.records() == before)
            #expect(try await host.library.app(named: "my-app").manifest.version == "1.0.0")
            let real = try await Self.post(host, "1.1.0", privileges: privileges)
            #expect(try Self.changes(real) == Self.changes(dry))
            #expect(try await host.library.app(named: "my-app").manifest.version == "1.1.0")
        }
    }

    @Test func `the same version with other files is replaced and keeps its decisions`()
        async throws
    {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            let replaced = try await Self.post(host, "1.0.0", script: "y")
            #expect(try replaced.json()["update"]?["kind"]?.string == "replaced")
            let again = try await Self.post(host, "1.0.0", script: "y")
            #expect(try again.json()["update"]?["kind"]?.string == "unchanged")
            #expect(try await Self.states(host) == ["granted", "prompt"])
        }
    }

    @Test func `another name inherits nothing`() async throws {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0", signer: "ann")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            let bytes = try TestPackage.bytes("my-app-2", signer: "ann", in: host.folder)
            let answer = try await host.send(
                Call("POST", "/api/v1/apps", token: host.owner, body: bytes))
            #expect(try answer.json()["update"] == nil)
            let states = try answer.json()["privileges"]?.array?.compactMap { $0["state"]?.string }
            #expect(states == ["prompt", "prompt"])
        }
    }

    @Test func `files that changed while no host ran are checked before they run`()
        async throws
    {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0")
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            // The host dies between the files and the decisions.
            let bytes = try TestPackage.bytes(
                version: "1.1.0", signer: "ann", in: host.folder)
            try await host.library.install(archive: bytes)
            #expect(try await Self.states(host) == ["prompt", "prompt"])
            let run = Call("POST", "/api/v1/apps/my-app/runs", token: host.owner)
            #expect(try await host.send(run).status == 201)
            #expect(await host.authority.permissions.records(of: "my-app").isEmpty)
            let token = try await host.begin().token
            await host.gauge(1)
            let latest = Call("GET", "/api/v1/sensors/gauge/latest", token: token)
            #expect(try await host.send(latest).code == "undecided")
        }
    }

    @Test func `a run that was prepared for one app does not start another`() async throws {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0")
            let run = try await host.supervisor.prepare(app: "my-app")
            // The files change before the host is notified.
            let bytes = try TestPackage.bytes(version: "1.1.0", signer: "ann", in: host.folder)
            try await host.library.install(archive: bytes)
            let error = await #expect(throws: AppRunsError.self) {
                try await host.supervisor.run(run.id) { _ in }
            }
            #expect(error?.code == .conflict)
        }
    }

    @Test func `runs end when another app replaces their app, and continue after an update`()
        async throws
    {
        try await ServedHost.with { host in
            _ = try await Self.post(host, "1.0.0")
            let run = try await host.supervisor.prepare(app: "my-app")
            _ = try await Self.post(host, "1.1.0")
            #expect(try await host.supervisor.report(run.id).state == .prepared)
            _ = try await Self.post(host, "1.2.0", signer: "ann")
            let answer = try await host.send(
                Call("GET", "/api/v1/runs/\(run.id)", token: host.owner))
            #expect(answer.status == 404)
        }
    }

    @Test func `an app whose name is taken is not left behind`() async throws {
        try await ServedHost.with { host in
            _ = try await host.client("my-app")
            for query in ["", "?dryRun=true"] {
                #expect(try await Self.post(host, "1.0.0", query: query).code == "name-taken")
                #expect(try await host.library.apps().isEmpty)
            }
        }
    }
}
