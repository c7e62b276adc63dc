import Addresses
import Auth
import Egress
import Foundation
import Logging
import NIOCore
import NIOSSL
import Samples
import Synchronization
import TestSupport
import Testing

@testable import Provider

/// An app can call only the servers that were granted.
struct GrantedClientTests {
    @Test func `a server that was not allowed is not called`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            try await GrantedApp.with(["https://api.example.org"]) { app async throws in
                let error = await #expect(throws: AuthError.self) {
                    try await app.fetch("http://127.0.0.1:\(server.port)/")
                }
                #expect(error?.code == .undeclared)
                #expect(error?.hint?.contains("{ \"net\": [\"http://127.0.0.1:") == true)
                #expect(server.received.isEmpty)
            }
        }
    }

    @Test func `a permission is for one scheme, host and port`() async throws {
        try await GrantedApp.with(["https://api.example.org"]) { app async throws in
            for other in [
                "http://api.example.org", "https://api.example.org:8443", "https://example.org",
                "https://api.example.org.evil.test", "https://evil.api.example.org",
            ] {
                let error = await #expect(throws: AuthError.self) {
                    try await app.fetch(other)
                }
                #expect(error?.code == .undeclared, "\(other)")
            }
            #expect(app.names.all.isEmpty)
        }
    }

    @Test func `a server whose permission was revoked is not called`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await GrantedApp.with([origin]) { app async throws in
                _ = try await app.fetch(origin)
                let privilege = try #require(PrivilegeID("net:\(origin)"))
                for denied in [privilege, .net] {
                    try await app.authority.decide(.deny, on: denied, by: "demo")
                    let error = await #expect(throws: AuthError.self) {
                        try await app.fetch(origin)
                    }
                    #expect(error?.code == .denied)
                    try await app.authority.reset(denied, of: "demo")
                    try await app.authority.decide(.allowAlways, on: privilege, by: "demo")
                    _ = try await app.fetch(origin)
                }
                #expect(server.received.count == 3)
            }
        }
    }

    @Test func `each step has an entry in the log, without path and query`() async throws {
        try await LocalServer.with { request in
            request.target == "/" ? .answer("12345") : .redirect(to: "/")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await GrantedApp.with([origin, "http://127.0.0.1:9"]) { app async throws in
                _ = try await app.fetch("\(origin)/secret?key=1", "PUT", body: "abc")
                _ = try? await app.fetch("http://127.0.0.1:9/x")
                _ = try? await app.fetch("https://api.example.org/secret")
                #expect(
                    try await app.lines() == [
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

    @Test func `a redirect to a server that was not allowed is refused`() async throws {
        try await LocalServer.with { _ in
            .answer("secret")
        } _: { second in
            try await LocalServer.with { _ in
                .redirect(to: "http://127.0.0.1:\(second.port)/")
            } _: { first in
                let origin = "http://127.0.0.1:\(first.port)"
                try await GrantedApp.with([origin]) { app async throws in
                    let error = await #expect(throws: AuthError.self) {
                        try await app.fetch(origin)
                    }
                    #expect(error?.privilege?.description == "net:http://127.0.0.1:\(second.port)")
                    #expect(second.received.isEmpty)
                }
            }
        }
    }

    @Test func `a redirect is not followed after its permission was revoked`() async throws {
        let (passes, pass) = AsyncStream.makeStream(of: Void.self)
        try await LocalServer.with { request in
            if request.target == "/" { pass.yield() }
            return .redirect(to: "/next")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await GrantedApp.with([origin]) { app async throws in
                let privilege = try #require(PrivilegeID("net:\(origin)"))
                let address = try #require(WebAddress(origin))
                let grant = try await app.permit(address.origin)
                let error = await #expect(throws: AuthError.self) {
                    try await app.client.send(
                        OutboundRequest("GET", address), under: grant, GrantedApp.options
                    ) { next in
                        for await _ in passes { break }
                        try await app.authority.decide(.deny, on: privilege, by: "demo")
                        return try await app.permit(next)
                    }
                }
                #expect(error?.code == .denied)
                #expect(server.received.count == 1)
            }
        }
    }
}

/// An app with a token and granted privileges, and the client that calls for it.
private struct GrantedApp: Sendable {
    let authority: Authority
    let client: GrantedClient
    let token: String
    let names: UnknownNames

    /// Long limits, for a busy machine.
    static let options: OutboundOptions = {
        var options = OutboundOptions()
        options.connecting = Program.patience
        options.total = Program.patience
        return options
    }()

    /// - Parameter origins: the declared and granted servers.
    static func with<T: Sendable>(
        _ origins: [String], _ body: @Sendable (GrantedApp) async throws -> T
    ) async throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "net-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let authority = try await Authority(
            path: folder.path(percentEncoded: false) + "/permissions.sqlite",
            // Equal calls within a minute share an entry: the clock does not advance.
            time: ManualTime(), logger: quiet)
        let privileges = origins.compactMap { WebOrigin($0) }.map {
            Privilege(.net($0, pin: nil), reason: "")
        }
        try await authority.admit(
            DeclaredApp(name: "demo", identity: "one", privileges: privileges))
        for privilege in privileges {
            try await authority.decide(.allowAlways, on: privilege.id, by: "demo")
        }
        let names = UnknownNames()
        let client = OutboundClient(
            userAgent: "Nervous/test", rule: .apps(ownPorts: { [] }), resolver: names,
            trustRoots: .certificates([]))
        let token = try await authority.beginRun(of: "demo").token.text
        return try await body(
            GrantedApp(
                authority: authority, client: GrantedClient(client, log: authority.log),
                token: token, names: names))
    }

    func permit(_ origin: WebOrigin, isRedirect: Bool = false) async throws -> OriginGrant {
        try await authority.checkApp(
            token: token, name: "demo", reaching: origin, isRedirect: isRedirect)
    }

    /// Makes a call as the host does for an app.
    func fetch(
        _ url: String, _ method: String = "GET", body: String = ""
    ) async throws -> OutboundResponse {
        let address = try #require(WebAddress(url))
        let request = try OutboundRequest(method, address, body: Array(body.utf8))
        try client.check(address.origin)
        return try await client.send(
            request, under: try await permit(address.origin), Self.options
        ) { try await permit($0, isRedirect: $0 != address.origin) }
    }

    /// The entries of the access log for calls, the oldest first.
    func lines() async throws -> [String] {
        try await authority.log.entries(AccessLogQuery(client: "demo")).reversed()
            .filter { $0.operation?.hasPrefix("fetch") == true }
            .map {
                "\($0.kind.rawValue) \($0.operation ?? "") \($0.privilege ?? "–") \($0.count)"
                    + " \($0.detail ?? "")"
            }
    }
}

/// Finds no address, and records the names.
private final class UnknownNames: NameResolver {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func addresses(
        of name: String, within limit: Duration
    ) async throws(EgressError) -> [IPAddress] {
        list.withLock { $0.append(name) }
        return []
    }
}
