import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct SampleFormatTests {
    private static let values: [Value] = [
        .number(0.1), .integer(9_007_199_254_740_993), .text("on"),
        .text("a,\"b\"\r\nü\u{1}\u{2028}"),
    ]

    private static func get(_ host: ServedHost, _ accept: String?) async throws -> Answer {
        try await host.send(
            Call(
                "GET", "/api/v1/sensors/gauge/samples", token: host.owner,
                headers: accept.map { [("Accept", $0)] } ?? []))
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.001"), (-1, "-0.001"), (-1000, "-1"), (-1001, "-1.001"), (10, "0.010"),
            (1_772_366_400_000_250, "1772366400000.250"), (.max - 1, "9223372036854775.806"),
            (.min, "-9223372036854775.808"), (1_000_000, "1000"),
        ] as [(Int64, String)])
    func `times are written exactly`(microseconds: Int64, text: String) async throws {
        try await ServedHost.with { host async throws in
            await host.gauge(1, at: Timestamp(microseconds: microseconds))
            let answer = try await Self.get(host, "application/x-ndjson")
            #expect(answer.text.hasPrefix(#"{"t":\#(text),"#), "\(answer.text)")
            // A sample in the future is not the newest.
            guard Timestamp(microseconds: microseconds) < host.clock.now else { return }
            let latest = try await host.send(
                Call("GET", "/api/v1/sensors/gauge/latest", token: host.owner))
            #expect(try latest.json()["t"]?.number?.literal == text)
        }
    }

    @Test(arguments: [
        (Value.number(0.1), "0.1"), (.number(-0.0), "-0.0"),
        (.number(.leastNonzeroMagnitude), "5e-324"),
        (.number(.greatestFiniteMagnitude), "1.7976931348623157e+308"), (.number(1), "1.0"),
        (.number(0.1 + 0.2), "0.30000000000000004"),
    ])
    func `numbers are written exactly`(value: Value, text: String) async throws {
        try await ServedHost.with { host async throws in
            await host.collect("gauge", [value, .integer(.min), .text(""), .text("")])
            let sample = try await Self.get(host, nil).json()["items"]?.array?.first
            #expect(sample?["level"]?.number?.literal == text)
            #expect(sample?["total"]?.number?.literal == "-9223372036854775808")
        }
    }

    @Test func `integers beyond the precision of a double are exact`() async throws {
        try await ServedHost.with { host async throws in
            await host.collect("gauge", Self.values)
            let sample = try await Self.get(host, nil).json()["items"]?.array?.first
            #expect(sample?["total"]?.number?.int64 == 9_007_199_254_740_993)
        }
    }

    @Test func `any text survives each form`() async throws {
        try await ServedHost.with { host async throws in
            await host.collect("gauge", Self.values, at: Timestamp(microseconds: 1500))
            let json = try await Self.get(host, "application/json").json()
            let note = try #require(json["items"]?.array?.first?["note"]?.string)
            #expect(Value.text(note) == Self.values[3])
            let lines = try await Self.get(host, "application/x-ndjson")
            #expect(lines["content-type"] == "application/x-ndjson")
            #expect(lines.text.filter { $0 == "\n" }.count == 1)
            let line = try StrictJSON().parse(Array(lines.text.dropLast().utf8))
            #expect(line["note"]?.string == note)
            let csv = try await Self.get(host, "text/csv")
            #expect(csv["content-type"]?.hasPrefix("text/csv; charset=utf-8") == true)
            #expect(
                Array(csv.text.utf8)
                    == Array(
                        ("t,level,total,state,note\r\n1.500,0.1,9007199254740993,\"on\","
                            + "\"a,\"\"b\"\"\r\nü\u{1}\u{2028}\"\r\n").utf8))
        }
    }

    @Test func `without samples there is an empty list, no lines, or a header`() async throws {
        try await ServedHost.with { host async throws in
            #expect(try await Self.get(host, nil).text == #"{"sensor":"gauge","items":[]}"#)
            #expect(try await Self.get(host, "application/x-ndjson").text.isEmpty)
            #expect(
                try await Self.get(host, "text/csv").text == "t,level,total,state,note\r\n")
        }
    }

    @Test(arguments: [
        (nil, "application/json"), ("*/*", "application/json"), ("text/csv", "text/csv"),
        ("text/*", "text/csv"), ("application/*", "application/json"),
        ("image/png, text/csv", "text/csv"), ("text/csv, application/json", "text/csv"),
        ("text/csv;q=0.5, application/json", "application/json"),
        ("application/json;q=0, text/csv", "text/csv"), ("TEXT/CSV", "text/csv"),
        ("text/csv; q=0.1, application/x-ndjson ;q=0.2", "application/x-ndjson"),
        ("text/html, */*;q=0.1", "application/json"),
    ])
    func `the form with the highest quality is chosen`(accept: String?, type: String) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.get(host, accept)
            #expect(answer["content-type"]?.hasPrefix(type) == true)
        }
    }

    @Test(arguments: ["image/png", "text/html", "application/json;q=0", "x", "application/xml"])
    func `an unknown form is not acceptable`(accept: String) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.get(host, accept)
            #expect(answer.status == 406)
            #expect(answer["content-type"] == "application/problem+json")
        }
    }
}
