import Auth
import Samples
import Testing
import Text

@testable import Provider

/// Metrics of OpenTelemetry, in the JSON of OTLP/HTTP.
@Suite(.timeLimit(.minutes(10)))
struct MetricsRouteTests {
    private static let nanoseconds = "1698501144401740000"

    /// A body with metrics of one resource.
    private static func body(
        _ metrics: String..., resource: String = ""
    ) -> String {
        #"""
        {"resourceMetrics":[{"resource":{"attributes":[\#(resource)]},
          "scopeMetrics":[{"scope":{"name":"test"},"metrics":[\#(metrics.joined(separator: ","))]}]}]}
        """#
    }

    private static func gauge(
        _ name: String, _ value: String, unit: String = "", attributes: String = "",
        time: String = nanoseconds
    ) -> String {
        #"""
        {"name":"\#(name)","unit":"\#(unit)","gauge":{"dataPoints":[
          {"timeUnixNano":"\#(time)",\#(value),"attributes":[\#(attributes)]}]}}
        """#
    }

    private static func attribute(_ key: String, _ value: String) -> String {
        #"{"key":"\#(key)","value":{"stringValue":"\#(value)"}}"#
    }

    private static func declare(
        _ host: ServedHost, _ sensor: String, _ fields: String
    ) async throws {
        let answer = try await host.send(
            Call(
                "PUT", "/api/v1/sensors/\(sensor)", token: host.owner,
                json: #"{"fields":[\#(fields)]}"#))
        #expect(answer.status == 201)
    }

    private static func push(
        _ host: ServedHost, _ body: String, token: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await host.send(
            Call(
                "POST", "/v1/metrics", token: token ?? host.owner,
                headers: headers + [("Content-Type", "application/json")], body: Array(body.utf8)))
    }

    private static func rejected(_ answer: Answer) throws -> String? {
        try answer.json()["partialSuccess"]?["rejectedDataPoints"]?.string
    }

    @Test func `a gauge is a sample of the sensor that an attribute names`() async throws {
        try await ServedHost.with { host in
            let field = #"{"name":"temperature","unit":"Cel"}"#
            try await Self.declare(host, "room.temperature.attic", field)
            try await Self.declare(host, "room.temperature", field)
            let token = try await host.client("app", allow: ["sensor:room:write"])
            let answer = try await Self.push(
                host,
                Self.body(
                    Self.gauge(
                        "room.temperature", #""asDouble":21.5"#, unit: "Cel",
                        attributes: Self.attribute("place", "Attic")),
                    Self.gauge("room.temperature", #""asInt":"7""#, unit: "Cel")), token: token)
            #expect(answer.status == 200 && answer.text == "{}")
            #expect(try await host.stored("room.temperature.attic") == ["1698501144401.740,21.5"])
            #expect(try await host.stored("room.temperature") == ["1698501144401.740,7.0"])
        }
    }

    @Test func `metrics of one time are a sample of a sensor with several fields`() async throws {
        try await ServedHost.with { host in
            try await Self.declare(
                host, "weather.garden",
                #"{"name":"airTemperature","unit":"Cel"},{"name":"rain","kind":"integer"}"#)
            let body = Self.body(
                Self.gauge("weather.air_temperature", #""asDouble":21.5"#),
                Self.gauge("weather.rain", #""asInt":"9007199254740993""#),
                Self.gauge("weather.rain", #""asInt":"1""#, time: "1698501145000000000"),
                resource: Self.attribute("host.name", "garden"))
            let answer = try await Self.push(host, body)
            #expect(try Self.rejected(answer) == "1")
            #expect(answer.text.contains("a value of the sensor is missing"))
            #expect(
                try await host.stored("weather.garden")
                    == ["1698501144401.740,21.5,9007199254740993"])
            // The same body is stored once.
            _ = try await Self.push(host, body)
            #expect(try await host.stored("weather.garden").count == 1)
        }
    }

    @Test func `cumulative sums are stored as totals, and deltas rejected`() async throws {
        try await ServedHost.with { host in
            try await Self.declare(host, "requests", #"{"name":"total","kind":"integer"}"#)
            func sum(_ value: Int, _ temporality: String, monotonic: Bool = true) -> String {
                #"""
                {"name":"requests","unit":"{request}","sum":{"aggregationTemporality":\#(temporality),
                  "isMonotonic":\#(monotonic),"dataPoints":[{"asInt":"\#(value)",
                  "startTimeUnixNano":"1","timeUnixNano":"\#(value.magnitude)000000000"}]}}
                """#
            }
            let answer = try await Self.push(
                host,
                Self.body(
                    sum(5, "2"), sum(6, #""AGGREGATION_TEMPORALITY_CUMULATIVE""#), sum(7, "1"),
                    sum(-8, "2"), sum(-9, "2", monotonic: false)))
            #expect(try Self.rejected(answer) == "2")
            #expect(answer.text.contains("TEMPORALITY_PREFERENCE=cumulative"))
            #expect(answer.text.contains("a monotonic sum is negative"))
            #expect(try await host.stored("requests") == ["5000,5", "6000,6", "9000,-9"])
        }
    }

    @Test func `histograms are reduced to count, sum, minimum and maximum`() async throws {
        try await ServedHost.with { host in
            try await Self.declare(
                host, "latency",
                #"{"name":"count","kind":"integer"},{"name":"sum","unit":"s"},{"name":"max","unit":"s"}"#
            )
            let point =
                #""dataPoints":[{"timeUnixNano":"1000000000","count":"3","sum":1.5,"min":0.1,"max":1,"bucketCounts":["1","2"],"explicitBounds":[1]}]"#
            let answer = try await Self.push(
                host,
                Self.body(
                    #"{"name":"latency","unit":"s","histogram":{"aggregationTemporality":2,\#(point)}}"#,
                    #"{"name":"latency","unit":"s","histogram":{"aggregationTemporality":1,\#(point)}}"#
                ))
            #expect(try Self.rejected(answer) == "1")
            #expect(try await host.stored("latency") == ["1000,3,1.5,1.0"])
        }
    }

    @Test(arguments: [
        (Self.gauge("heat", #""asDouble":1"#, unit: "K"), "its unit is not Cel, that of heat"),
        (Self.gauge("heat", #""asDouble":"NaN""#), "not finite"),
        (Self.gauge("heat", #""asInt":"x""#), "the value is missing"),
        (Self.gauge("heat", #""asInt":"1""#, time: "x"), "the time is invalid"),
        (Self.gauge("", #""asInt":"1""#), "the metric has no name"),
        (Self.gauge("heat", #""asInt":"1""#, time: "18446744073709551615"), "in the future"),
        (
            Self.gauge("heat", #""asInt":"1""#) + "," + Self.gauge("heat", #""asInt":"2""#),
            "has another value at this time"
        ),
    ])
    func `data points that do not fit are counted, with their reason`(
        metric: String, words: String
    ) async throws {
        try await ServedHost.with { host in
            try await Self.declare(host, "heat", #"{"name":"heat","unit":"Cel"}"#)
            let answer = try await Self.push(host, Self.body(metric))
            #expect(answer.status == 200)
            #expect(try Self.rejected(answer) == "1")
            #expect(answer.text.contains(words), "\(answer.text)")
        }
    }

    @Test func `a point without a recorded value is neither stored nor rejected`() async throws {
        try await ServedHost.with { host in
            try await Self.declare(host, "heat", #"{"name":"heat","unit":"Cel"}"#)
            let answer = try await Self.push(
                host, Self.body(Self.gauge("heat", #""flags":1,"asInt":"1""#)))
            #expect(answer.text == "{}")
            #expect(try await host.stored("heat").isEmpty)
        }
    }

    @Test func `sensors without a write grant are refused and recorded`() async throws {
        try await ServedHost.with { host in
            for sensor in ["a", "b"] {
                try await Self.declare(host, sensor, #"{"name":"x","unit":"1"}"#)
            }
            let token = try await host.client("app", allow: ["sensor:a:write", "sensor:b"])
            let both = Self.body(
                Self.gauge("a", #""asInt":1"#), Self.gauge("b", #""asInt":2"#))
            let partial = try await Self.push(host, both, token: token)
            #expect(partial.status == 200)
            #expect(try Self.rejected(partial) == "1")
            #expect(try await host.stored("a").count == 1)
            #expect(try await host.stored("b").isEmpty)
            let none = try await Self.push(
                host, Self.body(Self.gauge("b", #""asInt":2"#)), token: token)
            #expect(none.status == 403)
            #expect(
                try await host.accessLines(of: "app").contains(
                    AccessLine(kind: .refusal, sensor: "b", access: .write, operation: "push")))
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `metrics end with the grant`(revocation: GrantRevocation) async throws {
        try await ServedHost.with { host in
            try await Self.declare(host, "temperature", #"{"name":"x","unit":"1"}"#)
            let token = try await host.client("app", allow: ["sensor:temperature:write"])
            func push(_ time: Int) async throws -> Int {
                try await Self.push(
                    host,
                    Self.body(
                        Self.gauge("temperature", #""asInt":1"#, time: "\(time)000000000")),
                    token: token
                ).status
            }
            #expect(try await push(1) == 200)
            switch revocation {
            case .tokenRevoked: try await host.authority.revokeClient("app")
            case .denied, .narrowed:
                try await host.decide(.deny, "sensor:temperature:write", by: "app")
            case .expired:
                let end = host.clock.now.advanced(byMicroseconds: 1_000_000)
                try await host.decide(
                    .allow(Terms(access: .write, expires: end)), "sensor:temperature:write",
                    by: "app")
                host.clock.advance(.seconds(2))
            }
            #expect(try await push(2) == (revocation == .tokenRevoked ? 401 : 403))
            #expect(try await host.stored("temperature").count == 1)
        }
    }

    @Test func `only JSON is accepted, also compressed`() async throws {
        try await ServedHost.with { host in
            try await Self.declare(host, "heat", #"{"name":"heat"}"#)
            let protobuf = try await host.send(
                Call(
                    "POST", "/v1/metrics", token: host.owner,
                    headers: [("Content-Type", "application/x-protobuf")], body: [1]))
            #expect(protobuf.status == 415)
            #expect(protobuf.text.contains("OTEL_EXPORTER_OTLP_PROTOCOL=http/json"))
            for text in ["[]", "{", #"{"resourceMetrics":1}"#, #"{"resourceMetrics":[1]}"#] {
                #expect(try await Self.push(host, text).status == 400, "\(text)")
            }
            let packed = try await gzipped(Array(Self.body(Self.gauge("heat", #""asInt":1"#)).utf8))
            let answer = try await host.send(
                Call(
                    "POST", "/v1/metrics", token: host.owner,
                    headers: [
                        ("Content-Type", "application/json"), ("Content-Encoding", "gzip"),
                    ], body: packed))
            #expect(answer.status == 200 && answer.text == "{}")
            #expect(try await host.stored("heat").count == 1)
        }
    }
}
