import Auth
import Foundation
import Testing
import Text

/// The storage of apps over HTTP: hostile keys, other apps, and revoked grants.
@Suite(.timeLimit(.minutes(10)))
struct StorageRouteTests {
    private static func call(
        _ method: String, _ target: String, _ token: String, body: String? = nil,
        type: String = "text/plain"
    ) -> Call {
        Call(
            method, "/api/v1" + target, token: token, headers: [("Content-Type", type)],
            body: body.map { Array($0.utf8) })
    }

    /// A host with two apps that may store values, and the tokens of their runs.
    private static func with(
        _ body: @Sendable (ServedHost, _ one: String, _ two: String) async throws -> Void
    ) async throws {
        try await ServedHost.with { host in
            var tokens: [String] = []
            for name in ["one", "two"] {
                try await host.install(name, privileges: #"[{"storage": true}]"#)
                try await host.decide(.allowAlways, "storage", by: name)
                tokens.append(try await host.begin(name).token)
            }
            try await body(host, tokens[0], tokens[1])
        }
    }

    @Test func `a value is returned unchanged with its type, to its app only`() async throws {
        try await Self.with { host, one, two in
            let set = Self.call("PUT", "/storage/a", one, body: "<script>", type: "text/html")
            #expect(try await host.send(set).status == 204)
            let answer = try await host.send(Self.call("GET", "/storage/a", one))
            #expect(answer.text == "<script>")
            #expect(answer["content-type"] == "text/html")
            #expect(answer["content-security-policy"] == "default-src 'none'; sandbox")
            #expect(answer["x-content-type-options"] == "nosniff")
            #expect(try await host.send(Self.call("GET", "/storage/a", two)).status == 404)
            // The name in `Host` does not give access to another app's values.
            var foreign = Self.call("GET", "/storage/a", two)
            foreign.host = "one.localhost:\(host.port)"
            #expect(try await host.send(foreign).code == "name-mismatch")
            let list = try await host.send(Self.call("GET", "/storage", one)).json()
            #expect(list["items"]?.array?.count == 1)
            #expect(list["used"]?.number?.int64 == 9)
            #expect(list["limit"]?.number?.int64 == 10_485_760)
        }
    }

    @Test(arguments: [
        ("..%2Fx", "../x"), ("%2Fetc%2Fpasswd", "/etc/passwd"), ("a%00b", "a\u{0}b"),
        ("%C3%A9", "é"), ("e%CC%81", "e\u{301}"), ("a+b", "a+b"), ("a%20b", "a b"),
        ("%2500", "%00"), ("a%3Fb%23c", "a?b#c"), ("%2e", nil), ("%2e%2E", nil), (".", nil),
        ("..", nil), ("%", nil), ("%zz", nil), ("%ff", nil), ("%C3", nil), ("%ed%a0%80", nil),
        (String(repeating: "k", count: 1024), String(repeating: "k", count: 1024)),
        (String(repeating: "k", count: 1025), nil),
        (String(repeating: "%C3%A9", count: 513), nil),
    ])
    func `a key has exactly one spelling`(spelling: String, key: String?) async throws {
        try await Self.with { host, one, _ in
            let target = "/storage/\(spelling)"
            let answer = try await host.send(Self.call("PUT", target, one, body: "v"))
            #expect(answer.status == (key == nil ? 400 : 204), "\(answer.text)")
            if key == nil { #expect(answer.code == "invalid-key") }
            let list = try await host.send(Self.call("GET", "/storage", one)).json()
            let keys = list["items"]?.array?.compactMap { $0["key"]?.string } ?? []
            #expect(keys.map { Array($0.utf8) } == (key.map { [Array($0.utf8)] } ?? []))
        }
    }

    @Test(arguments: [
        "/storage/", "/storage//", "/storage/../storage", "/storage/a/b", "/storage/../me",
    ])
    func `an invalid key has no effect`(target: String) async throws {
        try await Self.with { host, one, _ in
            _ = try await host.send(Self.call("PUT", "/storage/a", one, body: "v"))
            for method in ["DELETE", "PUT"] {
                let status = try await host.send(Self.call(method, target, one, body: "")).status
                #expect((400...405).contains(status), "\(method) \(status)")
            }
            #expect(try await host.send(Self.call("GET", "/storage/a", one)).text == "v")
        }
    }

    @Test func `a key of a megabyte is rejected by the HTTP parser`() async throws {
        try await Self.with { host, one, _ in
            let long = String(repeating: "k", count: 1 << 20)
            let bytes = Self.call("PUT", "/storage/\(long)", one, body: "v")
                .bytes(standardHost: "localhost:\(host.port)")
            let text = String(decoding: try await host.raw(bytes), as: UTF8.self)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text.prefix(80))")
            let list = try await host.send(Self.call("GET", "/storage", one)).json()
            #expect(list["items"]?.array?.isEmpty == true)
        }
    }

    @Test(arguments: ["text", "a/" + String(repeating: "b", count: 126), "a/\u{e9}", ""])
    func `an invalid media type is rejected`(type: String) async throws {
        try await Self.with { host, one, _ in
            let answer = try await host.send(
                Self.call("PUT", "/storage/a", one, body: "v", type: type))
            #expect(answer.status == 400)
            #expect(try await host.send(Self.call("GET", "/storage/a", one)).status == 404)
        }
    }

    @Test func `storage without permission is refused, immediately after a denial`() async throws {
        try await ServedHost.with { host in
            try await host.install("one", privileges: #"[{"storage": true}]"#)
            let one = try await host.begin("one").token
            func get() async throws -> Answer {
                try await host.send(Self.call("GET", "/storage/a", one))
            }
            #expect(try await get().code == "undecided")
            try await host.decide(.allowAlways, "storage", by: "one")
            _ = try await host.send(Self.call("PUT", "/storage/a", one, body: "v"))
            #expect(try await get().text == "v")
            try await host.decide(.deny, "storage", by: "one")
            let refused = try await get()
            #expect(refused.code == "denied")
            #expect(try refused.json()["privilege"]?.string == "storage")
            for (method, target) in [
                ("PUT", "/storage/a"), ("DELETE", "/storage/a"), ("GET", "/storage"),
                ("DELETE", "/storage"), ("GET", "/local-storage"), ("DELETE", "/local-storage"),
                ("PATCH", "/local-storage"),
            ] {
                let answer = try await host.send(Self.call(method, target, one, body: "[]"))
                #expect(answer.code == "denied", "\(method) \(target)")
            }
            // Stored values are kept for a later decision.
            try await host.decide(.allowAlways, "storage", by: "one")
            #expect(try await get().text == "v")
        }
    }

    @Test func `uses are in the access log, and equal ones share entries`() async throws {
        try await Self.with { host, one, _ in
            for number in 0..<30 {
                _ = try await host.send(Self.call("PUT", "/storage/\(number)", one, body: "v"))
                _ = try await host.send(Self.call("GET", "/storage/\(number)", one))
            }
            let entries = try await host.authority.log.entries(
                AccessLogQuery(client: "one", kind: .access))
            #expect(Set(entries.map(\.operation)) == ["storage-set", "storage-get"])
            #expect(entries.count <= 4)
            #expect(entries.reduce(0) { $0 + $1.calls } == 60)
            #expect(entries.allSatisfy { $0.privilege == "storage" })
        }
    }

    @Test func `forgetting and uninstalling erase values, and the receipt has their size`()
        async throws
    {
        try await Self.with { host, one, two in
            for token in [one, two] {
                _ = try await host.send(Self.call("PUT", "/storage/a", token, body: "12345"))
            }
            let receipt = try await host.send(
                Call("DELETE", "/api/v1/apps/one/data", token: host.owner))
            #expect(try receipt.json()["stored"]?.number?.int64 == 6)
            try await host.decide(.allowAlways, "storage", by: "one")
            let next = try await host.begin("one").token
            #expect(try await host.send(Self.call("GET", "/storage/a", next)).status == 404)
            #expect(
                try await host.send(Call("DELETE", "/api/v1/apps/two", token: host.owner)).status
                    == 204)
            try await host.install("two", privileges: #"[{"storage": true}]"#)
            try await host.decide(.allowAlways, "storage", by: "two")
            let again = try await host.begin("two").token
            #expect(try await host.send(Self.call("GET", "/storage/a", again)).status == 404)
        }
    }

    @Test func `an update keeps values, and a package of another signer cannot read them`()
        async throws
    {
        try await ServedHost.with { host in
            let privileges = #"[{"storage": true}]"#
            func install(_ version: String, signer: String?) async throws -> Int {
                let bytes = try TestPackage.bytes(
                    "one", version: version, privileges: privileges, signer: signer,
                    in: host.folder)
                return try await host.send(
                    Call("POST", "/api/v1/apps", token: host.owner, body: bytes)
                ).status
            }
            func get() async throws -> Answer {
                let token = try await host.begin("one").token
                return try await host.send(Self.call("GET", "/storage/a", token))
            }
            #expect(try await install("1.0.0", signer: "ann") == 201)
            try await host.decide(.allowAlways, "storage", by: "one")
            let token = try await host.begin("one").token
            _ = try await host.send(Self.call("PUT", "/storage/a", token, body: "ann's"))
            #expect(try await install("1.1.0", signer: "ann") == 201)
            #expect(try await get().text == "ann's")
            #expect(try await install("1.2.0", signer: "bob") == 409)
            _ = try await host.send(Call("DELETE", "/api/v1/apps/one", token: host.owner))
            #expect(try await install("1.2.0", signer: "bob") == 201)
            #expect(try await get().code == "undecided")
            try await host.decide(.allowAlways, "storage", by: "one")
            #expect(try await get().status == 404)
        }
    }

    @Test(arguments: [
        "", "{", "{}", "[1]", "[[]]", #"[["a"]]"#, #"[[null, "a"]]"#, #"[["a", 1]]"#,
        #"[["a", "b", "c"]]"#, #"[["a", "\ud800"]]"#,
        "[[\"" + String(repeating: "k", count: 1025) + "\", \"v\"]]",
    ])
    func `an invalid change of localStorage has no effect`(body: String) async throws {
        try await Self.with { host, one, _ in
            _ = try await host.send(
                Self.call("PATCH", "/local-storage", one, body: #"[["a", "1"]]"#))
            let answer = try await host.send(
                Self.call("PATCH", "/local-storage", one, body: body))
            #expect(answer.status == 400, "\(answer.text)")
            let kept = try await host.send(Self.call("GET", "/local-storage", one)).text
            #expect(kept == #"{"items":[["a","1"]],"limit":10485760,"used":2}"#)
        }
    }
}
