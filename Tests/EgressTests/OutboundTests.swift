import Addresses
import Auth
import NIOCore
import TestSupport
import Testing

@testable import Egress

/// A22: an app calls the servers that were allowed to it, and no other.
struct OutboundTests {
    @Test func `A22 - an allowed server is called, and its answer is handed on`() async throws {
        try await LocalServer.with { request in
            .answer(
                "hello \(request.method) \(request.target)", status: "418 Teapot",
                fields: [
                    ("Content-Type", "text/plain"), ("X-Two", "a"), ("X-Two", "b"),
                    ("Set-Cookie", "secret=1"), ("Connection", "close"), ("Nervous-Answer", "x"),
                ])
        } _: { server in
            try await Bench.with(["http://127.0.0.1:\(server.port)"]) { bench async throws in
                let answer = try await bench.fetch("http://127.0.0.1:\(server.port)/a?b=c")
                #expect(answer.status == 418)
                #expect(String(buffer: answer.body) == "hello GET /a?b=c")
                #expect(answer.address.description == "http://127.0.0.1:\(server.port)/a?b=c")
                #expect(!answer.isRedirected)
                let names = answer.fields.map(\.name)
                #expect(names == ["content-length", "content-type", "x-two", "x-two"])
            }
        }
    }

    @Test func `A22 - nothing of the host goes along`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            try await Bench.with(["http://127.0.0.1:\(server.port)"]) { bench async throws in
                _ = try await bench.fetch(
                    "http://127.0.0.1:\(server.port)/", "POST",
                    fields: [
                        HeaderLine("Cookie", "a=b"), HeaderLine("Authorization", "Bearer own"),
                        HeaderLine("Origin", "http://x"), HeaderLine("Referer", "http://x"),
                        HeaderLine("Sec-Fetch-Site", "none"), HeaderLine("Proxy-Connection", "x"),
                        HeaderLine("Host", "other"), HeaderLine("Content-Length", "99"),
                        HeaderLine("Transfer-Encoding", "chunked"), HeaderLine("X-Mine", "1"),
                        HeaderLine("User-Agent", "Mozilla"), HeaderLine("Nervous-Request", "{}"),
                        HeaderLine("Accept-Encoding", "gzip"), HeaderLine("Content-Type", "a/b"),
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

    @Test func `A22 - a server that was not allowed is not called`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            try await Bench.with(["https://api.example.org"]) { bench async throws in
                let error = await #expect(throws: AuthError.self) {
                    try await bench.fetch("http://127.0.0.1:\(server.port)/")
                }
                #expect(error?.code == .undeclared)
                #expect(error?.hint?.contains("{ \"net\": [\"http://127.0.0.1:") == true)
                #expect(server.received.isEmpty)
            }
        }
    }

    @Test func `A22 - a permission is of one scheme, host and port`() async throws {
        try await Bench.with(["https://api.example.org"]) { bench async throws in
            for other in [
                "http://api.example.org", "https://api.example.org:8443", "https://example.org",
                "https://api.example.org.evil.test", "https://evil.api.example.org",
            ] {
                let error = await #expect(throws: AuthError.self) {
                    try await bench.fetch(other)
                }
                #expect(error?.code == .undeclared, "\(other)")
            }
            #expect(bench.connections.all.isEmpty)
        }
    }

    @Test func `A22 - what was taken back is not called again`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await Bench.with([origin]) { bench async throws in
                _ = try await bench.fetch(origin)
                let privilege = try #require(PrivilegeID("net:\(origin)"))
                for denied in [privilege, .net] {
                    try await bench.authority.decide(.deny, on: denied, by: "demo")
                    let error = await #expect(throws: AuthError.self) {
                        try await bench.fetch(origin)
                    }
                    #expect(error?.code == .denied)
                    try await bench.authority.reset(denied, of: "demo")
                    try await bench.authority.decide(.allowAlways, on: privilege, by: "demo")
                    _ = try await bench.fetch(origin)
                }
                #expect(server.received.count == 3)
            }
        }
    }

    @Test func `each step has its line in the log, without path and query`() async throws {
        try await LocalServer.with { request in
            request.target == "/" ? .answer("12345") : .redirect(to: "/")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await Bench.with([origin, "http://127.0.0.1:9"]) { bench async throws in
                _ = try await bench.fetch("\(origin)/secret?key=1", "PUT", body: "abc")
                _ = try? await bench.fetch("http://127.0.0.1:9/x")
                _ = try? await bench.fetch("https://api.example.org/secret")
                #expect(
                    try await bench.lines() == [
                        "access fetch-body net:\(origin) 6 PUT",
                        "access fetch net:\(origin) 5 PUT 302",
                        "access fetch net:\(origin) 5 PUT 200",
                        "access fetch net:http://127.0.0.1:9 0 GET without an answer",
                        "refusal fetch net:https://api.example.org 0 demo does not declare"
                            + " https://api.example.org in its package.json.",
                    ])
            }
        }
    }

    @Test(arguments: ["HEAD", "GET", "OPTIONS", "DELETE", "PATCH"])
    func `every method has its answer`(_ method: String) async throws {
        try await LocalServer.with { request in
            request.method == "HEAD"
                ? .text("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
                : .text("HTTP/1.1 204 No Content\r\n\r\n")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await Bench.with([origin]) { bench async throws in
                let answer = try await bench.fetch(origin, method)
                #expect(answer.status == (method == "HEAD" ? 200 : 204))
                #expect(answer.body.readableBytes == 0)
                #expect(server.received.first?.method == method)
            }
        }
    }

    @Test(arguments: ["CONNECT", "TRACE", "TRACK", "get", "G T", ""])
    func `another method is refused`(_ method: String) throws {
        let address = try #require(WebAddress("https://a.org"))
        #expect(throws: NetError.self) { try OutboundRequest(method, address) }
    }

    @Test(arguments: [
        HeaderLine("X", "a\r\nY: b"), HeaderLine("X", "a\nb"), HeaderLine("X", "\u{0}"),
        HeaderLine("X", "é"), HeaderLine("X Y", "a"), HeaderLine("X:", "a"), HeaderLine("", "a"),
        HeaderLine("X", String(repeating: "a", count: 17_000)),
    ])
    func `a field that is none is refused`(_ field: HeaderLine) throws {
        let address = try #require(WebAddress("https://a.org"))
        #expect(throws: NetError.self) { try OutboundRequest("GET", address, fields: [field]) }
    }
}
