import Testing

/// Invalid HTTP: one error, then the connection is closed.
@Suite(.timeLimit(.minutes(10)))
struct RawRequestTests {
    private static let marker = "GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n"

    /// `HOST` is replaced by the host's authority.
    private static func send(_ text: String, to host: ServedHost) async throws -> String {
        let whole = text.replacing("HOST", with: "localhost:\(host.port)")
        return String(decoding: try await host.raw(Array(whole.utf8)), as: UTF8.self)
    }

    private static func expectOneRefusal(_ text: String) async throws {
        try await ServedHost.with { host in
            let answer = try await send(text, to: host)
            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(200))")
            #expect(answer.ranges(of: "HTTP/1.").count == 1, "\(answer.prefix(2000))")
            // Others are served as before.
            #expect(try await host.send(Call("GET", "/health")).status == 200)
        }
    }

    @Test(arguments: [
        "Content-Length: 4\r\nTransfer-Encoding: chunked", "Content-Length: 4\r\nContent-Length: 5",
        "Transfer-Encoding: chunked\r\nContent-Length: 4", "Content-Length: 2\r\nContent-Length: 2",
        "Content-Length: 2, 2", "Content-Length: +2", "Content-Length: -1", "Content-Length: 0x2",
        "Content-Length: 99999999999999999999", "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding : chunked",
    ])
    func `a body with an ambiguous length is rejected`(
        fields: String
    ) async throws {
        try await Self.expectOneRefusal(
            "POST /api/v1/launch HTTP/1.1\r\nHost: HOST\r\n\(fields)\r\n\r\n0\r\n\r\n" + Self.marker
        )
    }

    @Test(arguments: ["chunked", "identity", "gzip, chunked"])
    func `a transfer coding that the HTTP version lacks is rejected`(
        coding: String
    ) async throws {
        try await Self.expectOneRefusal(
            "POST /api/v1/launch HTTP/1.0\r\nHost: HOST\r\nConnection: keep-alive\r\n"
                + "Transfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n" + Self.marker)
    }

    @Test func `a connection of HTTP/1.0 is closed after the response`() async throws {
        try await ServedHost.with { host in
            let old = Self.marker.replacing("1.1", with: "1.0")
            let answer = try await Self.send(old + Self.marker, to: host)
            #expect(answer.ranges(of: "HTTP/1.1 200").count == 1, "\(answer)")
        }
    }

    @Test(arguments: ["zz\r\n{}\r\n0\r\n\r\n", "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n", "-1\r\n"])
    func `an invalid chunk is rejected`(body: String) async throws {
        try await Self.expectOneRefusal(
            "POST /api/v1/launch HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n"
                + body + Self.marker)
    }

    @Test(arguments: [
        "X-A: a\r\n b: c", " x: y", "X-A : a", "X-A: a\rb", "X-A: a\u{0}b", "X-A", ": a",
        "X-A: a\nX-B : c",
    ])
    func `an invalid field is rejected`(field: String) async throws {
        try await Self.expectOneRefusal("GET /health HTTP/1.1\r\n\(field)\r\nHost: HOST\r\n\r\n")
    }

    @Test(arguments: [
        "GET /health HTTP/2.0", "GET /health HTTP/9.9", "GET /health", "GET",
        "G@T /health HTTP/1.1",
        "GET /he\rlth HTTP/1.1", "GET /he\u{0}lth HTTP/1.1", "GET /he lth HTTP/1.1",
        "GET health HTTP/1.1", "get /health HTTP/1.1", "\u{16}\u{3}\u{1}\u{2}",
        "GET http: HTTP/1.1", "GET :// HTTP/1.1", "GET ? HTTP/1.1",
    ])
    func `an invalid request line is rejected`(line: String) async throws {
        try await Self.expectOneRefusal("\(line)\r\nHost: HOST\r\n\r\n")
    }

    @Test func `a header above the limits is rejected`() async throws {
        let long = String(repeating: "a", count: 1 << 20)
        let fields = (1...200).map { "X-\($0): a\r\n" }.joined()
        let wide = (1...10).map { "X-\($0): \(long.prefix(1700))\r\n" }.joined()
        for head in [
            "GET /\(long) HTTP/1.1\r\n", "GET /\(long.prefix(9000)) HTTP/1.1\r\n",
            "GET / HTTP/1.1\r\nX-A: \(long)\r\n", "GET / HTTP/1.1\r\n\(fields)",
            "GET / HTTP/1.1\r\n\(wide)", "GET / HTTP/1.1\r\n\(long): a\r\n",
        ] {
            try await Self.expectOneRefusal(head + "Host: HOST\r\n\r\n")
        }
    }

    @Test func `pipelined requests are answered in order`() async throws {
        try await ServedHost.with { host in
            let last = "GET /openapi.json HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
            let answer = try await Self.send(Self.marker + Self.marker + last, to: host)
            #expect(answer.ranges(of: "HTTP/1.1 200").count == 3)
            #expect(answer.hasSuffix("}\n"))
        }
    }
}
