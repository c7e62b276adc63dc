import Auth
import TestSupport
import Testing
import Text

@testable import Provider

/// Packages that the host downloads for the owner.
@Suite(.timeLimit(.minutes(10)))
struct DownloadRouteTests {
    private static func call(
        _ host: ServedHost, _ method: String, _ target: String, json: String? = nil,
        token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(method, "/api/v1" + target, token: token ?? host.owner, json: json))
    }

    /// Starts a download.
    private static func begin(
        _ host: ServedHost, _ url: String
    ) async throws -> (id: String, answer: Answer) {
        let answer = try await call(host, "POST", "/downloads", json: #"{"url": "\#(url)"}"#)
        return (try answer.json()["id"]?.string ?? "", answer)
    }

    /// The state of a download that is not received any more.
    private static func end(_ host: ServedHost, _ id: String) async throws -> JSONValue {
        while true {
            let state = try await call(host, "GET", "/downloads/\(id)").json()
            guard state["state"]?.string == "receiving" else { return state }
        }
    }

    /// The entries about downloads, oldest first.
    private static func logged(_ host: ServedHost, _ query: String = "") async throws -> [JSONValue]
    {
        let log = try await call(host, "GET", "/access-log?kind=download&owner=false" + query)
        for text in ["secret", "key=1"] { #expect(!log.text.contains(text)) }
        return try log.json()["items"]?.array?.reversed() ?? []
    }

    private static func http(_ body: [UInt8]) -> LocalServer.Reply {
        .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    }

    @Test func `a downloaded package is shown first and then installed unchanged`() async throws {
        try await ServedHost.with { host in
            let package = try TestPackage.bytes("second-app", in: host.folder)
            try await LocalServer.with({ _ in Self.http(package) }) { server in
                let url = "http://ann:secret@127.0.0.1:\(server.port)/a.zip?key=1"
                let (id, begun) = try await Self.begin(host, url)
                #expect(begun.status == 201)
                #expect(begun["location"] == "/api/v1/downloads/\(id)")
                let done = try await Self.end(host, id)
                #expect(done["state"]?.string == "complete")
                #expect(done["received"]?.number?.int64 == Int64(package.count))
                #expect(done["total"]?.number?.int64 == Int64(package.count))
                #expect(done["address"]?.string == "http://127.0.0.1:\(server.port)/a.zip?…")
                #expect(done["encrypted"]?.bool == true)
                #expect(server.received.first?["Authorization"] != nil)
                let json = #"{"download": "\#(id)"}"#
                let shown = try await Self.call(host, "POST", "/apps?dryRun=true", json: json)
                #expect(shown.status == 200)
                let installed = try await Self.call(host, "POST", "/apps", json: json)
                #expect(installed.status == 201)
                let fingerprint = try installed.json()["fingerprint"]?.string
                #expect(try shown.json()["fingerprint"]?.string == fingerprint)
                let entries = try await Self.logged(host)
                let place = "http://127.0.0.1:\(server.port)"
                let steps = entries.map { $0["detail"]?.string }
                #expect(steps == ["started", "complete"].map { "\($0): \(place)/a.zip?…" })
                #expect(entries.allSatisfy { $0["privilege"]?.string == "net:\(place)" })
                #expect(entries.allSatisfy { $0["client"]?.string == "owner" })
                #expect(entries.last?["count"]?.number?.int64 == Int64(package.count))
                #expect(try await Self.logged(host, "&clientKind=command").count == 2)
                #expect(try await Self.logged(host, "&clientKind=app").isEmpty)
                #expect(try await host.authority.log.verify().isIntact)
                // It was fetched once, and is not kept.
                #expect(server.received.count == 1)
                #expect(try await Self.call(host, "GET", "/downloads/\(id)").status == 404)
                #expect(try await Self.call(host, "POST", "/apps", json: json).status == 404)
            }
        }
    }

    @Test(arguments: ["404 Not Found", "302 Found"])
    func `a failed download says why, without the credentials`(status: String) async throws {
        try await ServedHost.with { host in
            try await LocalServer.with({ _ in .answer("x", status: status) }) { server in
                let url = "http://ann:secret@127.0.0.1:\(server.port)/a.zip?key=1"
                let (id, _) = try await Self.begin(host, url)
                let end = try await Self.end(host, id)
                #expect(end["state"]?.string == "failed")
                #expect(end["code"]?.string == "unexpected-status")
                let says = "answered with status \(status.prefix(3))"
                #expect(end["failure"]?.string?.contains(says) == true)
                let state = try await Self.call(host, "GET", "/downloads/\(id)")
                for text in ["secret", "key=1"] { #expect(!state.text.contains(text)) }
                let step = try await Self.logged(host).last?["detail"]?.string
                let place = "http://127.0.0.1:\(server.port)/a.zip?…"
                #expect(step == "failed (unexpected-status): \(place)")
                let answer = try await Self.call(
                    host, "POST", "/apps?dryRun=true", json: #"{"download": "\#(id)"}"#)
                #expect(answer.code == "unexpected-status")
            }
        }
    }

    @Test func `a package beyond the limit is refused while it comes`() async throws {
        try await ServedHost.with { host in
            let piece = [UInt8](repeating: 0x50, count: 1 << 20)
            let head = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8)
            try await LocalServer.with({ _ in .endless(after: head, piece) }) { server in
                let (id, _) = try await Self.begin(host, "http://127.0.0.1:\(server.port)/a.zip")
                let end = try await Self.end(host, id)
                #expect(end["code"]?.string == "answer-too-large")
            }
        }
    }

    @Test func `a download that is being received is bounded, and can be ended`() async throws {
        try await ServedHost.with { host in
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\nPK".utf8)
            try await LocalServer.with({ _ in .silence(after: head) }) { server in
                let url = "http://127.0.0.1:\(server.port)/a.zip"
                let (first, _) = try await Self.begin(host, url)
                let (second, _) = try await Self.begin(host, url)
                let third = try await Self.begin(host, url).answer
                #expect(third.status == 503 && third.code == "busy")
                let early = try await Self.call(
                    host, "POST", "/apps", json: #"{"download": "\#(first)"}"#)
                #expect(early.status == 409)
                #expect(try await Self.call(host, "DELETE", "/downloads/\(first)").status == 204)
                while try await !Self.logged(host).contains(where: {
                    $0["detail"]?.string == "stopped: \(url)"
                }) {
                    await Task.yield()
                }
                #expect(try await Self.call(host, "GET", "/downloads/\(first)").status == 404)
                #expect(try await Self.begin(host, url).answer.status == 201)
                #expect(try await Self.call(host, "GET", "/downloads/\(second)").status == 200)
            }
        }
    }

    @Test func `only the owner downloads, and an invalid URL is not repeated`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["net:http://127.0.0.1:9"])
            for (method, target) in [
                ("POST", "/downloads"), ("GET", "/downloads/x"), ("DELETE", "/downloads/x"),
            ] {
                let json = method == "POST" ? #"{"url": "http://127.0.0.1:9/"}"# : nil
                let answer = try await Self.call(host, method, target, json: json, token: token)
                #expect(answer.code == "owner-only")
            }
            let wrong = try await Self.begin(host, "ftp://ann:secret@example.org/a.zip").answer
            #expect(wrong.status == 400)
            #expect(!wrong.text.contains("secret"))
        }
    }
}
