import AppRuns
import Auth
import TestSupport
import Testing
import Text

@testable import Provider

/// Calls to other servers through the host.
struct FetchRouteTests {
    private static func privileges(_ origins: String...) -> String {
        let list = origins.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"[{"net": [\#(list)], "reason": "Shows the weather"}]"#
    }

    private static func fetch(
        _ host: ServedHost, _ token: String, _ url: String, method: String = "GET",
        headers: String = "{}", type: String? = nil, body: [UInt8]? = nil, app: String = "my-app"
    ) async throws -> Answer {
        let request = #"{"url": "\#(url)", "method": "\#(method)", "headers": \#(headers)}"#
        return try await host.send(
            Call(
                "POST", "/api/v1/fetch", token: token, host: "\(app).localhost:\(host.port)",
                headers: [("Nervous-Request", request)]
                    + (type.map { [("Content-Type", $0)] } ?? []),
                body: body))
    }

    private static func metadata(_ answer: Answer) throws -> JSONValue {
        let text = try #require(answer["nervous-answer"])
        return try StrictJSON().parse(Array(text.utf8))
    }

    @Test func `the response of an allowed server is returned unchanged`() async throws {
        let bytes = String(decoding: (0...127).map { UInt8($0) }, as: UTF8.self)
        try await LocalServer.with { request in
            .answer(
                bytes, status: "201 Created",
                fields: [
                    ("Content-Type", "text/html"), ("Set-Cookie", "a=b"), ("X-One", "1"),
                    ("X-One", "2 \u{e9}\\\""),
                ])
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                try await host.install(privileges: Self.privileges(origin))
                try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                let token = try await host.begin().token
                let answer = try await Self.fetch(
                    host, token, "\(origin)/a?b", method: "POST", headers: #"{"X-Mine": "yes"}"#,
                    type: "text/x-own; a=b", body: [0, 255, 128])
                #expect(answer.status == 200)
                #expect(answer["content-type"] == "application/octet-stream")
                #expect(answer["set-cookie"] == nil)
                #expect(answer.body == Array(bytes.utf8))
                let metadata = try Self.metadata(answer)
                #expect(metadata["status"]?.number?.int64 == 201)
                #expect(metadata["url"]?.string == "\(origin)/a?b")
                #expect(metadata["redirected"]?.bool == false)
                #expect(metadata["headers"]?["content-type"]?.string == "text/html")
                #expect(metadata["headers"]?["x-one"]?.string == "1, 2 \u{e9}\\\"")
                #expect(metadata["headers"]?["set-cookie"] == nil)
                let request = try #require(server.received.first)
                #expect(request.body == [0, 255, 128])
                #expect(request["content-type"] == "text/x-own; a=b")
                #expect(request["x-mine"] == "yes")
                #expect(request["authorization"] == nil)
            }
        }
    }

    @Test func `each origin is requested and decided separately`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let (first, second) = ("http://127.0.0.1:\(server.port)", "https://api.example.org")
            try await ServedHost.with { host in
                try await host.install(privileges: Self.privileges(first, second))
                let app = try await host.send(
                    Call("GET", "/api/v1/apps/my-app", token: host.owner)
                ).json()
                #expect(
                    app["privileges"]?.array?.compactMap { $0["privilege"]?.string }
                        == ["net:\(first)", "net:\(second)"])
                #expect(
                    app["privileges"]?.array?.allSatisfy { $0["state"]?.string == "prompt" } == true
                )
                let token = try await host.begin().token
                let open = try await Self.fetch(host, token, first)
                #expect(open.status == 403 && open.code == "undecided")
                #expect(
                    try open.json()["fix"]?.string?.contains("Ask the owner to allow net:")
                        == true)
                let path = "/api/v1/grants/my-app/net%3Ahttp%3A%2F%2F127.0.0.1%3A\(server.port)"
                let decision = try await host.send(
                    Call(
                        "PUT", path, token: host.owner, json: #"{"decision": "allow-always"}"#))
                #expect(decision.status == 200, "\(decision.text)")
                #expect(try await Self.fetch(host, token, first).status == 200)
                let denied = try await Self.fetch(host, token, second)
                #expect(denied.code == "undecided")
                // A revocation affects the next call.
                try await host.decide(.deny, "net:\(first)", by: "my-app")
                #expect(try await Self.fetch(host, token, first).code == "denied")
                #expect(server.received.count == 1)
            }
        }
    }

    @Test func `an undeclared server is refused, with the declaration to add`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install(privileges: Self.privileges("https://api.example.org"))
            let token = try await host.begin().token
            let answer = try await Self.fetch(host, token, "https://other.example:8443/secret?x")
            #expect(answer.status == 403)
            #expect(answer.code == "undeclared")
            let problem = try answer.json()
            #expect(problem["privilege"]?.string == "net:https://other.example:8443")
            #expect(
                problem["fix"]?.string?.contains(#"{ "net": ["https://other.example:8443"]"#)
                    == true)
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test func `a redirect to a server that was not allowed is refused and named`()
        async throws
    {
        try await LocalServer.with { _ in
            .answer()
        } _: { second in
            let place = "http://127.0.0.1:\(second.port)"
            try await LocalServer.with { _ in
                .redirect(to: place)
            } _: { first in
                let origin = "http://127.0.0.1:\(first.port)"
                try await ServedHost.with { host in
                    try await host.install(privileges: Self.privileges(origin, place))
                    try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                    let token = try await host.begin().token
                    let refused = try await Self.fetch(host, token, origin)
                    #expect(refused.status == 403 && refused.code == "redirect-refused")
                    #expect(try refused.json()["privilege"]?.string == "net:\(place)")
                    #expect(
                        try refused.json()["detail"]?.string?.hasPrefix(
                            "\(origin) redirects to \(place).") == true)
                    #expect(second.received.isEmpty)
                    try await host.decide(.allowAlways, "net:\(place)", by: "my-app")
                    let answer = try await Self.fetch(host, token, origin)
                    #expect(try Self.metadata(answer)["redirected"]?.bool == true)
                    #expect(try Self.metadata(answer)["url"]?.string == "\(place)/")
                    // The owner needs no grant, but redirects to other origins are refused.
                    let owners = try await host.send(
                        Call(
                            "POST", "/api/v1/fetch", token: host.owner,
                            headers: [("Nervous-Request", #"{"url": "\#(origin)"}"#)]))
                    #expect(owners.code == "redirect-refused")
                }
            }
        }
    }

    @Test func `a published app requests a server at first use`() async throws {
        try await LocalServer.with { _ in
            .answer("weather")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                try await host.installPublished()
                let token = try await host.begin("old-one").token
                async let answer = Self.fetch(host, token, "\(origin)/x", app: "old-one")
                var request: JSONValue?
                while request == nil {
                    let open = try await host.send(
                        Call("GET", "/api/v1/requests", token: host.owner))
                    request = try open.json()["items"]?.array?.first
                }
                #expect(request?["privilege"]?.string == "net:\(origin)")
                #expect(server.received.isEmpty)
                try await host.decide(.allowAlways, "net:\(origin)", by: "old-one")
                #expect(try await answer.text == "weather")
            }
        }
    }

    @Test func `the owner is not asked about this host and forbidden addresses`() async throws {
        try await ServedHost.with { host in
            try await host.installPublished()
            let token = try await host.begin("old-one").token
            for (url, code) in [
                ("http://localhost:\(host.port)/api/v1/me", "own-host"),
                ("http://127.0.0.1:\(host.port)/", "own-host"),
                ("http://other.localhost:\(host.port)/", "address-refused"),
                ("http://169.254.169.254/latest/meta-data", "address-refused"),
                ("http://0.0.0.0:\(host.port)/", "address-refused"),
            ] {
                let answer = try await Self.fetch(host, token, url, app: "old-one")
                #expect(answer.status == 403 && answer.code == code, "\(url): \(answer.text)")
            }
            #expect(await host.authority.pendingRequests().isEmpty)
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"url": 1}"#, #"{"url": "https://a.org", "x": 1}"#,
        #"{"url": "https://a.org", "url": "https://b.org"}"#,
        #"{"url": "https://a.org", "method": 1}"#, #"{"url": "https://a.org", "headers": []}"#,
        #"{"url": "https://a.org", "headers": {"a": 1}}"#,
        #"{"url": "https://a.org", "headers": {"a b": "x"}}"#,
        #"{"url": "https://a.org", "headers": {"a": "x\r\ny: z"}}"#,
        #"{"url": "https://a.org", "method": "CONNECT"}"#,
        #"{"url": "ftp://a.org"}"#, #"{"url": "https://u:p@a.org"}"#,
        #"{"url": "https://2130706433"}"#, #"{"url": "https://a.org\\@b.org"}"#,
    ])
    func `an invalid request is rejected`(_ request: String) async throws {
        try await ServedHost.with { host in
            let answer = try await host.send(
                Call(
                    "POST", "/api/v1/fetch", token: host.owner,
                    headers: [("Nervous-Request", request)]))
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    @Test func `too many calls are rate-limited`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            var budget = RunBudget()
            budget.fetch.callsPerMinute = 2
            let chosen = budget
            try await ServedHost.with(budget: { _ in chosen }) { host in
                let token = try await host.client(allow: ["net:\(origin)"])
                func call() async throws -> Answer {
                    try await host.send(
                        Call(
                            "POST", "/api/v1/fetch", token: token,
                            headers: [("Nervous-Request", #"{"url": "\#(origin)"}"#)]))
                }
                #expect(try await call().status == 200)
                #expect(try await call().status == 200)
                let late = try await call()
                #expect(late.status == 429 && late.code == "too-many-calls")
                #expect(late["retry-after"].flatMap { Int($0) } ?? 0 > 0)
                #expect(server.received.count == 2)
            }
        }
    }

    @Test func `a pin of the manifest is stored and shown`() async throws {
        let certificate = try await TestCertificate(names: ["DNS:box.local"])
        let pin = try certificate.pins().key
        try await LocalServer.with(certificate: certificate) { _ in
            .answer("box")
        } _: { server in
            let (own, other) = (
                "https://localhost:\(server.port)", "https://127.0.0.1:\(server.port)"
            )
            try await ServedHost.with { host in
                try await host.install(
                    privileges: """
                        [{"net": ["\(own)", "\(other)"], "reason": "r", "pin": {"\(own)": "\(pin)"}}]
                        """)
                for origin in [own, other] {
                    try await host.decide(.allowAlways, "net:\(origin)", by: "my-app")
                }
                let app = try await host.send(
                    Call("GET", "/api/v1/apps/my-app", token: host.owner)
                ).json()
                #expect(app["privileges"]?.array?.first?["pin"]?.string == pin)
                let token = try await host.begin().token
                #expect(try await Self.fetch(host, token, own).text == "box")
                let refused = try await Self.fetch(host, token, other)
                #expect(refused.status == 502 && refused.code == "untrusted-certificate")
            }
        }
    }
}
