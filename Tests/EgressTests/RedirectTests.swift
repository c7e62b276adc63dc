import Addresses
import NIOCore
import TestSupport
import Testing

@testable import Egress

/// The target of a redirect is checked like the call itself.
struct RedirectTests {
    @Test func `a redirect to an allowed server is followed`() async throws {
        try await LocalServer.with { request in
            .answer(request["authorization"] ?? "nothing", fields: [("X-At", request.target)])
        } _: { second in
            let place = "http://127.0.0.1:\(second.port)"
            try await LocalServer.with { _ in
                .redirect(to: "\(place)/there?x#y", status: "307 Temporary Redirect")
            } _: { first in
                let origin = "http://127.0.0.1:\(first.port)"
                try await TestClient.with([origin, place]) { client async throws in
                    let answer = try await client.fetch(
                        "\(origin)/", "POST", fields: [HeaderField("Authorization", "Basic eA==")],
                        body: "all of it")
                    #expect(answer.isRedirected)
                    #expect(answer.address.description == "\(place)/there?x")
                    #expect(String(buffer: answer.body) == "nothing")
                    #expect(second.received.first?.body == Array("all of it".utf8))
                    #expect(first.received.first?["authorization"] == "Basic eA==")
                }
            }
        }
    }

    @Test func `a redirect to this host or to a forbidden address is rejected`() async throws {
        for (place, code) in [
            ("http://127.0.0.1:8080/api/v1/me", EgressError.Code.ownHost),
            ("http://localhost:8080/", .ownHost), ("http://169.254.169.254/", .addressRefused),
            ("http://other.localhost/", .addressRefused), ("http://0.0.0.0/", .addressRefused),
            ("http://[::ffff:127.0.0.1]:8080/", .addressRefused),
            ("file:///etc/passwd", .redirectRefused), ("http://user@127.0.0.1/", .redirectRefused),
        ] {
            try await LocalServer.with { _ in
                .redirect(to: place)
            } _: { server in
                let origin = "http://127.0.0.1:\(server.port)"
                try await TestClient.with([origin, "http://127.0.0.1:8080"], ownPorts: [8080]) {
                    client async throws in
                    #expect(try await client.fault(origin) == code, "\(place)")
                }
            }
        }
    }

    @Test func `a redirect loop ends`() async throws {
        try await LocalServer.with { _ in
            .redirect(to: "/again")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await TestClient.with([origin]) { client async throws in
                #expect(try await client.fault(origin) == .tooManyRedirects)
                #expect(server.received.count == 6)
            }
        }
    }

    private static func next(
        _ method: String, _ status: Int, from: String = "https://a.org/x", to: String
    ) throws -> OutboundRequest? {
        let fields = [
            HeaderField("Authorization", "x"), HeaderField("Content-Type", "y"),
            HeaderField("X-Mine", "z"),
        ]
        let address = try #require(WebAddress(from))
        let hasBody = method != "GET" && method != "HEAD"
        let request = try OutboundRequest(
            method, address, fields: fields, body: hasBody ? [1, 2] : [])
        return try request.redirected(status: status, location: to)
    }

    @Test(arguments: [
        ("GET", 301, "GET"), ("HEAD", 301, "HEAD"), ("POST", 301, "GET"), ("PUT", 301, "PUT"),
        ("POST", 302, "GET"), ("DELETE", 302, "DELETE"), ("POST", 303, "GET"), ("PUT", 303, "GET"),
        ("HEAD", 303, "HEAD"), ("POST", 307, "POST"), ("PATCH", 308, "PATCH"),
    ])
    func `the method after a redirect follows the Fetch Standard`(
        _ method: String, _ status: Int, _ after: String
    ) throws {
        let next = try #require(try Self.next(method, status, to: "/y"))
        #expect(next.method == after)
        let keepsBody = method == after && method != "GET" && method != "HEAD"
        #expect(next.body == (keepsBody ? [1, 2] : []))
        let names = next.fields.map(\.name)
        #expect(names.contains("Content-Type") == (method == after))
        #expect(names.contains("Authorization"))
    }

    @Test(arguments: [
        ("https://a.org/y", true), ("https://a.org:443/y", true), ("https://b.org/", false),
        ("https://a.org:8443/", false), ("https://x.a.org/", false),
    ])
    func `Authorization is sent to the same origin only`(
        _ place: String, _ isKept: Bool
    ) throws {
        let next = try #require(try Self.next("GET", 302, to: place))
        #expect(next.fields.contains { $0.name == "Authorization" } == isKept)
        #expect(next.fields.contains { $0.name == "X-Mine" })
    }

    @Test func `a redirect from https to http is rejected`() throws {
        let error = #expect(throws: EgressError.self) {
            try Self.next("GET", 302, to: "http://a.org/")
        }
        #expect(error?.code == .redirectRefused)
        for location in ["http://example.org/a/b.zip", "HTTP://127.0.0.1/"] {
            let error = #expect(throws: EgressError.self) {
                try Self.next("GET", 302, from: "https://example.org/a/b.zip", to: location)
            }
            #expect(error?.code == .redirectRefused)
        }
        #expect(
            try Self.next("GET", 302, from: "http://a.org/", to: "https://a.org/") != nil)
    }

    @Test(arguments: [200, 204, 300, 304, 305, 306, 309, 400])
    func `other responses are not redirects`(_ status: Int) throws {
        #expect(try Self.next("GET", status, to: "/y") == nil)
    }

    @Test(arguments: [
        ("c.zip", "https://example.org/a/c.zip"), ("//other.org/c", "https://other.org/c"),
    ])
    func `a redirect can be relative`(location: String, url: String) throws {
        let next = try Self.next("GET", 302, from: "https://example.org/a/b.zip", to: location)
        #expect(next?.address.description == url)
    }
}
