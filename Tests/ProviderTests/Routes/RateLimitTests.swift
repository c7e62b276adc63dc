import Auth
import Ingest
import Samples
import TestSupport
import Testing
import Text
import VM

@testable import Provider

/// Every query and every form returns the same samples under a rate limit.
@Suite(.timeLimit(.minutes(10)))
struct RateLimitTests {
    private static let sensors = ["accelerometer", "virtual.pace"]
    private static let fields = ["x", "y", "z"].map { Field($0, unit: "1") }

    /// Samples a second or less apart from 1000 s on, and a virtual sensor of them.
    private static func fill(_ host: ServedHost, _ random: inout SplitMix) async throws {
        try await host.declareSensor("accelerometer", numbers: "x", "y", "z")
        var time = 1_000_000
        let rows = (0..<300).map { number in
            time += [0, 1, 20, 400, 1000].randomElement(using: &random) ?? 0
            return "\(time),\(number),0,0\n"
        }.joined()
        let published = try await host.publish(
            "t,x,y,z\n" + rows, as: "text/csv", to: "accelerometer")
        #expect(published.status == 201, "\(published.text)")
        let defined = try await host.send(
            Call(
                "PUT", "/api/v1/sensors/virtual.pace", token: host.owner,
                json: """
                    {"title": "Pace", "inputs": ["accelerometer.x"], "window": "1s",
                     "outputs": [{"name": "x", "by": "mean"}, {"name": "y", "by": "max"},
                                 {"name": "z", "by": "min"}]}
                    """))
        #expect(defined.status == 201, "\(defined.text)")
    }

    /// The times of the samples in an answer of any form, in microseconds.
    private static func times(_ answer: Answer, _ form: SampleFormat) throws -> Set<Int64> {
        guard answer.status == 200 else { return [] }
        if form == .json {
            let items = try answer.json()["items"]?.array ?? []
            return Set(items.compactMap { ($0["t"]?.number?.double).map { Int64($0 * 1000) } })
        }
        var parser = SampleParser(form, fields: fields, now: .now())
        try answer.body.withUnsafeBytes { try parser.read($0) }
        // It throws for a body without samples.
        return Set(((try? parser.finish())?.times ?? []).map(\.microseconds))
    }

    /// A query that a client may make up.
    private static func query(_ random: inout SplitMix) -> [String] {
        func time() -> Int { 1_000_000 + Int.random(in: -2000...120_000, using: &random) }
        var query = ["limit=\([1, 2, 7, 10_000, 20_000].randomElement(using: &random) ?? 1)"]
        if Bool.random(using: &random) { query.append("from=\(time())") }
        if Int.random(in: 0..<4, using: &random) == 0 { query.append("to=\(time())") }
        if Bool.random(using: &random) { query.append("order=desc") }
        if Bool.random(using: &random) {
            let sequence = [-1, 0, Int.random(in: 1...300, using: &random), .max]
            let times = [.min, 0, time() * 1000, time() * 1000, .max]
            let cursor =
                "\(times.randomElement(using: &random) ?? 0)_"
                + "\(sequence.randomElement(using: &random) ?? 0)"
            query.append("cursor=\(cursor)")
        }
        return query
    }

    @Test(arguments: sensors)
    func `every query in every form returns a subset of one plain query`(
        sensor: String
    ) async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await ServedHost.with { host in
            var random = SplitMix(state: seed)
            try await Self.fill(host, &random)
            let token = try await host.client()
            try await host.decide(
                .allow(Terms(access: .raw, maximumRate: 0.1)), "sensor:\(sensor)", by: "curl")
            func get(_ query: [String], _ form: SampleFormat) async throws -> Answer {
                let path = "/api/v1/sensors/\(sensor)/samples?" + query.joined(separator: "&")
                return try await host.send(
                    Call("GET", path, token: token, headers: [("Accept", form.rawValue)]))
            }
            let plain = try Self.times(try await get(["limit=10000"], .json), .json)
            #expect((2...30).contains(plain.count), "seed \(seed)")
            for form in [SampleFormat.json, .ndjson, .csv, .columns] {
                var seen: Set<Int64> = []
                for _ in 0..<25 {
                    let query = Self.query(&random)
                    let found = try Self.times(try await get(query, form), form)
                    seen.formUnion(found)
                    #expect(found.isSubset(of: plain), "seed \(seed): \(query), \(form)")
                }
                #expect(!seen.isEmpty, "seed \(seed): \(form)")
            }
            let latest = try await host.send(
                Call("GET", "/api/v1/sensors/\(sensor)/latest", token: token))
            let newest = try #require(try latest.json()["t"]?.number?.double)
            #expect(plain.contains(Int64(newest * 1000)))
        }
    }

    @Test func `a rate limit also applies to streams and to routes for published apps`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        try await ServedHost.with { host in
            var random = SplitMix(state: seed)
            try await Self.fill(host, &random)
            let token = try await host.client()
            try await host.decide(
                .allow(Terms(access: .raw, maximumRate: 0.1)), "sensor:accelerometer", by: "curl")
            let plain = try Self.times(
                try await host.send(
                    Call(
                        "GET", "/api/v1/sensors/accelerometer/samples?limit=10000", token: token)),
                .json)
            for _ in 0..<25 {
                let start = 1_000_000 + Int.random(in: -2000...120_000, using: &random)
                let end = start + Int.random(in: 0...30_000, using: &random)
                let answer = try await host.send(
                    Call(
                        "GET",
                        "/nervousnet-api/historic-sensor-data?axon=Accelerometer"
                            + "&start=\(start)&end=\(end)", token: token))
                let found = (try answer.json().array ?? []).compactMap {
                    $0["timestamp"]?.number?.double
                }
                #expect(
                    Set(found.map { Int64($0 * 1000) }).isSubset(of: plain),
                    "seed \(seed): \(start) to \(end)")
            }
            let last = await host.machine.samples.lastSequence
            for number in 0..<5 {
                let place = Int64.random(in: 0..<last, using: &random)
                // A sample in a slot of its own, so that each stream shows it last.
                let mark = 2_000_000_000 + number * 100_000
                try await host.feedSensor(
                    #"{"t": \#(mark), "x": 1, "y": 1, "z": 1}"#, to: "accelerometer")
                try await host.stream(of: "accelerometer", after: "\(place)", token: token) {
                    events in
                    await events.read { $0.text.contains("\(mark)") }
                    let found = events.text.matches(of: /data: \{"t":(\d+)/)
                        .compactMap { Int64($0.1) }.filter { $0 < 2_000_000_000 }
                    #expect(
                        Set(found.map { $0 * 1000 }).isSubset(of: plain),
                        "seed \(seed): after \(place)")
                }
            }
        }
    }
}
