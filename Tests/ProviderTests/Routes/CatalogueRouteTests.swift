import Foundation
import JSApps
import TestSupport
import Testing
import Text

@testable import Provider

/// Catalogues over the API: from folders, and from servers that are honest, hostile or slow.
@Suite(.timeLimit(.minutes(10)))
struct CatalogueRouteTests {
    private static func call(
        _ host: ServedHost, _ method: String, _ target: String, json: String? = nil
    ) async throws -> Answer {
        try await host.send(Call(method, "/api/v1" + target, token: host.owner, json: json))
    }

    private static func add(
        _ host: ServedHost, _ address: String, key: String
    ) async throws -> Answer {
        try await call(
            host, "POST", "/catalogues", json: #"{"address": "\#(address)", "key": "\#(key)"}"#)
    }

    /// Downloads a package of a catalogue.
    private static func download(
        _ host: ServedHost, _ package: String
    ) async throws -> (id: String, state: JSONValue) {
        let begun = try await call(
            host, "POST", "/downloads",
            json: #"{"catalogue": "example", "package": "\#(package)"}"#)
        let id = try begun.json()["id"]?.string ?? ""
        while true {
            let state = try await call(host, "GET", "/downloads/\(id)").json()
            guard state["state"]?.string == "receiving" else { return (id, state) }
        }
    }

    private static func install(_ host: ServedHost, _ id: String) async throws -> Answer {
        try await call(host, "POST", "/apps", json: #"{"download": "\#(id)"}"#)
    }

    private static func http(_ body: [UInt8]) -> LocalServer.Reply {
        .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
    }

    @Test func `an app is installed from a server, and only by its owner`() async throws {
        try await ServedHost.with { host in
            let catalogue = try TestCatalogue(of: ["listed-app"], in: host.folder)
            try await LocalServer.with({ request in
                Self.http(catalogue.bytes(String(request.target.dropFirst("/c/".count))))
            }) { server in
                let address = "http://127.0.0.1:\(server.port)/c"
                let shown = try await Self.call(
                    host, "POST", "/catalogues?dryRun=true", json: #"{"address": "\#(address)/"}"#)
                #expect(try shown.json()["key"]?.string == catalogue.key)
                #expect(try await Self.call(host, "GET", "/catalogues/example").status == 404)
                let added = try await Self.add(host, address, key: catalogue.key)
                #expect(added.status == 201, "\(added.text)")
                #expect(try added.json()["address"]?.string == "\(address)/index.json")
                let (id, state) = try await Self.download(host, "listed-app")
                #expect(state["state"]?.string == "complete")
                let installed = try await Self.install(host, id)
                #expect(installed.status == 201, "\(installed.text)")
                #expect(try installed.json()["size"]?.number?.int64 ?? 0 > 0)
                let targets = server.received.map(\.target)
                #expect(
                    targets == [
                        "/c/index.json", "/c/index.json.sig", "/c/index.json",
                        "/c/index.json.sig", "/c/listed-app.zip",
                    ])
                let log = try await Self.call(host, "GET", "/access-log?kind=download&owner=false")
                #expect(try log.json()["items"]?.array?.count == 10)
            }
            for (method, path) in [
                ("GET", "/catalogues"), ("POST", "/catalogues"), ("GET", "/catalogues/example"),
                ("DELETE", "/catalogues/example"), ("POST", "/catalogues/example/refresh"),
            ] {
                let app = try await host.begin("listed-app").token
                let answer = try await host.send(Call(method, "/api/v1" + path, token: app))
                #expect(answer.code == "owner-only", "\(method) \(path)")
            }
        }
    }

    @Test func `a package that is not the listed one is not unpacked`() async throws {
        try await ServedHost.with { host in
            let catalogue = try TestCatalogue(of: ["listed-app"], in: host.folder)
            #expect(try await Self.add(host, catalogue.path, key: catalogue.key).status == 201)
            let right = catalogue.bytes("listed-app.zip")
            var changed = right
            changed[right.count / 2] ^= 1
            for other in [changed, Array(right.dropLast())] {
                try catalogue.write("listed-app.zip", other)
                let (id, state) = try await Self.download(host, "listed-app")
                #expect(state["code"]?.string == "package-mismatch")
                #expect(try await Self.install(host, id).code == "package-mismatch")
            }
            try catalogue.write("listed-app.zip", right + [0])
            let (_, state) = try await Self.download(host, "listed-app")
            #expect(state["code"]?.string == "too-large")
            #expect(try await host.library.apps().isEmpty)
        }
    }

    @Test func `another key and an older index are refused, and nothing changes`() async throws {
        try await ServedHost.with { host in
            let first = try TestCatalogue(of: ["listed-app"], sequence: 5, in: host.folder)
            let older = try TestCatalogue(of: [], sequence: 4, in: host.folder)
            let foreign = try TestCatalogue(of: [], sequence: 9, signer: "bob", in: host.folder)
            #expect(try await Self.add(host, first.path, key: first.key).status == 201)
            let before = try await Self.call(host, "GET", "/catalogues/example").text
            for (other, code) in [
                (older, "stale-catalogue"), (foreign, "catalogue-key-changed"),
            ] {
                #expect(try await Self.add(host, other.path, key: other.key).code == code)
                for file in ["index.json", "index.json.sig"] {
                    try first.write(file, other.bytes(file))
                }
                let refresh = try await Self.call(host, "POST", "/catalogues/example/refresh")
                #expect(refresh.status == 409 && refresh.code == code)
                #expect(try await Self.call(host, "GET", "/catalogues/example").text == before)
            }
            let unaccepted = try await Self.add(host, foreign.path, key: first.key)
            #expect(unaccepted.code == "catalogue-key-changed")
        }
    }

    @Test func `an endless server and a link are refused`() async throws {
        try await ServedHost.with { host in
            let piece = [UInt8](repeating: 0x20, count: 1 << 20)
            let head = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8)
            let key = try TestPackage.key(in: host.folder).signer.text
            try await LocalServer.with({ _ in .endless(after: head, piece) }) { server in
                let answer = try await Self.add(
                    host, "http://127.0.0.1:\(server.port)/", key: key)
                #expect(answer.code == "answer-too-large")
            }
            let catalogue = try TestCatalogue(of: [], in: host.folder)
            let file = "\(catalogue.path)/index.json"
            try FileManager.default.moveItem(atPath: file, toPath: file + ".real")
            try FileManager.default.createSymbolicLink(
                atPath: file, withDestinationPath: file + ".real")
            let linked = try await Self.add(host, catalogue.path, key: catalogue.key)
            #expect(linked.status != 201)
            #expect(try await Self.call(host, "GET", "/catalogues").json()["items"]?.array == [])
        }
    }

    @Test(arguments: [
        "http://example.org/", "https://ann:secret@example.org/", "https://example.org/?a=secret",
        "ftp://example.org/", "relative/secret", "", "https://",
    ])
    func `an address that is neither https nor a path is refused`(address: String) async throws {
        try await ServedHost.with { host in
            let answer = try await Self.add(host, address, key: "nvpub_00")
            #expect(answer.status == 400 && answer.code == "invalid-body")
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test func `the index of an address is beside its signature and packages`() {
        let places: [(String, String?)] = [
            ("https://example.org", "https://example.org/index.json"),
            ("https://example.org/a", "https://example.org/a/index.json"),
            ("https://example.org/a/", "https://example.org/a/index.json"),
            ("https://example.org/a/b.json", "https://example.org/a/b.json"),
            ("/srv/a", "/srv/a/index.json"), ("/srv/a/", "/srv/a/index.json"),
            ("/srv/a/b.json", "/srv/a/b.json"), ("/srv/../etc", "/etc/index.json"),
            ("/", "/index.json"), ("srv", nil),
        ]
        for (address, index) in places {
            #expect(CatalogueLocation(address)?.text == index, "\(address)")
        }
    }
}
