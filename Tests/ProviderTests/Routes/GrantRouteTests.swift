import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct GrantRouteTests {
    private static func put(
        _ host: ServedHost, _ body: String, _ privilege: String = "sensor:gauge",
        of client: String = "my-app"
    ) async throws -> Answer {
        try await host.send(
            Call("PUT", "/api/v1/grants/\(client)/\(privilege)", token: host.owner, json: body))
    }

    private static func latest(_ host: ServedHost, _ token: String) async throws -> Answer {
        try await host.send(Call("GET", "/api/v1/sensors/gauge/latest", token: token))
    }

    @Test func `each change affects the next call of a running app`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let token = try await host.begin().token
            await host.gauge(1)
            #expect(try await Self.latest(host, token).code == "undecided")
            for (body, status, code) in [
                (#"{"decision": "allow-always"}"#, 200, nil),
                (#"{"decision": "statistics-only"}"#, 403, "statistics-only"),
                (#"{"decision": "allow-always"}"#, 200, nil),
                (#"{"decision": "deny"}"#, 403, "denied"),
            ] {
                #expect(try await Self.put(host, body).status == 200)
                let answer = try await Self.latest(host, token)
                #expect(answer.status == status)
                #expect(answer.code == code)
            }
            let reset = Call("DELETE", "/api/v1/grants/my-app/sensor%3Agauge", token: host.owner)
            #expect(try await host.send(reset).status == 204)
            #expect(try await Self.latest(host, token).code == "undecided")
        }
    }

    @Test func `two refusals are listed as a denial, shown with the app, and end with a reset`()
        async throws
    {
        try await ServedHost.with { host in
            let privileges = #"[{"sensor": "gauge", "reason": "r"}]"#
            try await host.install(privileges: privileges)
            let (app, grants) = ("/api/v1/apps/my-app", "/api/v1/grants/my-app")
            for (count, state) in [(1, "prompt"), (2, "denied")] {
                let run = try await host.begin().run
                let body = #"{"decision": "deny-once", "run": "\#(run)", "answer": true}"#
                #expect(try await Self.put(host, body).status == 200)
                try await host.authority.endRun(run)
                let list = try await host.send(Call("GET", grants, token: host.owner)).json()
                let item = list["items"]?.array?.first
                #expect(item?["refusals"]?.number?.double == (count == 2 ? 2 : nil))
                #expect(item?["state"]?.string == (count == 2 ? "denied" : nil))
                let description = try await host.send(Call("GET", app, token: host.owner)).json()
                let privilege = description["privileges"]?.array?.first
                #expect(privilege?["state"]?.string == state)
                #expect(privilege?["exhausted"]?.bool == (count == 2 ? true : nil))
            }
            let token = try await host.begin().token
            #expect(try await Self.latest(host, token).code == "denied")
            #expect(try await host.send(Call("DELETE", grants, token: host.owner)).status == 204)
            #expect(try await Self.latest(host, token).code == "undecided")
        }
    }

    @Test func `a waiting request that is denied this time is always answered with denied`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install(privileges: #"[{"sensor": "gauge", "reason": "r"}]"#)
            await host.gauge(1)
            for _ in 1...20 {
                let (run, token) = try await host.begin()
                async let answer = host.send(
                    Call(
                        "POST", "/api/v1/permissions/request", token: token,
                        json: #"{"privilege": "sensor:gauge"}"#))
                while await host.authority.pendingRequests().isEmpty { await Task.yield() }
                let body = #"{"decision": "deny-once", "run": "\#(run)"}"#
                #expect(try await Self.put(host, body).status == 200)
                // The run may end before the request is answered.
                try await host.authority.endRun(run)
                #expect(try await answer.json()["state"]?.string == "denied")
            }
        }
    }

    @Test func `a denied sensor does not affect others`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge", "sensor:networking"])
            try await host.decide(.deny, "sensor:gauge", by: "curl")
            await host.gauge(1)
            await host.collect("networking", [.number(1)])
            #expect(try await Self.latest(host, token).status == 403)
            let other = Call("GET", "/api/v1/sensors/networking/latest", token: token)
            #expect(try await host.send(other).status == 200)
        }
    }

    @Test(arguments: [
        ("sensor:network", "network.eth0", 200), ("sensor:network", "networking", 403),
        ("sensor:network.eth0", "network.wlan0", 403),
        ("sensor:network.eth0", "network.eth0", 200),
    ])
    func `a grant covers whole segments on every route`(
        privilege: String, sensor: String, status: Int
    ) async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: [privilege])
            let id = try #require(SensorID(sensor))
            await host.collect(id, [.number(1)])
            for part in ["latest", "samples", "stats"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/\(sensor)/\(part)", token: token))
                #expect(answer.status == status)
            }
            let stream = Call("HEAD", "/api/v1/sensors/\(sensor)/stream", token: token)
            #expect(try await host.send(stream).status == status)
        }
    }

    @Test func `terms are stored, shown and applied`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let token = try await host.begin().token
            let body = """
                {"decision": "allow", "terms": {"access": "raw", "rate": 0.5, "precision": 10,
                 "history": "1h", "expires": \(Int64(host.clock.now.milliseconds) + 5000),
                 "background": false}}
                """
            let answer = try await Self.put(host, body)
            let terms = try answer.json()["items"]?.array?.first?["terms"]
            #expect(terms?["rate"]?.number?.double == 0.5)
            #expect(terms?["history"]?.string == "1h")
            #expect(terms?["background"]?.bool == false)
            let start = host.clock.now.microseconds / 2_000_000 * 2_000_000
            for (level, offset) in [(1.0, -7200), (16, -20), (24, -19), (36, -18)] {
                await host.gauge(
                    level, at: Timestamp(microseconds: start + Int64(offset) * 1_000_000))
            }
            let samples = Call("GET", "/api/v1/sensors/gauge/samples", token: token)
            #expect(try ServedHost.levels(try await host.send(samples)) == [20, 40])
            host.clock.advance(.seconds(6))
            #expect(try await host.send(samples).code == "undecided")
        }
    }

    @Test func `a very low rate permits one sample`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let token = try await host.begin().token
            let body = #"{"decision": "allow", "terms": {"access": "raw", "rate": 1e-300}}"#
            #expect(try await Self.put(host, body).status == 200)
            for level in 1...3 { await host.gauge(Double(level)) }
            let samples = Call("GET", "/api/v1/sensors/gauge/samples", token: token)
            #expect(try ServedHost.levels(try await host.send(samples)) == [1])
        }
    }

    @Test(arguments: [
        (#"{"decision": "maybe"}"#, 400), (#"{"decision": "allow"}"#, 400), ("{}", 400),
        (#"{"decision": "deny", "terms": {"access": "raw"}}"#, 400),
        (#"{"decision": "allow-once"}"#, 400), (#"{"decision": "deny-once"}"#, 400),
        (#"{"decision": "allow-once", "run": "none"}"#, 404),
        (#"{"decision": "allow", "terms": {"access": "all"}}"#, 400),
        (#"{"decision": "allow", "terms": {"access": "write"}}"#, 422),
        (#"{"decision": "allow", "terms": {"access": "raw", "rate": 0}}"#, 400),
        (#"{"decision": "allow", "terms": {"access": "raw", "rate": -1}}"#, 400),
        (#"{"decision": "allow", "terms": {"access": "raw", "precision": 0}}"#, 400),
        (#"{"decision": "allow", "terms": {"access": "raw", "history": "long"}}"#, 400),
        (#"{"decision": "allow", "terms": {"access": "raw", "expires": 1e300}}"#, 400),
        (#"{"decision": "allow", "terms": {"access": "raw", "rate": "1"}}"#, 400),
    ])
    func `an invalid decision changes nothing`(body: String, status: Int) async throws {
        try await ServedHost.with { host in
            try await host.install()
            #expect(try await Self.put(host, body).status == status)
            #expect(await host.authority.permissions.records().isEmpty)
        }
    }

    /// A denied privilege, and the names that are suggested in its place; `nil` if the denial is stored.
    @Test(
        arguments: [
            ("sensor:gauge", nil), ("sensor:gauge:stats", nil), ("sensor:network", nil),
            ("sensor:network.eth0", nil), ("sensor:battery", nil), ("net", nil), ("notify", nil),
            // The app declares quiet.one, and nervousnet apps ask for light.
            ("sensor:quiet.one", nil), ("sensor:light", nil),
            ("sensor:gaguge", "gauge"), ("sensor:netwrok", "network"),
            ("sensor:network.eth1", "network.eth0"), ("sensor:xyzzyxyzzy", ""),
        ] as [(String, String?)])
    func `denying an unknown privilege fails with a suggestion`(
        privilege: String, suggestion: String?
    ) async throws {
        try await ServedHost.with { host in
            try await host.install(privileges: #"[{"sensor": "quiet.one", "reason": "r"}]"#)
            let call = Call(
                "PUT", "/api/v1/grants/my-app/\(privilege)", token: host.owner,
                json: #"{"decision": "deny"}"#)
            let answer = try await host.send(call)
            guard let suggestion else {
                #expect(answer.status == 200, "\(answer.text)")
                return
            }
            #expect(answer.code == "unknown-sensor")
            let fix = try answer.json()["fix"]?.string ?? ""
            #expect(fix.contains("Did you mean \(suggestion)") != suggestion.isEmpty, "\(fix)")
            #expect(await host.authority.permissions.records().isEmpty)
        }
    }

    @Test func `a client sees only the decisions about itself`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge:stats"])
            _ = try await host.client("other", allow: ["sensor:networking"])
            let me = try await host.send(Call("GET", "/api/v1/me", token: token)).json()
            #expect(me["name"]?.string == "curl")
            #expect(me["kind"]?.string == "client")
            let names = me["privileges"]?.array?.compactMap { $0["privilege"]?.string }
            #expect(names == ["sensor:gauge:stats"])
            let list = try await host.send(Call("GET", "/api/v1/sensors", token: token)).json()
            let sensors = list["items"]?.array ?? []
            #expect(sensors.compactMap { $0["id"]?.string } == ["gauge"])
            #expect(sensors.first?["access"]?.string == "statistics")
        }
    }
}
