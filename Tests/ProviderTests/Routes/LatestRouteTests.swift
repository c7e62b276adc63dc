import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct LatestRouteTests {
    private static func get(
        _ host: ServedHost, _ path: String, token: String? = nil
    ) async throws -> JSONValue {
        let call = Call("GET", "/api/v1/sensors" + path, token: token ?? host.owner)
        return try await host.send(call).json()
    }

    @Test func `the newest sample has its age and whether it is stale`() async throws {
        try await ServedHost.with { host in
            await host.gauge(1)
            for (age, isStale) in [(0.0, false), (3000.0, false), (11_000.0, true)] {
                host.clock.advance(.milliseconds(Int64(age)))
                let latest = try await Self.get(host, "/gauge/latest")
                #expect(latest["stale"]?.bool == isStale)
                let sensor = try await Self.get(host, "/gauge")
                #expect(sensor["age"]?.number?.double == latest["age"]?.number?.double)
                #expect(sensor["stale"]?.bool == isStale)
            }
            let last = try await Self.get(host, "/gauge/latest")
            #expect(last["age"]?.number?.double == 14_000)
        }
    }

    @Test func `fields named age or stale are kept, and an unknown interval gives no staleness`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.declareSensor(
                "wine", fields: [("age", "number"), ("stale", "state"), ("x", "number")])
            try await host.feedSensor(#"{"age": 7, "stale": "no", "x": 1}"#, to: "wine")
            let latest = try await Self.get(host, "/wine/latest")
            #expect(latest["age"]?.number?.double == 7)
            #expect(latest["stale"]?.string == "no")
            try await host.declareSensor("steps", numbers: "count")
            try await host.feedSensor(#"{"count": 1}"#, to: "steps")
            let first = try await Self.get(host, "/steps/latest")
            #expect(first["age"]?.number != nil)
            #expect(first["stale"] == nil)
        }
    }

    @Test func `a client with statistics only gets neither age nor stale`()
        async throws
    {
        try await ServedHost.with { host in
            await host.gauge(1)
            await host.gauge(1, at: host.clock.now.advanced(by: .seconds(86_400)))
            let token = try await host.client()
            try await host.decide(.statisticsOnly, "sensor:gauge", by: "curl")
            let seen = try await Self.get(host, "/gauge", token: token)
            #expect(seen["access"]?.string == "statistics")
            let shown = try await Self.get(host, "/gauge")
            for member in ["newest", "age", "stale", "future"] {
                #expect(seen[member] == nil)
                #expect(shown[member] != nil)
            }
        }
    }

    @Test func `the interval at the level auto is shown to those who may read the samples`()
        async throws
    {
        try await ServedHost.with { host in
            let answer = try await host.send(
                Call(
                    "PUT", "/api/v1/collection/gauge", token: host.owner,
                    json: #"{"level":"auto"}"#))
            #expect(try answer.json()["level"]?.string == "auto")
            let shown = try await Self.get(host, "/gauge")
            #expect(shown["level"]?.string == "auto")
            #expect(shown["interval"]?["shortest"]?.number?.double == 200)
            #expect(shown["interval"]?["longest"]?.number?.double == 10_000)
            let token = try await host.client()
            try await host.decide(.statisticsOnly, "sensor:gauge", by: "curl")
            #expect(try await Self.get(host, "/gauge", token: token)["interval"] == nil)
        }
    }

    @Test func `samples in the future do not hide those of now in lists of published apps`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.declareSensor(
                "beacon",
                fields: [
                    ("uuid", "text"), ("major", "integer"), ("minor", "integer"),
                    ("proximity", "state"), ("accuracy", "number"),
                ])
            func beacon(_ minor: Int, at time: Timestamp) -> String {
                """
                {"t": \(time.milliseconds), "uuid": "u", "major": 1, "minor": \(minor),
                 "proximity": "near", "accuracy": 1}
                """
            }
            let later = host.clock.now.advanced(by: .seconds(86_400))
            let future = (0..<300).map { beacon($0, at: later.advanced(byMicroseconds: Int64($0))) }
            try await host.feedSensor(beacon(999, at: host.clock.now), to: "beacon")
            try await host.feedSensor("[\(future.joined(separator: ","))]", to: "beacon")
            let token = try await host.client(allow: ["sensor:beacon"])
            let answer = try await host.send(
                Call("GET", "/nervousnet-api/raw-sensor-data/Beacon", token: token))
            #expect(try answer.json().array?.compactMap { $0["minor"]?.string } == ["999"])
        }
    }
}
