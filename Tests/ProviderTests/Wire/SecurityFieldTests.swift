import Foundation
import HTTPTypes
import Testing

@testable import Provider

/// Every answer of the server has the security header fields.
@Suite(.timeLimit(.minutes(10)))
struct SecurityFieldTests {
    private static let fields = [
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"), ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"), ("x-dns-prefetch-control", "off"),
    ]

    private static func check(_ answer: Answer, _ what: String) {
        for (name, value) in fields {
            #expect(answer.headers.filter { $0.name == name }.map(\.value) == [value], "\(what)")
        }
        #expect(answer["cache-control"] != nil, "\(what)")
        let policy = answer["content-security-policy"] ?? ""
        #expect(policy.contains("default-src"), "\(what)")
        #expect(policy.contains("frame-ancestors 'none'") || answer.status == 200, "\(what)")
        #expect(answer["access-control-allow-origin"] == nil, "\(what)")
        #expect(answer["set-cookie"] == nil, "\(what)")
    }

    @Test func `every route has security fields for every method, with or without a token`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            let client = try await host.client()
            for (path, taken) in host.provider.resources {
                let target = path.replacing(/\{[a-z]+\}/, with: "gauge")
                for method in RouteTable.methods.map(\.rawValue) + ["PROPFIND"] {
                    // With a token, some routes answer with an endless stream.
                    let isRoute = taken.contains { $0.rawValue == method }
                    for token in isRoute ? [nil] : [nil, client] {
                        let answer = try await host.send(Call(method, target, token: token))
                        Self.check(answer, "\(method) \(target)")
                    }
                }
            }
        }
    }

    @Test func `answers to the owner have security fields`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            for target in [
                "/health", "/openapi.json", "/api/v1/me", "/api/v1/apps",
                "/api/v1/sensors/none", "/api/v1/apps/my-app/icon", "/api/v1/status",
            ] {
                Self.check(try await host.send(Call("GET", target, token: host.owner)), target)
            }
        }
    }

    @Test func `an app's origin has security fields, whether the app is installed or not`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            var seen: Set<Int> = []
            for app in ["my-app", "none", "-"] {
                for target in [
                    "/", "/app.js", "/app.html", "/nothing", "/nervous.js", "/_host/none", "/lib/x",
                    "/favicon.ico", "/%00", "/api/v1/me", "/api/none",
                ] {
                    for method in ["GET", "HEAD", "POST"] {
                        let answer = try await host.send(
                            Call(method, target, host: "\(app).localhost:\(host.port)"))
                        seen.insert(answer.status)
                        Self.check(answer, "\(method) \(app) \(target)")
                    }
                }
            }
            #expect(seen.isSuperset(of: [200, 204, 401, 404, 405]))
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: HOST\r\nOrigin: http://x\r\nConnection: close\r\n\r\n",
        "GET /health HTTP/9.9\r\n\r\n", "G@T /health HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))\r\nHost: HOST\r\n\r\n",
    ])
    func `an answer to a request that reaches no route has security fields`(request: String)
        async throws
    {
        try await ServedHost.with { host in
            let text = request.replacing("HOST", with: "localhost:\(host.port)")
            let answer = try Answer(parsing: await host.raw(Array(text.utf8)))
            #expect(400..<500 ~= answer.status)
            Self.check(answer, "\(request.prefix(100))")
        }
    }

    /// Browsers report an unknown directive on the console of every page, and ignore it.
    @Test func `policies have only directives that browsers implement`() async throws {
        let known: Set = [
            "default-src", "script-src", "style-src", "img-src", "connect-src", "base-uri",
            "form-action", "frame-ancestors", "object-src", "require-trusted-types-for",
            "trusted-types",
        ]
        try await ServedHost.with { host in
            try await host.install()
            for (target, name) in [
                ("/", "my-app.localhost"), ("/app.html", "my-app.localhost"),
                ("/nothing", "my-app.localhost"), ("/health", "localhost"), ("/", "localhost"),
                ("/nothing", "localhost"),
            ] {
                let answer = try await host.send(
                    Call(
                        "GET", target, host: "\(name):\(host.port)",
                        headers: [("Accept", "text/html")]))
                let policy = try #require(answer["content-security-policy"])
                let directives = policy.split(separator: ";").compactMap {
                    $0.split(separator: " ").first.map(String.init)
                }
                #expect(directives.contains("default-src"), "\(target)")
                #expect(known.isSuperset(of: directives), "\(target)")
            }
        }
    }
}
