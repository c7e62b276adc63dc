import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct StatisticsRouteTests {
    private static func stats(
        _ host: ServedHost, _ query: String, token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call("GET", "/api/v1/sensors/gauge/stats?\(query)", token: token ?? host.owner))
    }

    private static func fill(_ host: ServedHost, _ count: Int) async {
        for number in 0..<count {
            await host.gauge(
                Double(number), at: Timestamp(microseconds: Int64(number) * 10_000_000))
        }
    }

    @Test func `by default every numeric field has the usual statistics`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, 4)
            let json = try await Self.stats(host, "").json()
            #expect(
                json["fn"]?.array?.compactMap(\.string) == [
                    "count", "mean", "stddev", "min", "max",
                ])
            #expect(json["fields"]?.array?.compactMap { $0["name"]?.string } == ["level", "total"])
            let window = try #require(json["items"]?.array?.first)
            #expect(window["count"]?.number?.int64 == 4)
            #expect(window["from"] == nil)
            #expect(window["values"]?["level"]?["mean"]?.number?.double == 1.5)
            #expect(window["values"]?["total"]?["max"]?.number?.double == 0)
        }
    }

    @Test func `windows are adjacent and contain every sample`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, 7)
            let json = try await Self.stats(host, "every=30s&fn=sum,count&from=0&to=70000").json()
            let items = json["items"]?.array ?? []
            #expect(items.compactMap { $0["from"]?.number?.double } == [0, 30_000, 60_000])
            #expect(items.compactMap { $0["to"]?.number?.double } == [30_000, 60_000, 70_000])
            #expect(items.compactMap { $0["count"]?.number?.int64 } == [3, 3, 1])
            let sums = items.compactMap { $0["values"]?["level"]?["sum"]?.number?.double }
            #expect(sums == [3, 12, 6])
        }
    }

    @Test func `windows are days of a time zone if one is given`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, 2)
            // Clocks in Zurich changed on 2024-03-31.
            let range = "from=2024-03-30T23:00:00Z&to=2024-04-02T22:00:00Z"
            func starts(_ query: String) async throws -> [Double] {
                let items = try await Self.stats(host, "\(range)&\(query)").json()["items"]?.array
                return (items ?? []).compactMap {
                    ($0["from"]?.number?.double).map { $0 / 3_600_000 }
                }
            }
            let first = try #require(try await starts("every=1d").first)
            #expect(
                try await starts("every=1d&zone=Europe/Zurich").map { $0 - first } == [0, 23, 47])
            #expect(try await starts("every=1d").map { $0 - first } == [0, 24, 48])
            #expect(try await starts("every=1mo").map { $0 - first } == [0, 25])
            for query in ["every=1h&zone=UTC", "zone=UTC", "every=1d&zone=Nowhere", "every=1y"] {
                let answer = try await Self.stats(host, query)
                #expect(answer.status == 400, "\(query)")
                #expect(answer.code == "invalid-parameter")
            }
        }
    }

    @Test func `the size of a response is bounded`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, 2)
            let many = (0..<33).map { "p\($0)" }.joined(separator: ",")
            for names in [many, "p1,p1.0", "median,p50"] {
                #expect(try await Self.stats(host, "fn=\(names)").status == 400, "\(names)")
            }
            let some = (0..<32).map { "p\($0)" }.joined(separator: ",")
            #expect(try await Self.stats(host, "fn=\(some)").status == 200)
        }
    }

    @Test func `the time of the newest sample is shown only with access to every sample`()
        async throws
    {
        try await ServedHost.with { host async throws in
            await Self.fill(host, 2)
            func newest(_ token: String) async throws -> Double? {
                let call = Call("GET", "/api/v1/sensors/gauge", token: token)
                return try await host.send(call).json()["newest"]?.number?.double
            }
            #expect(try await newest(host.owner) == 10_000)
            #expect(
                try await newest(try await host.client("whole", allow: ["sensor:gauge"])) == 10_000)
            let shielded = try await host.client("some", allow: ["sensor:gauge:stats"])
            #expect(try await newest(shielded) == nil)
        }
    }

    @Test func `each window has its coverage`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host, 6)
            for number in 20..<30 {
                await host.gauge(1, at: Timestamp(microseconds: Int64(number) * 10_000_000))
            }
            let whole = try await Self.stats(host, "from=0&to=300000").json()["items"]?.array?.first
            #expect(whole?["seen"]?.number?.double == 190_000)
            #expect(whole?["coverage"]?.number?.double == 190.0 / 300)
            let items = try await Self.stats(host, "every=100s&from=0&to=300000").json()["items"]
            #expect(
                items?.array?.compactMap { $0["seen"]?.number?.double } == [90_000, 0, 100_000])
            let none = try await Self.stats(host, "from=0&to=1").json()["items"]?.array?.first
            #expect(none?["count"]?.number?.int64 == 1 && none?["coverage"] == nil)
        }
    }

    @Test func `undefined values are null`() async throws {
        try await ServedHost.with { host async throws in
            let fn = "count,sum,mean,stddev,min,max,range,rms,first,last,median,p99.9"
            let json = try await Self.stats(host, "fn=\(fn)").json()
            let values = try #require(json["items"]?.array?.first?["values"]?["level"]?.object)
            #expect(values.count == 12)
            for member in values where !["count", "sum"].contains(member.key) {
                #expect(member.value.isNull, "\(member.key)")
            }
        }
    }

    @Test(arguments: [
        ("fn", "x", 422), ("fn", "", 400), ("fn", "mean,mean", 400), ("fn", "p101", 422),
        ("fn", "p-1", 422), ("fn", "pnan", 422), ("every", "x", 400), ("every", "0s", 400),
        ("every", "-1m", 400), ("every", "", 400), ("from", "x", 400), ("where", "x", 422),
    ])
    func `an invalid parameter is reported`(
        name: String, value: String, status: Int
    ) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.stats(host, "\(name)=\(value)")
            #expect(answer.status == status)
            #expect(try answer.json()["detail"]?.string?.hasPrefix("\(name): ") == true)
        }
    }

    @Test(arguments: [
        "every=1us&from=0&to=1e12", "every=1us&from=-9e15&to=9e15", "fields=note",
        "fields=state&fn=mean",
    ])
    func `impossible statistics are rejected`(query: String) async throws {
        try await ServedHost.with { host async throws in
            await host.gauge(1, at: Timestamp(microseconds: 0))
            #expect(try await Self.stats(host, query).status == 422)
        }
    }

    @Test func `a statistics-only grant reveals no sample, whatever is requested`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client()
            try await host.decide(.statisticsOnly, "sensor:gauge", by: "curl")
            await Self.fill(host, 7)
            let whole = try await Self.stats(host, "fn=mean,max", token: token)
            #expect(whole.status == 200)
            // The seventh sample is alone in its minute.
            #expect(try whole.json()["items"]?.array?.first?["count"]?.number?.int64 == 6)
            for part in ["latest", "samples", "stream"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/gauge/\(part)", token: token))
                #expect(answer.status == 403)
                #expect(answer.code == "statistics-only")
                #expect(answer["www-authenticate"]?.contains(#"scope="sensor:gauge""#) == true)
            }
            for query in ["fn=first", "fn=last", "fn=mean,first", "where=level%3D3&fn=max"] {
                let answer = try await Self.stats(host, query, token: token)
                #expect(answer.status == 403, "\(query)")
            }
            for query in ["every=10s&fn=max", "from=0&to=40000&fn=max", "from=20000&fn=max"] {
                let items = try await Self.stats(host, query, token: token).json()["items"]?.array
                let counts = items?.map { $0["count"]?.number?.int64 }
                #expect(counts?.first == 6, "\(query)")
                #expect(counts?.dropFirst().allSatisfy { $0 == nil } == true, "\(query)")
            }
        }
    }
}
