import Auth
import Foundation
import JSApps
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct RunTests {
    private static func latest(_ host: ServedHost, _ token: String) async throws -> Answer {
        try await host.send(Call("GET", "/api/v1/sensors/gauge/latest", token: token))
    }

    private static func redeem(
        _ host: ServedHost, _ code: String, at app: String
    ) async throws -> Answer {
        let nonce = await host.authority.pageNonce(for: .app(app))
        return try await host.send(
            Call(
                "POST", "/api/v1/launch", host: "\(app).localhost:\(host.port)",
                json: #"{"code": "\#(code)", "page": "\#(nonce)"}"#))
    }

    private static func code(_ host: ServedHost) async throws -> String {
        let answer = try await host.send(
            Call("POST", "/api/v1/apps/my-app/launch", token: host.owner))
        let url = try #require(try answer.json()["url"]?.string)
        let start = "http://my-app.localhost:\(host.port)/#launch="
        #expect(url.hasPrefix(start))
        return String(url.dropFirst(start.count))
    }

    @Test func `an app is installed, described with its privileges, and replaced`() async throws {
        try await ServedHost.with { host in
            let bytes = try TestPackage.bytes(in: host.folder)
            let made = try await host.send(
                Call("POST", "/api/v1/apps", token: host.owner, body: bytes))
            #expect(made.status == 201)
            #expect(made["location"] == "/api/v1/apps/my-app")
            try await host.decide(.deny, "sensor:network:stats", by: "my-app")
            let app = try await host.send(
                Call("GET", "/api/v1/apps/my-app", token: host.owner)
            ).json()
            let states = app["privileges"]?.array?.compactMap { $0["state"]?.string }
            #expect(states == ["prompt", "denied"])
            #expect(app["privileges"]?.array?.last?["reason"]?.string == "Shows the traffic")
            try await host.install()
            #expect(try await host.library.apps().count == 1)
            #expect(await host.authority.permissions.records(of: "my-app").count == 1)
        }
    }

    @Test func `a denied kind is reported for each instance`() async throws {
        try await ServedHost.with { host in
            try await host.install(privileges: #"["network.eth0", "networking"]"#)
            try await host.decide(.deny, "sensor:network", by: "my-app")
            let app = try await host.send(
                Call("GET", "/api/v1/apps/my-app", token: host.owner)
            ).json()
            let states = app["privileges"]?.array?.compactMap { $0["state"]?.string }
            #expect(states == ["denied", "prompt"])
        }
    }

    @Test func `an uninstalled app leaves neither grants nor tokens nor launch codes`() async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            let (run, token) = try await host.begin()
            let code = try await Self.code(host)
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            await host.gauge(1)
            #expect(try await Self.latest(host, token).status == 200)
            let uninstall = Call("DELETE", "/api/v1/apps/my-app", token: host.owner)
            #expect(try await host.send(uninstall).status == 204)
            #expect(try await Self.latest(host, token).code == "invalid-token")
            try await host.install()
            #expect(try await Self.latest(host, token).code == "invalid-token")
            #expect(try await Self.redeem(host, code, at: "my-app").status == 401)
            #expect(await host.authority.permissions.records(of: "my-app").isEmpty)
            await #expect(throws: AuthError.self) { try await host.authority.renewRun(run) }
        }
    }

    @Test func `a grant for one run ends with it`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let (run, token) = try await host.begin()
            let other = try await host.begin().token
            await host.gauge(1)
            let decision = #"{"decision": "allow-once", "run": "\#(run)"}"#
            let put = Call(
                "PUT", "/api/v1/grants/my-app/sensor:gauge", token: host.owner, json: decision)
            #expect(try await host.send(put).status == 200)
            #expect(try await Self.latest(host, token).status == 200)
            #expect(try await Self.latest(host, other).code == "undecided")
            try await host.authority.endRun(run)
            #expect(try await Self.latest(host, token).status == 401)
            #expect(await host.authority.permissions.records(of: "my-app").isEmpty)
            #expect(try await host.send(put).status == 404)
        }
    }

    @Test func `the token of a run is valid while it is renewed`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let (run, token) = try await host.begin()
            let me = Call("GET", "/api/v1/me", token: token)
            for _ in 1...3 {
                host.clock.advance(.seconds(3599))
                #expect(try await host.send(me).status == 200)
                try await host.authority.renewRun(run)
            }
            host.clock.advance(.seconds(3600))
            #expect(try await host.send(me).status == 401)
        }
    }

    @Test func `a launch code opens one page of its app within a minute`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            try await host.install("other-app")
            let code = try await Self.code(host)
            let token = try #require(
                try await Self.redeem(host, code, at: "my-app").json()["token"]?.string)
            let me = try await host.send(
                Call("GET", "/api/v1/me", token: token, host: "my-app.localhost:\(host.port)"))
            #expect(try me.json()["name"]?.string == "my-app")
            #expect(try await Self.redeem(host, code, at: "my-app").status == 401)
            let foreign = try await Self.code(host)
            #expect(try await Self.redeem(host, foreign, at: "other-app").status == 401)
            #expect(try await Self.redeem(host, foreign, at: "my-app").status == 401)
            let old = try await Self.code(host)
            host.clock.advance(.seconds(60))
            #expect(try await Self.redeem(host, old, at: "my-app").status == 401)
            let atOwner = Call(
                "POST", "/api/v1/launch",
                json: #"{"code": "\#(try await Self.code(host))", "page": "x"}"#)
            #expect(try await host.send(atOwner).status == 401)
        }
    }
}
