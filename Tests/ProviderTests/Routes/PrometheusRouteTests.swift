import Auth
import Samples
import Testing
import Text

@testable import Provider

@Suite(.timeLimit(.minutes(10)))
struct PrometheusRouteTests {
    private static func get(
        _ host: ServedHost, _ path: String, token: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await host.send(Call("GET", path, token: token ?? host.owner, headers: headers))
    }

    private static func api(
        _ host: ServedHost, _ path: String, token: String? = nil
    ) async throws -> JSONValue {
        try await get(host, "/prometheus/api/v1/" + path, token: token).json()
    }

    @Test func `the exposition is in the form that the client prefers`() async throws {
        try await ServedHost.with { host in
            await host.gauge(12.5)
            let open = "application/openmetrics-text; version=1.0.0; charset=utf-8"
            let text = "text/plain; version=0.0.4; charset=utf-8"
            for (accept, expected) in [
                (
                    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                        + "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", open
                ),
                ("text/plain", text), ("*/*", text), ("text/html,*/*;q=0.1", text),
                ("text/plain,application/openmetrics-text;q=0.1", text),
            ] {
                let answer = try await Self.get(host, "/metrics", headers: [("Accept", accept)])
                #expect(answer.status == 200)
                #expect(answer["content-type"] == expected, "\(accept)")
                #expect(answer.text.hasSuffix("# EOF\n") == (expected == open))
                #expect(
                    answer.text.contains(
                        #"sensor_gauge_level_percent{sensor="gauge",field="level"} 12.5 "#))
            }
            #expect(
                try await Self.get(host, "/metrics", headers: [("Accept", "image/png")]).status
                    == 406)
            #expect(try await host.send(Call("GET", "/metrics")).status == 401)
        }
    }

    @Test func `a value is omitted when it is stale`() async throws {
        try await ServedHost.with { host in
            await host.gauge(12.5)
            func isShown() async throws -> Bool {
                try await Self.get(host, "/metrics").text.contains("\nsensor_gauge_level_percent{")
            }
            #expect(try await isShown())
            host.clock.advance(.seconds(3600))
            let latest = try await Self.get(host, "/api/v1/sensors/gauge/latest").json()
            #expect(latest["stale"]?.bool == true)
            #expect(try await !isShown())
            // A query shows the past.
            let past = host.clock.now.microseconds / 1_000_000 - 3590
            let found = try await Self.api(
                host, "query?query=sensor_gauge_level_percent&time=\(past)")
            #expect(found["data"]?["result"]?.array?.count == 1)
            let present = try await Self.api(host, "query?query=sensor_gauge_level_percent")
            #expect(present["data"]?["result"]?.array?.isEmpty == true)
        }
    }

