import HTTPTypes
import Testing

@testable import Provider

/// Only requests to the server's own `Host`, and from pages of the same origin, are served.
@Suite(.timeLimit(.minutes(10)))
struct OriginTests {
    @Test(arguments: [
        "", "example.org", "0.0.0.0:PORT", "localhost", "localhost:1", "localhost:", "LOCALHOST:1",
        "localhost:PORT:PORT", "localhost.:PORT", "localhost.example.org:PORT", "[::1]:PORT",
        "127.0.0.2:PORT", "127.1:PORT", "2130706433:PORT", "a.b.localhost:PORT", ".localhost:PORT",
        "user@localhost:PORT", "localhost:0PORT", "localhost:+PORT", "evil.org:PORT",
        "evil-localhost:PORT", "example.org#.localhost:PORT", "localhost:PORT, localhost:PORT",
    ])
    func `a host that is not this server's is misdirected`(name: String) async throws {
        try await ServedHost.with { host in
            let named = name.replacing("PORT", with: "\(host.port)")
            for target in ["/health", "/api/v1/me", "/nothing"] {
                let answer = try await host.send(
                    Call("GET", target, token: host.owner, host: named))
                #expect(answer.status == 421)
                #expect(answer.code == "misdirected")
            }
        }
    }

    @Test(arguments: ["localhost:PORT", "LocalHost:PORT", "127.0.0.1:PORT"])
    func `the owner's routes are served at every name of this machine`(name: String) async throws {
        try await ServedHost.with { host in
            let named = name.replacing("PORT", with: "\(host.port)")
            let answer = try await host.send(
                Call("GET", "/api/v1/me", token: host.owner, host: named))
            #expect(answer.status == 200)
        }
    }

    @Test func `a missing and a repeated host are misdirected`() async throws {
        try await ServedHost.with { host in
            let own = "localhost:\(host.port)"
            for hosts in [[], [own, own], [own, "example.org"], ["example.org", own]] {
                let fields = hosts.map { "Host: \($0)\r\n" }.joined()
                let bytes = "GET /health HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n"
                let answer = try Answer(parsing: await host.raw(Array(bytes.utf8)))
                #expect(answer.status == 421, "\(hosts)")
            }
        }
    }

    @Test func `a target in absolute form does not replace the Host`() async throws {
        try await ServedHost.with { host async throws in
            let target = "http://localhost:\(host.port)/health"
            #expect(try await host.send(Call("GET", target)).status == 200)
            #expect(try await host.send(Call("GET", target, host: "example.org")).status == 421)
        }
    }

    @Test(arguments: [
        "null", "", "http://example.org", "https://localhost:PORT", "http://localhost",
        "http://my-app.localhost:PORT", "http://localhost:PORT/", "http://localhost:PORT.evil.org",
        "http://127.0.0.1:PORT", "file://", "http://LOCALHOST:PORT",
    ])
    func `a page of another origin has no access`(origin: String) async throws {
        try await ServedHost.with { host in
            let page = origin.replacing("PORT", with: "\(host.port)")
            for (method, target) in [
                ("GET", "/api/v1/me"), ("POST", "/api/v1/collection"),
                ("DELETE", "/api/v1/grants/x"),
            ] {
                let answer = try await host.send(
                    Call(method, target, token: host.owner, headers: [("Origin", page)]))
                #expect(answer.status == 403)
                #expect(answer.code == "cross-origin")
                #expect(answer["access-control-allow-origin"] == nil)
            }
        }
    }

    @Test func `a page of the same origin may call`() async throws {
        try await ServedHost.with { host in
            let page = "http://localhost:\(host.port)"
            let answer = try await host.send(
                Call("GET", "/api/v1/me", token: host.owner, headers: [("Origin", page)]))
            #expect(answer.status == 200)
        }
    }

    @Test func `every route reports its methods`() async throws {
        try await ServedHost.with { host in
            for (path, taken) in host.provider.resources {
                let target = path.replacing(/\{[a-z]+\}/, with: "x")
                let names = taken.map { "\($0)" } + (taken.contains(.get) ? ["HEAD"] : [])
                for method in RouteTable.methods where !names.contains("\(method)") {
                    let answer = try await host.send(
                        Call("\(method)", target, token: host.owner))
                    #expect(answer.status == 405, "\(method) \(target)")
                    #expect(answer["allow"] == names.sorted().joined(separator: ", "))
                    if method != .head { #expect(answer.code == "method-not-allowed") }
                }
                let unknown = try await host.send(Call("PROPFIND", target, token: host.owner))
                #expect(unknown.status == 501)
            }
        }
    }

    @Test(arguments: [
        "/", "/nothing", "/api", "/api/v1", "/api/v2/me", "/api/v1/me/x", "/API/v1/me",
        "/api/v1/sensors/gauge/nothing", "/health/x", "/openapi", "/nervous.js", "/app.html", "//",
        "/..", "/%2e%2e/health",
    ])
    func `an unknown path is a problem`(target: String) async throws {
        try await ServedHost.with { host in
            let answer = try await host.send(Call("GET", target, token: host.owner))
            #expect(answer.status == 404)
            #expect(answer.code == "not-found")
            #expect(answer["content-type"] == "application/problem+json")
        }
    }

    @Test func `every response has the same security headers`() async throws {
        try await ServedHost.with { host in
            for target in ["/health", "/api/v1/me", "/nothing"] {
                let answer = try await host.send(Call("GET", target))
                #expect(answer["cache-control"] == "no-store")
                #expect(answer["x-content-type-options"] == "nosniff")
                #expect(answer["referrer-policy"] == "no-referrer")
                #expect(answer["x-request-id"]?.isEmpty == false)
            }
        }
    }

    @Test func `HEAD has the headers of GET, without the body`() async throws {
        try await ServedHost.with { host in
            for target in [
                "/health", "/api/v1/sensors", "/api/v1/sensors/none", "/x", "/openapi.json",
            ] {
                let get = try await host.send(Call("GET", target, token: host.owner))
                let head = try await host.send(Call("HEAD", target, token: host.owner))
                #expect(head.status == get.status)
                #expect(head["content-type"] == get["content-type"])
                #expect(head["content-length"] == get["content-length"])
                #expect(head.body.isEmpty)
            }
        }
    }
}
