import Auth
import NIOCore
import Samples
import Testing
import Text
import VM

@Suite(.timeLimit(.minutes(10)))
struct AnalysisRouteTests {
    private static func analyze(
        _ host: ServedHost, _ json: String, token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call("POST", "/api/v1/analyze", token: token ?? host.owner, json: json))
    }

    private static func body(
        _ analysis: String, _ inputs: String = #""gauge.level""#, _ rest: String = ""
    ) -> String {
        #"{"analysis": "\#(analysis)", "inputs": [\#(inputs)]\#(rest)}"#
    }

    private static func fill(_ host: ServedHost, _ levels: [Double]) async {
        for (number, level) in levels.enumerated() {
            await host.gauge(level, at: Timestamp(microseconds: Int64(number) * 1_000_000))
        }
    }

    @Test func `a response contains its inputs with their units`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, [1, 3, 5, 7])
            let json = try await Self.analyze(host, Self.body("trend")).json()
            #expect(json["analysis"]?.string == "trend")
            #expect(json["count"]?.number?.int64 == 4)
            let input = try #require(json["inputs"]?.array?.first)
            #expect(input["input"]?.string == "gauge.level")
            #expect(input["unit"]?.string == "%")
            #expect(json["result"]?["slope"]?.number?.double == 2)
            #expect(json["result"]?["origin"]?.number?.double == 0)
        }
    }

    @Test func `range, conditions, windows and parameters are applied`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, [9, 1, 3, 5, 7, 100])
            let largest = try await Self.analyze(
                host,
                Self.body(
                    "largest", #""gauge.level""#,
                    """
                    , "from": 1000, "to": "1970-01-01T00:00:05Z", "where": ["level<7"],
                     "parameters": {"k": 1}
                    """)
            ).json()
            #expect(largest["count"]?.number?.int64 == 3)
            let items = largest["result"]?["items"]?.array ?? []
            #expect(items.compactMap { $0["value"]?.number?.double } == [5])
            #expect(items.compactMap { $0["t"]?.number?.double } == [3000])
            let windows = try await Self.analyze(
                host, Self.body("rate", #""gauge.level""#, #", "every": "2s", "to": 4000"#)
            ).json()
            let rates = windows["result"]?["items"]?.array ?? []
            #expect(rates.compactMap { $0["value"]?.number?.double } == [-0.5])
        }
    }

    @Test func `samples of several sensors are joined`() async throws {
        try await ServedHost.with { host async throws in
            for number in 0..<6 {
                let time = Timestamp(microseconds: Int64(number) * 1_000_000)
                await host.gauge(Double(number), at: time)
                await host.collect(
                    "network.eth0", [.number(-Double(number))],
                    at: time.advanced(byMicroseconds: 1000))
            }
            let inputs = #""gauge.level", "network.eth0.rate""#
            let join = #", "join": {"method": "nearest", "within": "1ms"}"#
            let json = try await Self.analyze(host, Self.body("correlation", inputs, join)).json()
            #expect(json["count"]?.number?.int64 == 6)
            let pair = try #require(json["result"]?["pairs"]?.array?.first)
            #expect(pair["y"]?.string == "network.eth0.rate")
            #expect(abs((pair["pearson"]?.number?.double ?? 0) + 1) < 1e-12)
            let alone = try await Self.analyze(host, Self.body("correlation", inputs))
            #expect(alone.status == 422)
            #expect(alone.code == "invalid-analysis")
            #expect(try alone.json()["fix"]?.string?.contains("every") == true)
        }
    }

    @Test func `empty and undefined results are null`() async throws {
        try await ServedHost.with { host async throws in
            let empty = try await Self.analyze(host, Self.body("histogram")).json()
            #expect(empty["count"]?.number?.int64 == 0)
            #expect(empty["result"]?.isNull == true)
            await Self.fill(host, [4, 4])
            let constant = try await Self.analyze(
                host, Self.body("correlation", #""gauge.level", "gauge.total""#)
            ).json()
            let pair = try #require(constant["result"]?["pairs"]?.array?.first)
            #expect(pair["pearson"]?.isNull == true)
            #expect(pair["covariance"]?.number?.double == 0)
        }
    }

    @Test(
        arguments: [
            (#"{"inputs": ["gauge.level"]}"#, 400, "invalid-body"),
            (#"{"analysis": "trend"}"#, 400, "invalid-body"),
            (#"{"analysis": "trend", "inputs": "gauge.level"}"#, 400, "invalid-body"),
            (body("trend", #""gauge.level""#, #", "evry": "1s""#), 400, "invalid-body"),
            (
                body("trend", #""gauge.level""#, #", "parameters": {"k": null}"#), 400,
                "invalid-body"
            ),
            (body("trend", #""gauge.level""#, #", "parameters": {"k": NaN}"#), 400, "invalid-body"),
            (
                body("largest", #""gauge.level""#, #", "parameters": {"k": 1e400}"#), 400,
                "invalid-body"
            ),
            (body("trend", #"1"#), 400, "invalid-body"),
            (
                body("correlation", (0..<9).map { #""gauge.f\#($0)""# }.joined(separator: ",")),
                400,
                "invalid-body"
            ),
            (body("trend", #""gauge.level""#, #", "from": "x""#), 400, "invalid-parameter"),
            (body("trend", #""gauge.level""#, #", "to": true"#), 400, "invalid-parameter"),
            (body("trend", #""gauge.level""#, #", "to": 1e300"#), 400, "invalid-parameter"),
            (body("trend", #""gauge.level""#, #", "every": "0s""#), 400, "invalid-parameter"),
            (
                body("trend", #""gauge.level""#, #", "join": {"method": "x", "within": "1s"}"#),
                400,
                "invalid-parameter"
            ),
            (body("kmeans"), 422, "unknown-analysis"), (body("k-means"), 422, "invalid-analysis"),
            (
                body("largest", #""gauge.level""#, #", "parameters": {"k": "1"}"#), 422,
                "invalid-analysis"
            ),
            (body("spectrum"), 422, "invalid-analysis"),
            (body("trend", ""), 422, "invalid-analysis"),
            (body("trend", #""gauge""#), 422, "invalid-analysis"),
            (body("trend", #""gauge.none""#), 422, "unknown-field"),
            (body("trend", #""gauge.state""#), 422, "not-numeric"),
            (body("trend", #""gauge.level""#, #", "where": ["x"]"#), 422, "invalid-condition"),
            (
                body("trend", #""gauge.level""#, #", "where": ["quiet.rate>1"]"#), 422,
                "invalid-analysis"
            ),
            (body("trend", #""none.level""#), 404, "unknown-sensor"),
            (body("trend", #""battery.charge""#), 503, "sensor-unavailable"),
        ])
    func `invalid and impossible requests are rejected`(
        json: String, status: Int, code: String
    ) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.analyze(host, json)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.code == code, "\(answer.text)")
        }
    }

    @Test func `too many samples are rejected with a hint`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, [1, 2])
            let answer = try await Self.analyze(
                host, Self.body("resample", #""gauge.level""#, #", "every": "1us""#))
            #expect(answer.status == 422)
            #expect(answer.code == "too-many-rows")
            #expect(try answer.json()["fix"]?.string?.contains("every") == true)
        }
    }

    @Test func `each sensor needs its permission`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, [1, 2, 3])
            let token = try await host.client(allow: ["sensor:gauge"])
            let both = Self.body(
                "correlation", #""gauge.level", "network.eth0.rate""#, #", "every": "1s""#)
            let refused = try await Self.analyze(host, both, token: token)
            #expect(refused.status == 403)
            #expect(refused.code == "undecided")
            #expect(try refused.json()["privilege"]?.string?.contains("network.eth0") == true)
            #expect(try await Self.analyze(host, Self.body("trend"), token: token).status == 200)
            try await host.decide(.deny, "sensor:gauge", by: "curl")
            let denied = try await Self.analyze(host, Self.body("trend"), token: token)
            #expect(denied.status == 403)
            #expect(denied.code == "denied")
        }
    }

    @Test func `an analysis is cancelled when its client disconnects`() async throws {
        try await ServedHost.with { host async throws in
            let times = (0..<100_000).map { Timestamp(microseconds: Int64($0)) }
            let batch = SampleBatch(
                times: times,
                columns: [
                    .integers((0..<100_000).map { $0 * $0 % 9973 }),
                    .texts(Array(repeating: "", count: times.count)),
                ])
            try await host.declareSteps()
            try await host.machine.publish(batch, to: "steps")
            let long = Call(
                "POST", "/api/v1/analyze", token: host.owner,
                json: Self.body("k-means", #""steps.count""#, #", "parameters": {"k": 50}"#))
            try await TCPConnection.with(port: host.port) { _, writer in
                let bytes = long.bytes(standardHost: "localhost:\(host.port)")
                try await writer.write(ByteBuffer(bytes: bytes))
                // Earlier analyses have begun when these are answered.
                for _ in 0..<20 {
                    #expect(try await host.send(Call("GET", "/health")).status == 200)
                }
            }
            // Analyses are computed one after the other, so these take longer than the first would
            // have; the log would contain it before the last of them.
            for _ in 0..<3 {
                #expect(
                    try await Self.analyze(host, Self.body("trend", #""steps.count""#)).status
                        == 200)
            }
            let lines = try await host.authority.log.entries(AccessLogQuery(kind: .access))
            #expect(lines.filter { $0.operation == "analyze" }.map(\.count) == [300_000])
        }
    }

    @Test func `errors in the body are not reported to unknown clients`() async throws {
        try await ServedHost.with { host async throws in
            let none = try await host.send(Call("POST", "/api/v1/analyze", json: "{"))
            #expect(none.status == 401)
            let wrong = try await Self.analyze(host, Self.body("none"), token: "nvs_x")
            #expect(wrong.status == 401)
        }
    }

    @Test func `a statistics-only grant reveals no sample, whichever analysis it is`() async throws
    {
        try await ServedHost.with { host async throws in
            let token = try await host.client()
            try await host.decide(.statisticsOnly, "sensor:gauge", by: "curl")
            await Self.fill(host, [1, 2, 3, 4, 5, 6, 7])
            for analysis in ["largest", "smallest", "rate", "downsample", "anomalies"] {
                let answer = try await Self.analyze(host, Self.body(analysis), token: token)
                #expect(answer.status == 403, "\(analysis)")
                #expect(answer.code == "statistics-only", "\(analysis)")
            }
            for rest in [
                #""resample", "every": "1s""#, #""dbscan", "parameters": {"epsilon": 1}"#,
            ] {
                let json = #"{"inputs": ["gauge.level"], "analysis": \#(rest)}"#
                #expect(try await Self.analyze(host, json, token: token).status == 403)
            }
            let whole = try await Self.analyze(host, Self.body("trend"), token: token).json()
            #expect(whole["count"]?.number?.int64 == 7)
            #expect(whole["result"]?["origin"]?.isNull == true)
            let few = Self.body("trend", #""gauge.level""#, #", "where": ["level<5"]"#)
            #expect(try await Self.analyze(host, few, token: token).status == 403)
            let bins = Self.body("histogram", #""gauge.level""#, #", "parameters": {"bins": 7}"#)
            let counts = try await Self.analyze(host, bins, token: token).json()["result"]?["bins"]
            #expect(counts?.array?.count == 7)
            #expect(counts?.array?.allSatisfy { $0["count"]?.isNull == true } == true)
        }
    }
}