    @Test func `only the owner sees the health of the host`() async throws {
        try await ServedHost.with { host in
            await host.gauge(12.5)
            let own = try await Self.get(host, "/metrics").text
            for name in [
                "nervous_info", "nervous_samples_accepted_total", "nervous_store_size_bytes",
                "nervous_sensors", "process_cpu_seconds_total", "process_resident_memory_bytes",
            ] { #expect(own.contains("\n\(name)"), "\(name)") }
            let token = try await host.client("grafana", allow: ["sensor:gauge"])
            let other = try await Self.get(host, "/metrics", token: token).text
            #expect(other.contains("sensor_gauge_level_percent"))
            #expect(!other.contains("nervous") && !other.contains("process"))
            #expect(!other.contains("network"))
        }
    }

    @Test func `a title from outside is escaped`() async throws {
        try await ServedHost.with { host in
            let declared = try await host.send(
                Call(
                    "PUT", "/api/v1/sensors/odd", token: host.owner,
                    json: #"{"title": "a\"} 1\\", "fields": [{"name": "x"}]}"#))
            #expect(declared.status == 201)
            let text = try await Self.get(host, "/metrics").text
            #expect(
                text.contains(#"sensor_info{sensor="odd",kind="odd",title="a\"} 1\\"} 1"# + "\n"))
        }
    }

    @Test func `fields with the same name and another unit have families of their own`()
        async throws
    {
        try await ServedHost.with { host in
            for (sensor, unit) in [("box.a", "Cel"), ("box.b", "1")] {
                let declared = try await host.send(
                    Call(
                        "PUT", "/api/v1/sensors/\(sensor)", token: host.owner,
                        json:
                            #"{"title": "Box", "fields": [{"name": "celsius", "unit": "\#(unit)"}]}"#
                    ))
                #expect(declared.status == 201)
                try await host.feedSensor(#"{"celsius": 1}"#, to: sensor)
            }
            let answer = try await Self.get(
                host, "/metrics", headers: [("Accept", "application/openmetrics-text")])
            let types = answer.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
            #expect(Set(types).count == types.count)
            #expect(types.contains("# TYPE sensor_box_celsius gauge"))
            #expect(types.contains("# TYPE sensor_box_celsius_value gauge"))
        }
    }

    /// The calls that Grafana makes when a data source is tested, explored and shown.
    @Test func `the calls of Grafana are answered`() async throws {
        try await ServedHost.with { host in
            await host.gauge(12.5)
            let sum = try await Self.api(host, "query?query=1%2B1&time=4")
            #expect(sum["data"]?["resultType"]?.string == "scalar")
            #expect(sum["data"]?["result"]?.array?[1].string == "2")
            let names = try await Self.api(
                host, "label/__name__/values?match%5B%5D=%7Bsensor%3D%22gauge%22%7D")
            #expect(
                names["data"]?.array?.compactMap(\.string) == [
                    "sensor_gauge_level_percent", "sensor_gauge_total_bytes",
                ])
            let labels = try await Self.api(host, "labels")
            #expect(labels["data"]?.array?.compactMap(\.string) == ["__name__", "field", "sensor"])
            let series = try await Self.api(host, "series?match%5B%5D=sensor_gauge_level_percent")
            #expect(series["data"]?.array?.first?["sensor"]?.string == "gauge")
            let metadata = try await Self.api(host, "metadata")
            #expect(
                metadata["data"]?["sensor_gauge_level_percent"]?.array?.first?["unit"]?.string
                    == "percent")
            let build = try await Self.api(host, "status/buildinfo")
            #expect(build["data"]?["revision"]?.string == "1.2.3")
            let now = host.clock.now.microseconds / 1_000_000
            let form =
                "query=sensor_gauge_level_percent%7Bsensor%3D~%22ga.%2A%22%7D+%2A+2"
                + "&start=\(now - 60)&end=\(now + 60)&step=60"
            let answer = try await host.send(
                Call(
                    "POST", "/prometheus/api/v1/query_range", token: host.owner,
                    headers: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: Array(form.utf8))
            ).json()
            let values = answer["data"]?["result"]?.array?.first?["values"]?.array
            #expect(values?.last?.array?[1].string == "25")
        }
    }

    @Test(arguments: [
        ("query", "bad_data", "query"), ("query?query=x%20and%20y", "bad_data", "and"),
        ("query?query=x&time=soon", "bad_data", "time"),
        ("query_range?query=x&start=0&end=10&step=0", "bad_data", "step"),
        ("query_range?query=x&start=0&end=1000000&step=1", "bad_data", "10000 steps"),
        ("query_range?query=x&start=10&end=0&step=1", "bad_data", "before start"),
        ("query_range?query=x&start=0&step=1", "bad_data", "end"),
        ("series", "bad_data", "match[]"), ("labels?match%5B%5D=1", "bad_data", "selector"),
        ("labels?limit=-1", "bad_data", "limit"),
    ])
    func `errors are in the form of Prometheus`(
        path: String, type: String, part: String
    ) async throws {
        try await ServedHost.with { host in
            let answer = try await Self.get(host, "/prometheus/api/v1/" + path)
            #expect(answer.status == 400)
            let json = try answer.json()
            #expect(json["status"]?.string == "error")
            #expect(json["errorType"]?.string == type)
            #expect(json["error"]?.string?.contains(part) == true, "\(answer.text)")
        }
    }

    @Test func `sensors that are refused among others are named in a warning`() async throws {
        try await ServedHost.with { host in
            for sensor in ["heat.a", "heat.b"] {
                try await host.declareSensor(sensor, numbers: "x")
                try await host.feedSensor(#"{"x": 1}"#, to: sensor)
            }
            let token = try await host.client(
                "grafana", allow: ["sensor:heat.a", "sensor:heat.b:stats"])
            let json = try await Self.api(host, "query?query=sensor_heat_x", token: token)
            #expect(json["data"]?["result"]?.array?.count == 1)
            #expect(json["warnings"]?.array?.first?.string?.contains("heat.b") == true)
        }
    }
}
