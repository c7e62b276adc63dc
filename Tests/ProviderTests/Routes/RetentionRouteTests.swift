import AppRuns
import Auth
import Egress
import JSApps
import Samples
import Testing
import Text
import VM

@Suite(.timeLimit(.minutes(10)))
struct RetentionRouteTests {
    private func call(
        _ host: ServedHost, _ method: String, _ target: String, json: String? = nil,
        token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(method, "/api/v1" + target, token: token ?? host.owner, json: json))
    }

    @Test func `rules and the budget are returned as they were set`() async throws {
        try await ServedHost.with { host in
            for level in 1...3 { await host.gauge(Double(level)) }
            let rule = #"{"bytes":5000000,"raw":"30d","summaries":"1825d"}"#
            let set = try await call(host, "PUT", "/retention/gauge", json: rule)
            #expect(set.text == rule)
            _ = try await call(
                host, "PUT", "/retention", json: #"{"budget":9000000,"standard":{"raw":"1d"}}"#)
            let report = try await call(host, "GET", "/retention").json()
            #expect(report["budget"]?.number?.double == 9_000_000)
            #expect(report["standard"]?["raw"]?.string == "1d")
            let gauge = report["sensors"]?.array?.first { $0["sensor"]?.string == "gauge" }
            #expect(gauge?["samples"]?.number?.double == 3)
            #expect(gauge?["rule"]?["raw"]?.string == "30d")
            #expect(try await call(host, "DELETE", "/retention/gauge").status == 204)
            let after = try await call(host, "GET", "/retention").json()
            let plain = after["sensors"]?.array?.first { $0["sensor"]?.string == "gauge" }
            #expect(plain?["rule"]?["raw"]?.string == "1d")
        }
    }

    @Test
    func `samples that a client publishes count towards its share, those of the owner do not`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.declareSteps()
            _ = try await host.publish(#"{"t": 1, "count": 1, "mood": "up"}"#)
            let before = try await call(host, "GET", "/retention").json()
            #expect(before["clients"] == nil)
            for name in ["one", "two"] {
                let token = try await host.client(name, allow: ["sensor:steps:write"])
                let answer = try await host.publish(
                    #"{"t": 2, "count": 2, "mood": "up"}"#, token: token)
                #expect(answer.status == 201, "\(answer.text)")
            }
            let report = try await call(host, "GET", "/retention").json()
            let clients = report["clients"]?.array ?? []
            #expect(clients.compactMap { $0["client"]?.string } == ["one", "two"])
            #expect(clients.allSatisfy { ($0["bytes"]?.number?.int64 ?? 0) > 0 })
            #expect(clients.allSatisfy { ($0["share"]?.number?.int64 ?? 0) > 1 << 20 })
            #expect(try await host.steps() == "1,1,\"up\"\n2,2,\"up\"\n2,2,\"up\"\n")
        }
    }

    @Test func `the status counts the stored samples`() async throws {
        try await ServedHost.with { host in
            func samples() async throws -> Double? {
                try await call(host, "GET", "/status").json()["samples"]?.number?.double
            }
            let before = try #require(try await samples())
            for level in 1...5 { await host.gauge(Double(level)) }
            #expect(try await samples() == before + 5)
            #expect(try await call(host, "DELETE", "/sensors/gauge/samples").status == 200)
            #expect(try await samples() == before)
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"budget":1}"#, #"{"budget":-1}"#, #"{"standard":{"raw":"soon"}}"#,
        #"{"standard":{"bytes":-1}}"#, #"{"budget":9000000,"standart":{}}"#,
        #"{"standard":{"raws":"1h"}}"#,
    ])
    func `invalid parameters are rejected`(body: String) async throws {
        try await ServedHost.with { host in
            let answer = try await call(host, "PUT", "/retention", json: body)
            #expect(answer.status == 400)
        }
    }

    @Test func `a mistyped member neither erases data nor removes a limit`() async throws {
        try await ServedHost.with { host in
            await host.gauge(1)
            for query in ["form=-2m", "from=0&from=1", "From=0"] {
                let answer = try await call(host, "DELETE", "/sensors/gauge/samples?\(query)")
                #expect(answer.status == 400, "\(query)")
            }
            #expect(await host.machine.samples.newest(of: "gauge") != nil)
            let rule = try await call(host, "PUT", "/retention/gauge", json: #"{"raws":"1h"}"#)
            #expect(rule.status == 400)
        }
    }

    @Test(arguments: [
        ("GET", "/retention"), ("PUT", "/retention"), ("PUT", "/retention/gauge"),
        ("DELETE", "/retention/gauge"), ("DELETE", "/sensors/gauge/samples"),
        ("DELETE", "/apps/my-app/data"),
    ])
    func `only the owner has access`(method: String, target: String) async throws {
        try await ServedHost.with { host in
            await host.gauge(1)
            let token = try await host.client(allow: ["sensor:gauge"])
            let answer = try await call(host, method, target, json: "{}", token: token)
            #expect(answer.status == 403)
            #expect(try answer.json()["code"]?.string == "owner-only")
            #expect(await host.machine.samples.newest(of: "gauge") != nil)
        }
    }

    @Test func `forgetting discards uploads, and lists derived samples and imported routes`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.makeWalk()
            try await host.walk("start")
            for metres in [0.0, 50, 100] { try await host.go(to: metres) }
            try await host.walk("finish")
            let sent = try await host.sessions(
                "POST", "/walk/send", json: #"{"to": "https://trips.example/down"}"#)
            #expect(try sent.json()["kept"] != nil)
            let gpx = """
                <gpx version="1.1"><trk><name>Old</name><trkseg>
                <trkpt lat="47" lon="8"><time>2026-03-01T12:00:00Z</time></trkpt>
                <trkpt lat="47.01" lon="8"><time>2026-03-01T12:10:00Z</time></trkpt>
                </trkseg></trk></gpx>
                """
            let imported = try await host.send(
                Call(
                    "POST", "/api/v1/workouts", token: host.owner,
                    headers: [("Content-Type", "application/gpx+xml")], body: Array(gpx.utf8)))
            let id = try #require(try imported.json()["items"]?.array?.first?["id"]?.string)
            func forget(_ query: String) async throws -> JSONValue {
                try await host.send(
                    Call(
                        "DELETE", "/api/v1/sensors/location/samples" + query, token: host.owner)
                ).json()
            }
            let nothing = try await forget("?from=0&to=1")
            #expect(nothing["uploads"]?.number?.int64 == 0)
            #expect(nothing["kept"]?.array?.map(\.string) == ["access-log"])
            let all = try await forget("")
            #expect(all["samples"]?.number?.int64 == 3)
            #expect(all["uploads"]?.number?.int64 == 1)
            #expect(all["kept"]?.array?.map(\.string) == ["access-log", "session:\(id)"])
            #expect(await host.outbox.queued.isEmpty)
            let before = try await forget("?from=0&to=1&derived=true")
            #expect(before["sessions"]?.array?.isEmpty == true)
            let more = try await forget("?derived=true")
            #expect(more["derived"]?.array?.isEmpty == true)
            #expect(more["sessions"]?.array?.map(\.string) == [id])
            #expect(more["kept"]?.array?.map(\.string) == ["access-log"])
            let gone = try await host.send(
                Call("GET", "/api/v1/sessions/\(id)", token: host.owner))
            #expect(gone.status == 404)
        }
    }

    @Test func `forgetting lists derived samples that lie in the future`() async throws {
        try await ServedHost.with(derivers: [CopyDeriver()]) { host in
            // The samples of an earlier sensor of this name.
            try await host.declareSensor("copy", numbers: "x")
            let later = host.clock.now.advanced(by: .seconds(86_400))
            try await host.feedSensor(#"{"t": \#(later.milliseconds), "x": 3}"#, to: "copy")
            let removal = Call("DELETE", "/api/v1/sensors/copy", token: host.owner)
            #expect(try await host.send(removal).status == 204)
            try await host.declareSensor("beats", numbers: "x")
            try await host.machine.lookForSensors()
            #expect(await host.machine.derived(from: "beats") == ["copy"])
            let status = try #require(await host.machine.status(of: "copy"))
            #expect(status.newest == nil && status.future == later)
            let answer = try await host.send(
                Call("DELETE", "/api/v1/sensors/beats/samples", token: host.owner))
            let kept = try answer.json()["kept"]?.array?.map(\.string)
            #expect(kept == ["access-log", "sensor:copy"])
        }
    }

    @Test func `forgetting releases the keys of the owner's batches, and keeps those of clients`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.declareSteps()
            let app = try await host.client(allow: ["sensor:steps:write"])
            func isRepeated(_ token: String) async throws -> Bool {
                let answer = try await host.publish(
                    #"{"count":5,"mood":"up"}"#, token: token, key: "a")
                #expect(answer.status == 201)
                return answer["nervous-repeated"] == "true"
            }
            for token in [host.owner, app] {
                #expect(try await !isRepeated(token))
                #expect(try await isRepeated(token))
            }
            _ = try await host.send(
                Call("DELETE", "/api/v1/sensors/steps/samples", token: host.owner))
            #expect(try await !isRepeated(host.owner))
            #expect(try await isRepeated(app))
        }
    }

    @Test func `forgetting returns a receipt, and is logged without values`() async throws {
        try await ServedHost.with { host in
            for level in 1...4 {
                await host.gauge(
                    Double(level), at: Timestamp(microseconds: Int64(level) * 1_000_000))
            }
            let answer = try await call(
                host, "DELETE", "/sensors/gauge/samples?from=2000&to=4000")
            let receipt = try answer.json()
            #expect(receipt["samples"]?.number?.double == 2)
            #expect(receipt["erased"]?.bool == true)
            #expect(receipt["from"]?.number?.double == 2000)
            let rest = try await call(host, "GET", "/sensors/gauge/samples").json()
            #expect(rest["items"]?.array?.compactMap { $0["t"]?.number?.double } == [1000, 4000])
            let log = try await call(host, "GET", "/access-log?kind=forgotten").json()
            let line = log["items"]?.array?.first
            #expect(line?["privilege"]?.string == "sensor:gauge")
            #expect(
                line?["detail"]?.string?.hasPrefix("2 samples and 0 summaries from 1970") == true)
        }
    }

    @Test func `a stream reports a gap where unread samples were forgotten`() async throws {
        try await ServedHost.with { host in
            for level in 1...3 { await host.gauge(Double(level)) }
            _ = try await call(host, "DELETE", "/sensors/gauge/samples")
            try await host.stream(after: "1") { events in
                await host.gauge(4)
                await events.read { !$0.ids.isEmpty }
                #expect(
                    events.text.contains(
                        #"event: gap\#ndata: {"after":1,"reason":"gone","through":3}"#))
                #expect(events.text.ranges(of: "event: gap").count == 1)
                #expect(events.ids == [4])
            }
            try await host.stream(after: "3") { events in
                await events.read { !$0.ids.isEmpty }
                #expect(!events.text.contains("event: gap"))
            }
        }
    }

    @Test func `a forgotten app asks for its privileges again`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            let run = try await host.supervisor.prepare(app: "my-app")
            let answer = try await call(host, "DELETE", "/apps/my-app/data")
            #expect(try answer.json()["decisions"]?.number?.double == 1)
            #expect(try answer.json()["runs"]?.number?.double == 1)
            #expect(await host.authority.permissions.records(of: "my-app").isEmpty)
            #expect(try await call(host, "GET", "/runs/\(run.id)").status == 404)
            #expect(try await call(host, "GET", "/apps/my-app").status == 200)
            // It can be granted privileges and run as before.
            try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
            _ = try await host.supervisor.prepare(app: "my-app")
        }
    }
}

/// Derives `copy` from `beats`, once that exists.
private struct CopyDeriver: SensorDeriver {
    private struct Copy: SampleDeriver {
        let inputs: [Field]

        mutating func resume(after last: Sample) {}

        mutating func take(_ sample: Sample) -> Sample? { sample }
    }

    func discover(among sensors: [DiscoveredSensor]) -> [DiscoveredSensor] {
        guard let beats = sensors.first(where: { $0.sensor.id == "beats" }) else { return [] }
        let fields = beats.sensor.fields
        let copy = Sensor(id: "copy", title: "Copy", fields: fields, source: "the test")
        return [DiscoveredSensor(copy, .derived(from: "beats", Copy(inputs: fields)))]
    }
}
