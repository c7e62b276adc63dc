import Auth
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct StrictBodyTests {
    @Test(arguments: [
        "", " ", "{", "}", "nil", #"{"level": "off",}"#, #"{"level": "off"} x"#,
        #"{"level": "off", "level": "high"}"#, #"{"level": "off", "\u006cevel": "high"}"#,
        #"{"level": NaN}"#, #"{"level": Infinity}"#, #"{"level": "off", "x": 1e400}"#,
        #"{"level": "off", "x": -1e400}"#, #"{"level": "off", "x": 01}"#,
        #"{"level": "\ud800"}"#, #"{"level": "\udc00\ud800"}"#, "{\"level\": \"a\u{0}b\"}",
        #"{'level': 'off'}"#, #"{level: "off"}"#, #"{"level": "off" /* x */}"#,
        "\u{FEFF}{\"level\": \"off\"}", String(repeating: "[", count: 100_000),
        #"{"level": "off", "x": "# + String(repeating: "[", count: 33)
            + String(repeating: "]", count: 33) + "}",
        String(repeating: #"{"level":"#, count: 20_000), #"{"level": "sometimes"}"#,
        #"{"level": 1}"#, #"{"level": null}"#, "{}", "[]", "null", #""off""#,
        #"{"level": "off", "x": "# + String(repeating: "9", count: 200_000) + "}",
    ])
    func `invalid JSON is rejected immediately`(body: String) async throws {
        try await ServedHost.with { host in
            let call = Call("PUT", "/api/v1/collection/gauge", token: host.owner, json: body)
            let start = ContinuousClock.now
            let answer = try await host.send(call)
            // A parser with quadratic time would take minutes.
            #expect(ContinuousClock.now - start < .seconds(60))
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-body")
            #expect(try await Self.level(host) == "medium")
        }
    }

    @Test func `invalid UTF-8 is rejected`() async throws {
        try await ServedHost.with { host in
            for bytes: [UInt8] in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80]] {
                let body = Array(#"{"level": "off", "x": ""#.utf8) + bytes + Array(#""}"#.utf8)
                let answer = try await host.send(
                    Call("PUT", "/api/v1/collection/gauge", token: host.owner, body: body))
                #expect(answer.status == 400)
            }
            #expect(try await Self.level(host) == "medium")
        }
    }

    @Test(arguments: [
        ("application/json", 200), ("application/json; charset=utf-8", 200),
        ("Application/JSON", 200), ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data", 415), ("application/jsonx", 415), ("application/problem+json", 415),
    ])
    func `only JSON is accepted as JSON`(type: String, status: Int) async throws {
        try await ServedHost.with { host in
            let answer = try await host.send(
                Call(
                    "PUT", "/api/v1/collection/gauge", token: host.owner,
                    headers: [("Content-Type", type)], json: #"{"level": "off"}"#))
            #expect(answer.status == status)
            #expect(try await Self.level(host) == (status == 200 ? "off" : "medium"))
        }
    }

    @Test func `a body without a type is parsed as JSON`() async throws {
        try await ServedHost.with { host in
            let body = Array(#"{"level": "2s"}"#.utf8)
            let answer = try await host.send(
                Call("PUT", "/api/v1/collection/gauge", token: host.owner, body: body))
            #expect(answer.status == 200)
            #expect(try await Self.level(host) == "2s")
        }
    }

    private static func level(_ host: ServedHost) async throws -> String? {
        let answer = try await host.send(Call("GET", "/api/v1/collection", token: host.owner))
        return try answer.json()["levels"]?["gauge"]?.string
    }
}
