import Addresses
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import Egress

/// An app can only call servers that are allowed.
struct OutboundTests {
    @Test func `an allowed server is called, and its response is returned`() async throws {
        try await LocalServer.with { request in
            .answer(
                "hello \(request.method) \(request.target)", status: "418 Teapot",
                fields: [
                    ("Content-Type", "text/plain"), ("X-Two", "a"), ("X-Two", "b"),
                    ("Set-Cookie", "secret=1"), ("Connection", "close"), ("Nervous-Answer", "x"),
                ])
        } _: { server in
            try await TestClient.with(["http://127.0.0.1:\(server.port)"]) { client async throws in
                let answer = try await client.fetch("http://127.0.0.1:\(server.port)/a?b=c")
                #expect(answer.status == 418)
                #expect(String(buffer: answer.body) == "hello GET /a?b=c")
                #expect(answer.address.description == "http://127.0.0.1:\(server.port)/a?b=c")
                #expect(!answer.isRedirected)
                let names = answer.fields.map(\.name)
                #expect(names == ["content-length", "content-type", "x-two", "x-two"])
            }
        }
    }

    @Test func `no credentials of the host are sent`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            try await TestClient.with(["http://127.0.0.1:\(server.port)"]) { client async throws in
                _ = try await client.fetch(
                    "http://127.0.0.1:\(server.port)/", "POST",
                    fields: [
                        HeaderField("Cookie", "a=b"), HeaderField("Authorization", "Bearer own"),
                        HeaderField("Origin", "http://x"), HeaderField("Referer", "http://x"),
                        HeaderField("Sec-Fetch-Site", "none"), HeaderField("Proxy-Connection", "x"),
                        HeaderField("Host", "other"), HeaderField("Content-Length", "99"),
                        HeaderField("Transfer-Encoding", "chunked"), HeaderField("X-Mine", "1"),
                        HeaderField("User-Agent", "Mozilla"), HeaderField("Nervous-Request", "{}"),
                        HeaderField("Accept-Encoding", "gzip"), HeaderField("Content-Type", "a/b"),
                    ], body: "body")
                let request = try #require(server.received.first)
                let fields = request.head.split(separator: "\r\n").dropFirst().map(String.init)
                #expect(
                    Set(fields) == [
                        "Host: 127.0.0.1:\(server.port)", "User-Agent: Nervous/test",
                        "Connection: close", "Accept-Encoding: identity", "Accept: */*",
                        "Authorization: Bearer own", "X-Mine: 1", "Content-Type: a/b",
                        "Content-Length: 4",
                    ])
                #expect(request.body == Array("body".utf8))
            }
        }
    }

    @Test(arguments: ["HEAD", "GET", "OPTIONS", "DELETE", "PATCH"])
    func `every method is supported`(_ method: String) async throws {
        try await LocalServer.with { request in
            request.method == "HEAD"
                ? .text("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
                : .text("HTTP/1.1 204 No Content\r\n\r\n")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await TestClient.with([origin]) { client async throws in
                let answer = try await client.fetch(origin, method)
                #expect(answer.status == (method == "HEAD" ? 200 : 204))
                #expect(answer.body.readableBytes == 0)
                #expect(server.received.first?.method == method)
            }
        }
    }

    @Test(arguments: ["CONNECT", "TRACE", "TRACK", "get", "G T", ""])
    func `other methods are rejected`(_ method: String) throws {
        let address = try #require(WebAddress("https://a.org"))
        #expect(throws: EgressError.self) { try OutboundRequest(method, address) }
    }

    @Test(arguments: [
        HeaderField("X", "a\r\nY: b"), HeaderField("X", "a\nb"), HeaderField("X", "\u{0}"),
        HeaderField("X", "é"), HeaderField("X Y", "a"), HeaderField("X:", "a"),
        HeaderField("", "a"),
        HeaderField("X", String(repeating: "a", count: 17_000)),
    ])
    func `an invalid header field is rejected`(_ field: HeaderField) throws {
        let address = try #require(WebAddress("https://a.org"))
        #expect(throws: EgressError.self) { try OutboundRequest("GET", address, fields: [field]) }
    }

    @Test(arguments: [
        ("https://example.org", "example.org"), ("https://example.org:443", "example.org"),
        ("https://example.org:80", "example.org:80"), ("http://example.org:80", "example.org"),
        ("http://192.168.1.20:8123", "192.168.1.20:8123"), ("http://[::1]:8080", "[::1]:8080"),
    ])
    func `Host contains the name and a port other than the default`(
        text: String, host: String
    ) throws {
        let origin = try #require(WebOrigin(text))
        let headers = HTTPHeaders(to: origin, userAgent: "Tests")
        #expect(headers["Host"] == [host])
        #expect(headers["User-Agent"] == ["Tests"])
        #expect(headers["Connection"] == ["close"])
        #expect(headers["Accept-Encoding"] == ["identity"])
    }

    @Test func `every media type is accepted by default`() throws {
        let origin = try #require(WebOrigin("https://example.org"))
        var headers = HTTPHeaders(to: origin, userAgent: "Tests")
        headers.acceptAnything()
        #expect(headers["Accept"] == ["*/*"])
        headers.replaceOrAdd(name: "accept", value: "text/csv")
        headers.acceptAnything()
        #expect(headers["Accept"] == ["text/csv"])
    }
}
