import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct SampleParameterTests {
    /// `2026-03-01T12:00:00.000250Z`.
    private static let noon = Timestamp(microseconds: 1_772_366_400_000_250)

    @Test(arguments: [
        "1772366400000.25", "1772366400000.250", "1.77236640000025e12",
        "2026-03-01T12:00:00.00025Z", "2026-03-01T12:00:00.000250Z",
        "2026-03-01T13:00:00.00025%2B01:00", "2026-03-01T13:00:00.00025+01:00",
        "2026-03-01T06:30:00.00025-05:30",
    ])
    func `a time is exact to the microsecond in every form`(text: String) async throws {
        try await ServedHost.with { host async throws in
            for (level, offset) in [(1.0, -1), (2, 0), (3, 1)] as [(Double, Int64)] {
                await host.gauge(level, at: Self.noon.advanced(byMicroseconds: offset))
            }
            #expect(try await host.levels("from=\(text)") == [2, 3])
            #expect(try await host.levels("to=\(text)") == [1])
        }
    }

    @Test(arguments: [
        ("1772366400000", "2026-03-01T12:00:00Z"), ("1772366400000", "2026-03-01T12:00:00.0Z"),
        ("0", "1970-01-01T00:00:00Z"), ("-1000", "1969-12-31T23:59:59Z"),
        ("-0.001", "1969-12-31T23:59:59.999999Z"), ("951782400000", "2000-02-29T00:00:00Z"),
    ])
    func `milliseconds and RFC 3339 denote the same time`(
        milliseconds: String, text: String
    ) async throws {
        try await ServedHost.with { host async throws in
            let moment = try #require(Double(milliseconds).flatMap { Timestamp(milliseconds: $0) })
            await host.gauge(1, at: moment.advanced(byMicroseconds: -1))
            await host.gauge(2, at: moment)
            #expect(try await host.levels("from=\(milliseconds)") == [2])
            #expect(try await host.levels("from=\(text)") == [2])
        }
    }

    @Test(arguments: [
        ("from=-15m", [2.0, 3]), ("from=-2h", [1, 2, 3]), ("from=-1d&to=-15m", [1]),
        ("from=now", [3]), ("to=now", [1, 2]), ("from=-660000ms&to=-1s", [2]), ("to=-2h", []),
        ("from=now&to=-1h", []),
    ])
    func `durations count from now`(query: String, expected: [Double]) async throws {
        try await ServedHost.with { host async throws in
            let now = Timestamp.now()
            for (level, seconds) in [(1.0, -3600), (2, -600), (3, 3600)] as [(Double, Int64)] {
                await host.gauge(level, at: now.advanced(byMicroseconds: seconds * 1_000_000))
            }
            #expect(try await host.levels(query) == expected)
        }
    }

    @Test(arguments: [
        ("order=asc", [1.0, 2, 3]), ("order=desc", [3, 2, 1]), ("limit=1", [1]),
        ("limit=2&order=desc", [3, 2]), ("where=level%3E1", [2, 3]), ("where=level>=2", [2, 3]),
        ("where=level%3E1&where=level%3C3", [2]), ("where=level!=2", [1, 3]),
        ("where=state=on", [1, 2, 3]), ("where=state!=on", []), ("where=level=2.0", [2]),
        ("fields=level", [1, 2, 3]), ("fields=total", []), ("from=3&to=1", []),
    ])
    func `samples are selected`(query: String, expected: [Double]) async throws {
        try await ServedHost.with { host async throws in
            for level in 1...3 {
                await host.gauge(Double(level), at: Timestamp(microseconds: Int64(level) * 1000))
            }
            #expect(try await host.levels(query) == expected)
        }
    }

    @Test func `fields are in the order of the request`() async throws {
        try await ServedHost.with { host async throws in
            await host.collect("gauge", [.number(1), .integer(2), .text("on"), .text("x")])
            let answer = try await host.send(
                Call(
                    "GET", "/api/v1/sensors/gauge/samples?fields=note,level", token: host.owner))
            let keys = try answer.json()["items"]?.array?.first?.object?.map(\.key)
            #expect(keys == ["t", "note", "level"])
        }
    }

    @Test(arguments: [
        ("limit", ["0", "-1", "x", "", "1e3", "1.5", "99999999999999999999"]),
        ("order", ["up", "", "ASC"]),
        (
            "from",
            [
                "", "x", "nan", "inf", "0x10", "1e400", "1e300", "-x", "15m", "--15m",
                "-15y",
                "2026-03-01", "2026-03-01T12:00:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
                "2026-03-01T25:00:00Z", "now-1h",
            ]
        ),
        ("to", ["x", "", "yesterday"]),
        ("cursor", ["x", "", "1", "1_x", "1_2_3", "99999999999999999999_1", "_"]),
        ("fields", ["", ",", "level,", "level,level"]),
        ("where", ["", "level", "level>", ">1", "level~1", "le vel>1"]),
        ("last", ["20s"]), ("FROM", ["0"]), ("", ["1"]),
    ])
    func `an invalid parameter is reported`(
        name: String, values: [String]
    ) async throws {
        try await ServedHost.with { host async throws in
            await host.gauge(1)
            for value in values {
                let escaped = value.replacing(" ", with: "%20")
                let answer = try await host.send(
                    Call(
                        "GET", "/api/v1/sensors/gauge/samples?\(name)=\(escaped)",
                        token: host.owner))
                #expect([400, 422].contains(answer.status), "\(name)=\(value)")
                let detail = try answer.json()["detail"]?.string ?? ""
                #expect(detail.hasPrefix("\(name): "), "\(name)=\(value): \(detail)")
            }
        }
    }

    @Test(arguments: [
        ("sensors/gauge/samples?limit=1&limit=2", "limit"),
        ("sensors/gauge/stats?fn=mean&p=1", "p"),
        ("sensors/gauge/stats?every=1s&every=2s", "every"), ("access-log?limits=3", "limits"),
    ])
    func `unknown and repeated parameters are reported`(
        path: String, name: String
    ) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await host.send(Call("GET", "/api/v1/\(path)", token: host.owner))
            #expect(answer.status == 400)
            let detail = try answer.json()["detail"]?.string ?? ""
            #expect(detail.hasPrefix("\(name): "), "\(detail)")
        }
    }

    @Test(arguments: [
        "fields=none", "where=none%3E1", "where=level%3Ex", "where=level%3Dnan", "where=state%3Eon",
        "fields=t", "fields=LEVEL",
    ])
    func `a parameter that does not fit the sensor is reported`(query: String) async throws {
        try await ServedHost.with { host async throws in
            for part in ["samples", "stats"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/gauge/\(part)?\(query)", token: host.owner))
                #expect(answer.status == 422)
            }
        }
    }

    @Test(arguments: [
        "None", "a b", "..", "%2e%2e", "gauge'", "%00", "gauge%00", "gäuge", "*",
        String(repeating: "x", count: 65),
    ])
    func `an invalid sensor name is not found`(name: String) async throws {
        try await ServedHost.with { host async throws in
            let escaped = name.replacing(" ", with: "%20").replacing("ä", with: "%C3%A4")
            for part in ["", "/latest", "/samples", "/stats", "/stream"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/\(escaped)\(part)", token: host.owner))
                #expect(answer.status == 404)
            }
        }
    }
}
