import API
import Auth
import Foundation
import TestSupport
import Testing
import Text

@testable import Provider

/// The dashboard: its files, and who gets and may use a token of its sessions.
@Suite(.timeLimit(.minutes(10)))
struct DashboardTests {
    private static let opened = [
        ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
        ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ]
    private static let html = [("Accept", "text/html")]

    private static func nonce(in page: Answer) -> String? {
        page.text.firstMatch(of: /<meta name="nervous-page" content="([^"]+)">/)
            .map { String($0.1) }
    }

    private static func open(
        _ host: ServedHost, at name: String = "localhost",
        headers: [(String, String)] = opened
    ) async throws -> Answer {
        try await host.send(Call("GET", "/?open", host: "\(name):\(host.port)", headers: headers))
    }

    private static func code(_ host: ServedHost) async throws -> String {
        let answer = try await host.send(Call("POST", "/api/v1/dashboard", token: host.owner))
        #expect(answer.status == 201)
        let url = try #require(try answer.json()["url"]?.string)
        let start = "http://localhost:\(host.port)/?open#launch="
        #expect(url.hasPrefix(start))
        return String(url.dropFirst(start.count))
    }

    private static func redeem(
        _ host: ServedHost, _ code: String, page: String, at name: String = "localhost",
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await host.send(
            Call(
                "POST", "/api/v1/launch", host: "\(name):\(host.port)", headers: headers,
                json: #"{"code": "\#(code)", "page": "\#(page)"}"#))
    }

    /// The token of a new session.
    private static func begin(_ host: ServedHost) async throws -> String {
        let code = try await code(host)
        let nonce = try #require(nonce(in: try await open(host)))
        let answer = try await redeem(host, code, page: nonce)
        #expect(answer.status == 201)
        return try #require(try answer.json()["token"]?.string)
    }

    // MARK: - Files

    @Test func `every path of the dashboard has the same page, with its policy`() async throws {
        try await ServedHost.with { host in
            var pages: Set<String> = []
            for path in [
                "/", "/sensors/cpu", "/sensors/network.eth0", "/apps", "/apps/my-app", "/activity",
                "/sessions", "/sessions/s-1", "/alerts", "/alerts/busy", "/machine", "/?open",
                "/apps?x=1",
            ] {
                let answer = try await host.send(Call("GET", path, headers: Self.opened))
                #expect(answer.status == 200, "\(path)")
                #expect(answer["content-type"] == "text/html; charset=utf-8")
                #expect(answer["cache-control"] == "no-cache")
                #expect(answer["referrer-policy"] == "origin")
                #expect(answer["cross-origin-opener-policy"] == "same-origin")
                #expect(answer["cross-origin-resource-policy"] == "same-origin")
                let policy = try #require(answer["content-security-policy"])
                for part in [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'",
                    "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'",
                    "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
                ] {
                    #expect(policy.contains(part), "\(part)")
                }
                #expect(!policy.contains("unsafe"))
                #expect(Self.nonce(in: answer) == nil)
                pages.insert(answer.text)
                let head = try await host.send(Call("HEAD", path, headers: Self.opened))
                #expect(head.status == 200 && head.body.isEmpty)
                let post = try await host.send(Call("POST", path, headers: Self.html))
                #expect(post.status == 405, "\(path)")
            }
            #expect(pages.count == 1)
            for path in [
                "/x", "/apps/", "/apps/a/b", "/sensors", "/sensors/", "/settings/my-app",
                "//", "/machine/x", "/index.html", "/dashboard", "/dashboard/",
                "/dashboard/../dashboard.js", "/dashboard/%2e%2e/index.html", "/dashboard/none.js",
                "/lib/", "/lib/none.js",
            ] {
                let answer = try await host.send(Call("GET", path))
                #expect(answer.status == 404, "\(path)")
                #expect(answer.code == "not-found", "\(path)")
                let page = try await host.send(Call("GET", path, headers: Self.opened))
                #expect(page.status == 404, "\(path)")
                #expect(page["content-type"] == "text/html; charset=utf-8", "\(path)")
            }
        }
    }

    @Test func `a browser gets a page for an address at which there is nothing`() async throws {
        try await ServedHost.with { host in
            func page(
                _ path: String, _ method: String = "GET",
                _ headers: [(String, String)] = Self.opened
            ) async throws -> Answer {
                try await host.send(Call(method, path, headers: headers))
            }
            let found = try await page("/nothing/here?token=x")
            #expect(found.status == 404)
            for part in [
                "There is no page at this address", "<code>/nothing/here</code>",
                #"<a class="button" href="/">"#, "nervous open",
            ] {
                #expect(found.text.contains(part), "\(part)")
            }
            // A query can contain secrets, which must not be on a screen.
            #expect(!found.text.contains("token"))
            #expect(!found.text.contains("<script") && !found.text.contains("nervous-page"))
            let policy = try #require(found["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; img-src data:;"))
            #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("script-src"))
            #expect(found["cache-control"] == "no-store")
            // The address is shown as a text, and in one line of limited length.
            for (path, shown) in [
                ("/<script>alert(1)</script>", "/&lt;script&gt;alert(1)&lt;/script&gt;"),
                ("/\"onload=x&amp;", "/&quot;onload=x&amp;amp;"),
                ("/%3Cb%3E", "/%3Cb%3E"),
                ("/" + String(repeating: "a", count: 5000), "aaa…</code>"),
            ] {
                // Not through a client that would escape it.
                let lines = [
                    "GET \(path) HTTP/1.1", "Host: localhost:\(host.port)", "Accept: text/html",
                    "Connection: close", "", "",
                ]
                let raw = try await host.raw(Array(lines.joined(separator: "\r\n").utf8))
                let answer = try Answer(parsing: raw)
                if answer.status == 404 {
                    #expect(answer.text.contains(shown), "\(path.prefix(40))")
                } else {
                    #expect(answer.status == 400, "\(path.prefix(40))")
                }
                #expect(!answer.text.contains("<script>") && !answer.text.contains("\"onload"))
                #expect(answer.text.utf8.count < 3000)
            }
            let head = try await page("/nothing", "HEAD")
            #expect(head.status == 404 && head.body.isEmpty)
            // Programs, calls of the API and other methods get a problem.
            for (path, method, headers) in [
                ("/nothing", "GET", []), ("/nothing", "GET", [("Accept", "application/json")]),
                ("/nothing", "GET", [("Accept", "*/*")]), ("/nothing", "POST", Self.html),
                ("/api/v1/nothing", "GET", Self.opened), ("/nervous-api/x", "GET", Self.opened),
            ] {
                let answer = try await page(path, method, headers)
                #expect(answer["content-type"] == "application/problem+json", "\(method) \(path)")
                #expect(answer.code == "not-found", "\(method) \(path)")
            }
        }
    }

    @Test(arguments: [[], [("Accept", "*/*")], [("Accept", "application/json")]])
    func `a program gets a problem that names the command`(
        headers: [(String, String)]
    ) async throws {
        try await ServedHost.with { host in
            let answer = try await host.send(Call("GET", "/", headers: headers))
            #expect(answer.status == 404)
            #expect(answer["content-type"] == "application/problem+json")
            #expect(answer.code == "not-found")
            #expect(try answer.json()["fix"]?.string?.contains("nervous open") == true)
        }
    }

    /// The files that `dashboard.c` joins to each file that is served, by the name of that file.
    private static func parts() throws -> [String: [String]] {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources")
            .standardizedFileURL.path(percentEncoded: false)
        let folder = "\(sources)/System/CResources"
        let charts = try String(contentsOfFile: "\(folder)/charts.h", encoding: .utf8)
        let list = try String(contentsOfFile: "\(folder)/dashboard.c", encoding: .utf8)
            .replacing("#include \"charts.h\"", with: charts)
        var parts: [String: [String]] = [:]
        for array in list.matches(of: /char (\w+)\[\] = \{\n([^}]*)\}/) {
            parts[String(array.1)] = array.2.matches(of: /#embed "..\/..\/([^"]+)"/).map {
                "\(sources)/\($0.1)"
            }
        }
        let files = list.matches(of: /FILE\("([^"]+)", (\w+)\)/)
        return try Dictionary(
            uniqueKeysWithValues: files.map {
                (String($0.1), try #require(parts[String($0.2)], "\($0.1)"))
            })
    }

    @Test func `every file of the folder is served, and again only when it changed`() async throws {
        let folder = URL(filePath: #filePath).appending(
            path: "../../../../Sources/Provider/Resources/dashboard"
        ).standardizedFileURL.path(percentEncoded: false)
        let parts = try Self.parts()
        #expect(parts.count >= 15)
        // Those in a folder are parts of a module, and are not served by themselves.
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.contains(".") }
        let known = Set(parts.values.joined())
        #expect(known == Set(files.map { "\(folder)/\($0)" }), "see dashboard.c")
        try await ServedHost.with { host in
            try await host.install()
            for part in files where part.contains("/") {
                let answer = try await host.send(Call("GET", "/dashboard/\(part)"))
                #expect(answer.status == 404, "\(part)")
            }
            for (name, paths) in parts {
                let target = "/dashboard/\(name)"
                let answer = try await host.send(Call("GET", target))
                #expect(answer.status == 200, "\(name)")
                let expected = try paths.reduce(into: Data()) {
                    $0 += try Data(contentsOf: URL(filePath: $1))
                }
                #expect(answer.body == Array(expected), "\(name)")
                #expect(answer["content-encoding"] == nil)
                #expect(answer["content-type"]?.hasPrefix("text/") == true)
                #expect(answer["cache-control"] == "no-cache")
                let tag = try #require(answer["etag"])
                let again = try await host.send(
                    Call("GET", target, headers: [("If-None-Match", "\"x\", W/\(tag)")]))
                #expect(again.status == 304 && again.body.isEmpty)
                let other = try await host.send(
                    Call("GET", target, headers: [("If-None-Match", "\"x\"")]))
                #expect(other.status == 200)
                // The files are the owner's origin's only.
                let app = Call("GET", target, host: "my-app.localhost:\(host.port)")
                #expect(try await host.send(app).status == 404)
                let worker = try await host.send(
                    Call("GET", target, headers: [("Service-Worker", "script")]))
                #expect(worker.status == 403)
            }
            for name in ["localhost", "127.0.0.1", "my-app.localhost"] {
                let charts = try await host.send(
                    Call("GET", "/lib/charts.js", host: "\(name):\(host.port)"))
                #expect(charts.status == 200, "\(name)")
                #expect(charts["content-type"] == "text/javascript; charset=utf-8")
            }
        }
    }

    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("x-gzip", true), ("GZip; Q=0.1", true),
            ("gzip, deflate, br, zstd", true), ("*", true), ("br, *;q=0.1", true), ("br", false),
            ("identity", false), ("gzip;q=0", false), ("gzip;q=0.000, *", false), ("*;q=0", false),
            ("gzip;q=0.5, identity", false), ("identity;q=0.5, gzip;q=0.5", true),
            ("identity;q=0, gzip;q=0", false), ("gzip2, notgzip", false),
        ] as [(String?, Bool)])
    func `a file is compressed if the client prefers that`(accepted: String?, isCompressed: Bool)
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            let headers = accepted.map { [("Accept-Encoding", $0)] } ?? []
            for (target, name) in [
                ("/dashboard/dashboard.js", "localhost"), ("/dashboard/dashboard.css", "127.0.0.1"),
                ("/lib/charts.js", "localhost"), ("/lib/charts.js", "my-app.localhost"),
                ("/", "localhost"),
            ] {
                let place = "\(name):\(host.port)"
                let asked = target == "/" ? Self.opened : []
                let plain = try await host.send(Call("GET", target, host: place, headers: asked))
                let call = { method, more in
                    Call(method, target, host: place, headers: asked + headers + more)
                }
                let answer = try await host.send(call("GET", []))
                #expect(answer.status == 200)
                #expect(answer["content-encoding"] == (isCompressed ? "gzip" : nil), "\(target)")
                #expect(answer["vary"] == "Accept-Encoding" && plain["vary"] == "Accept-Encoding")
                #expect(answer["content-type"] == plain["content-type"])
                #expect(answer["content-length"] == "\(answer.body.count)")
                let tag = try #require(answer["etag"])
                #expect(tag.hasPrefix("\""))
                if isCompressed {
                    #expect(try Gzip.decompressed(answer.body, upTo: 1 << 20) == plain.body)
                    #expect(answer.body.count < plain.body.count / 2)
                    #expect(tag != plain["etag"])
                } else {
                    #expect(answer.body == plain.body)
                    #expect(tag == plain["etag"])
                }
                let head = try await host.send(call("HEAD", []))
                #expect(head.body.isEmpty && head["content-length"] == answer["content-length"])
                #expect(head["content-encoding"] == answer["content-encoding"])
                #expect(head["etag"] == tag)
                for known in [tag, "\"x\", W/\(tag)", "*"] {
                    let again = try await host.send(call("GET", [("If-None-Match", known)]))
                    #expect(again.status == 304 && again.body.isEmpty, "\(known)")
                    #expect(again["vary"] == "Accept-Encoding" && again["etag"] == tag)
                }
                // The other form has another tag.
                let other = try await host.send(
                    Call(
                        "GET", target, host: place,
                        headers: asked + [
                            ("Accept-Encoding", isCompressed ? "identity" : "gzip"),
                            ("If-None-Match", tag),
                        ]))
                #expect(other.status == 200 && !other.body.isEmpty)
            }
        }
    }

    @Test func `a page with a nonce and an answer of the API are not compressed`() async throws {
        try await ServedHost.with { host in
            let headers = Self.opened + [("Accept-Encoding", "gzip, *")]
            #expect(try await Self.open(host, headers: headers)["content-encoding"] == "gzip")
            _ = try await Self.code(host)
            let page = try await Self.open(host, headers: headers)
            #expect(page["content-encoding"] == nil)
            #expect(Self.nonce(in: page) != nil)
            let list = try await host.send(
                Call("GET", "/api/v1/sensors", token: host.owner, headers: headers))
            #expect(list.status == 200 && list["content-encoding"] == nil)
        }
    }

    // MARK: - Sessions

    @Test func `the page that the owner opened gets a token, once, and no other page does`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            #expect(Self.nonce(in: try await Self.open(host)) == nil)
            let code = try await Self.code(host)
            for (field, values) in [
                ("Sec-Fetch-Site", ["same-origin", "same-site", "cross-site", nil]),
                ("Sec-Fetch-Mode", ["cors", "no-cors", nil]),
                ("Sec-Fetch-Dest", ["iframe", "empty", "script", nil]),
            ] {
                for value in values {
                    var headers = Self.opened.filter { $0.0 != field }
                    if let value { headers.append((field, value)) }
                    // Not even one that names the dashboard itself.
                    headers.append(("Referer", "http://localhost:\(host.port)/"))
                    let page = try await Self.open(host, headers: headers)
                    #expect(Self.nonce(in: page) == nil, "\(field) \(value ?? "missing")")
                }
            }
            for path in ["/apps", "/dashboard/index.html", "/machine"] {
                let page = try await host.send(Call("GET", path, headers: Self.opened))
                #expect(Self.nonce(in: page) == nil, "\(path)")
            }
            let page = try await Self.open(host)
            #expect(page["cache-control"] == "no-store")
            let nonce = try #require(Self.nonce(in: page))
            let answer = try await Self.redeem(host, code, page: nonce)
            #expect(answer.status == 201)
            // The link was used.
            #expect(Self.nonce(in: try await Self.open(host)) == nil)
            let next = try await Self.code(host)
            #expect(try await Self.redeem(host, code, page: nonce).status == 401)
            // A page that another program served has no nonce, and another page's origin no right.
            #expect(try await Self.redeem(host, next, page: "").status == 401)
            let third = try await Self.code(host)
            let other = try #require(Self.nonce(in: try await Self.open(host)))
            let refused = try await Self.redeem(host, third, page: other, at: "my-app.localhost")
            #expect(refused.status == 401)
            #expect(try refused.json()["fix"]?.string?.contains("nervous open my-app") == true)
        }
    }

    @Test func `another site can neither redeem a code nor call with a token`() async throws {
        try await ServedHost.with { host in
            let token = try await Self.begin(host)
            for headers in [
                [("Origin", "http://evil.example")], [("Origin", "null")],
                [("Origin", "http://localhost:\(host.port + 1)"), ("Sec-Fetch-Site", "same-site")],
                [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "cross-site")],
                [("Origin", "http://my-app.localhost:\(host.port)")],
            ] {
                let code = try await Self.code(host)
                let page = await host.authority.pageNonce(for: .dashboard)
                let redeemed = try await Self.redeem(host, code, page: page, headers: headers)
                #expect(redeemed.status == 403)
                for (method, path) in [
                    ("GET", "/api/v1/status"), ("POST", "/api/v1/dashboard"),
                    ("DELETE", "/api/v1/dashboard?all"), ("GET", "/dashboard/dashboard.js"),
                ] {
                    let answer = try await host.send(
                        Call(method, path, token: token, headers: headers))
                    #expect(answer.status == 403, "\(method) \(path) \(headers)")
                    #expect(answer.code == "cross-origin")
                }
            }
        }
    }

    @Test func `a token is valid at the owner's origin only`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            try await host.install("other-app")
            let token = try await Self.begin(host)
            for name in ["localhost", "127.0.0.1"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/status", token: token, host: "\(name):\(host.port)"))
                #expect(answer.status == 200, "\(name)")
            }
            for name in ["my-app.localhost", "other-app.localhost", "dashboard.localhost"] {
                for path in ["/api/v1/status", "/api/v1/me", "/api/v1/sensors/gauge/latest"] {
                    let answer = try await host.send(
                        Call("GET", path, token: token, host: "\(name):\(host.port)"))
                    #expect(answer.status == 403, "\(name)\(path)")
                    #expect(answer.code == "name-mismatch")
                }
            }
            // It is in no list of tokens and in no file.
            let tokens = try await host.send(Call("GET", "/api/v1/tokens", token: token))
            #expect(tokens.text == #"{"items":[]}"#)
            let log = try await host.send(Call("GET", "/api/v1/access-log", token: token))
            #expect(log.text.contains("dashboard"))
            #expect(!log.text.contains("nvs_"))
            for name in try FileManager.default.subpathsOfDirectory(atPath: host.folder.path) {
                let file = host.folder.appending(path: name)
                let content = (try? Data(contentsOf: file)) ?? Data()
                #expect(content.firstRange(of: Data(token.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test func `what a privilege reveals comes with it, and the pages have no copy`() async throws {
        try await ServedHost.with { host in
            let package = try TestPackage.bytes("second-app", in: host.folder)
            let app = try await host.send(
                Call("POST", "/api/v1/apps?dryRun=true", token: host.owner, body: package)
            ).json()
            let privileges = try #require(app["privileges"]?.array)
            #expect(!privileges.isEmpty)
            let servers = ["https://a.example", "http://box.local", "http://localhost:1"]
            var all = PrivilegeID.others
            all += (servers.map { "net:" + $0 } + ["sensor:cpu", "sensor:x", "sensor:x:write"])
                .compactMap { PrivilegeID($0) }
            #expect(all.count == PrivilegeID.others.count + 6)
            for privilege in privileges {
                let id = try #require(privilege["privilege"]?.string.flatMap { PrivilegeID($0) })
                #expect(privilege["reveals"]?.string == id.disclosure)
                all.append(id)
            }
            for id in all {
                let state = try await host.send(
                    Call(
                        "GET", "/api/v1/permissions/\(APIPath.encoded(id.description))",
                        token: host.owner))
                #expect(try state.json()["reveals"]?.string == id.disclosure, "\(id)")
            }
            for name in ["dashboard.js", "page-texts.js", "requests.js", "install.js"] {
                let file = try await host.send(Call("GET", "/dashboard/\(name)"))
                #expect(file.status == 200)
                for id in all { #expect(!file.text.contains(id.disclosure), "\(name): \(id)") }
            }
        }
    }

    @Test func `its own reads are not summed up as accesses`() async throws {
        try await ServedHost.with { host in
            await host.gauge(1)
            let token = try await Self.begin(host)
            let path = "/api/v1/sensors/gauge/samples"
            #expect(try await host.send(Call("GET", path, token: token)).status == 200)
            let log = try await host.send(Call("GET", "/api/v1/access-log", token: token))
            #expect(log.text.contains(#""client":"dashboard""#))
            try await host.streams("access", token: token) { events in
                await events.read { $0.names.contains("access") }
                #expect(events.data("access") == [#"{"items":[]}"#])
            }
        }
    }

    @Test func `the access log tells the dashboard from commands, programs and apps`() async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            let page = try await Self.begin(host)
            let desk = try await host.authority.createClient("desk", isOwner: true, expires: nil)
            let curl = try await host.client()
            let app = try await host.begin().token
            for token in [page, desk.text, curl, app, host.owner] {
                _ = try await host.send(
                    Call("GET", "/api/v1/sensors/gauge/samples", token: token))
            }
            func kinds(_ query: String) async throws -> [String] {
                let log = try await host.send(
                    Call("GET", "/api/v1/access-log?limit=100\(query)", token: host.owner)
                ).json()
                let reads = log["items"]?.array?.filter { $0["operation"]?.string == "samples" }
                return reads?.compactMap { $0["clientKind"]?.string }.sorted() ?? []
            }
            #expect(try await kinds("") == ["app", "client", "command", "dashboard", "owner"])
            #expect(try await kinds("&owner=false") == ["app", "client", "owner"])
            for kind in ["app", "client", "command", "dashboard", "owner"] {
                #expect(try await kinds("&clientKind=\(kind)") == [kind])
            }
            #expect(try await kinds("&clientKind=command&owner=false").isEmpty)
            let unknown = try await host.send(
                Call("GET", "/api/v1/access-log?clientKind=robot", token: host.owner))
            #expect(unknown.code == "invalid-parameter")
            #expect(unknown.text.contains("command, dashboard, owner, client, app"))
        }
    }

    @Test func `sessions are listed without secrets, and end one by one or all together`()
        async throws
    {
        try await ServedHost.with { host in
            let first = try await Self.begin(host)
            let second = try await Self.begin(host)
            let list = try await host.send(Call("GET", "/api/v1/dashboard", token: second))
            let items = try #require(try list.json()["items"]?.array)
            #expect(items.count == 2)
            #expect(items.count { $0["current"]?.bool == true } == 1)
            #expect(items.allSatisfy { $0["began"]?.number != nil && $0["used"]?.number != nil })
            #expect(!list.text.contains("nvs_"))
            func end(_ query: String, _ token: String?) async throws -> Int {
                try await host.send(
                    Call("DELETE", "/api/v1/dashboard\(query)", token: token)
                ).status
            }
            func status(_ token: String) async throws -> Int {
                try await host.send(Call("GET", "/api/v1/status", token: token)).status
            }
            #expect(try await end("", host.owner) == 404)
            #expect(try await end("?all=maybe", host.owner) == 400)
            #expect(try await end("?every", host.owner) == 400)
            #expect(try await end("", try await host.client()) == 403)
            #expect(try await end("?all", nil) == 401)
            #expect(try await end("", first) == 204)
            #expect(try await status(first) == 401)
            #expect(try await status(second) == 200)
            let pending = try await Self.code(host)
            #expect(try await end("?all", host.owner) == 204)
            #expect(try await status(second) == 401)
            #expect(Self.nonce(in: try await Self.open(host)) == nil)
            let nonce = await host.authority.pageNonce(for: .dashboard)
            #expect(try await Self.redeem(host, pending, page: nonce).status == 401)
            let third = try await Self.begin(host)
            #expect(try await end("?all=true", third) == 204)
            #expect(try await status(third) == 401)
        }
    }

    // MARK: - Map tiles

    @Test func `a page with a session gets map tiles, and nothing else beside them`() async throws {
        try await ServedHost.with { host in
            let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 7]
            let folder = host.folder.appending(path: "tiles")
            for (name, bytes) in [
                ("12/2145/1434.png", png), ("12/2145/1435.png", Array("<script>".utf8)),
                ("secret.png", png), ("attribution.txt", Array("© <b>A</b>".utf8)),
            ] {
                let file = folder.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(bytes).write(to: file)
            }
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "12/2145/1436.png"),
                withDestinationURL: folder.appending(path: "secret.png"))
            let session = try await Self.begin(host)
            func tile(
                _ path: String, _ token: String?, _ method: String = "GET",
                at name: String = "localhost"
            ) async throws -> Answer {
                try await host.send(
                    Call(
                        method, "/dashboard/tiles\(path)", token: token,
                        host: "\(name):\(host.port)"))
            }
            let found = try await tile("/12/2145/1434", session)
            #expect(found.status == 200 && found.body == png)
            #expect(found["content-type"] == "image/png")
            #expect(found["cache-control"] == "no-store")
            #expect(found["x-content-type-options"] == "nosniff")
            let contents = try await tile("", session)
            #expect(contents.text == #"{"attribution":"© <b>A</b>","zooms":[12]}"#)
            for path in [
                "/12/2145/1435", "/12/2145/1436", "/12/2145/1437", "/12/2145/1434.png", "/12/2145",
                "/12/2145/", "/", "/../secret", "/12/../secret", "/12/2145/../../secret",
                "/12/2145/%2e%2e", "/12/2145/..%2f..%2fsecret", "/secret.png", "/attribution.txt",
                "//etc/passwd", "/12/2145/-1", "/12/4096/0", "/012/2145/1434", "/99/0/0",
            ] {
                let answer = try await tile(path, session)
                #expect(answer.status == 404 && answer.code == "not-found", "\(path)")
            }
            // Not even the owner's other tokens: they are for programs.
            for token in [nil, host.owner, "nvs_x", try await host.client()] {
                for path in ["", "/12/2145/1434"] {
                    #expect(try await tile(path, token).status == 401, "\(path)")
                }
            }
            #expect(try await tile("/12/2145/1434", session, at: "my-app.localhost").status == 404)
            #expect(try await tile("/12/2145/1434", session, "POST").status == 405)
        }
    }

    // MARK: - Pages of apps

    @Test func `the dashboard opens the page of an app, and another site cannot`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let token = try await Self.begin(host)
            func nonce(_ site: String, _ referer: String?) async throws -> String? {
                let made = try await host.send(
                    Call("POST", "/api/v1/apps/my-app/launch", token: token))
                #expect(made.status == 201)
                var headers = [("Sec-Fetch-Site", site)] + Self.opened.dropFirst()
                if let referer { headers.append(("Referer", referer)) }
                let page = try await Self.open(host, at: "my-app.localhost", headers: headers)
                #expect(page.status == 200)
                return Self.nonce(in: page)
            }
            let dashboard = "http://localhost:\(host.port)/"
            #expect(try await nonce("cross-site", dashboard) != nil)
            #expect(try await nonce("same-site", dashboard) != nil)
            #expect(try await nonce("same-origin", dashboard) == nil)
            for referer in [
                nil, "http://localhost/", "http://localhost:\(host.port + 1)/",
                "http://evil.localhost:\(host.port)/", "http://my-app.localhost:\(host.port)/",
                "http://localhost:\(host.port)/apps", "http://localhost:\(host.port)@evil.example/",
                "https://localhost:\(host.port)/", "",
            ] {
                #expect(try await nonce("cross-site", referer) == nil, "\(referer ?? "none")")
            }
        }
    }

    @Test func `a reloaded page of an app leads to the dashboard`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let name = "my-app.localhost"
            for site in ["none", "same-origin", "cross-site"] {
                let headers = [("Sec-Fetch-Site", site)] + Self.opened.dropFirst()
                let page = try await host.send(
                    Call("GET", "/", host: "\(name):\(host.port)", headers: headers))
                #expect(page.status == 303, "\(site)")
                // Without a fragment the browser would keep that of the used link.
                #expect(page["location"] == "http://localhost:\(host.port)/apps/my-app#reopen")
                #expect(page["cache-control"] == "no-store")
            }
            // Other files and programs get what they ask for, and so does a page that is launched.
            for (target, headers) in [("/app.html", Self.opened), ("/", Self.html), ("/", [])] {
                let file = try await host.send(
                    Call("GET", target, host: "\(name):\(host.port)", headers: headers))
                #expect(file.status == 200, "\(target)")
            }
            _ = try await host.authority.launchCode(for: .app("my-app"))
            #expect(try await Self.open(host, at: name).status == 200)
            let none = try await Self.open(host, at: "none.localhost")
            #expect(none.status == 404)
        }
    }
}
