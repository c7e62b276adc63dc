import Addresses
import Auth
import Foundation
import Logging
import NIOCore
import NIOSSL
import Samples
import Synchronization
import TestSupport

@testable import Egress

/// An app that may call what it declares, and the client that calls for it.
struct Bench: Sendable {
    let authority: Authority
    let client: OutboundClient
    let token: String
    let connections: Connections
    var limits = Bench.patient

    /// Limits for tests that are not about time, which may run on a busy machine.
    static let patient: FetchLimits = {
        var limits = FetchLimits()
        limits.connecting = Program.patience
        limits.total = Program.patience
        return limits
    }()

    /// Which addresses were connected to.
    final class Connections: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func note(_ address: IPAddress, _ port: UInt16) {
            list.withLock { $0.append("\(address) \(port)") }
        }
    }

    /// - Parameters:
    ///   - origins: what the app declares and the person has allowed.
    ///   - pins: the certificates that some of them must show.
    ///   - server: the port of this machine at which every other address is; `nil` where an address is
    ///     itself.
    static func with<T: Sendable>(
        _ origins: [String], pins: [String: String] = [:], ownPorts: Set<Int> = [],
        resolver: any NameResolver = NoResolver(), trust: [NIOSSLCertificate] = [],
        server: Int? = nil, _ body: @Sendable (Bench) async throws -> T
    ) async throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "net-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let authority = try await Authority(
            path: folder.path(percentEncoded: false) + "/permissions.sqlite",
            // Equal calls share entries within a minute: the clock stands still.
            time: ManualTime(), logger: quiet)
        let privileges = origins.compactMap { WebOrigin($0) }.map { origin in
            Privilege(
                .net(origin, pin: pins[origin.description].flatMap { CertificatePin($0) }),
                reason: "")
        }
        try await authority.admit(
            DeclaredApp(name: "demo", identity: "one", privileges: privileges))
        for privilege in privileges {
            try await authority.decide(.allowAlways, on: privilege.id, by: "demo")
        }
        let connections = Connections()
        let client = OutboundClient(
            log: authority.log, userAgent: "Nervous/test", ownPorts: { ownPorts },
            resolver: resolver, trustRoots: .certificates(trust)
        ) { address, port in
            connections.note(address, port)
            return try SocketAddress(
                ipAddress: server == nil ? address.description : "127.0.0.1",
                port: server ?? Int(port))
        }
        let token = try await authority.beginRun(of: "demo").token.text
        return try await body(
            Bench(
                authority: authority, client: client, token: token, connections: connections))
    }

    func permit(_ origin: WebOrigin, isRedirect: Bool = false) async throws -> OriginGrant {
        try await authority.checkApp(
            token: token, name: "demo", reaching: origin, isRedirect: isRedirect)
    }

    /// Makes a call as the host does for an app.
    func fetch(
        _ url: String, _ method: String = "GET", fields: [HeaderLine] = [], body: String = ""
    ) async throws -> OutboundAnswer {
        guard let address = WebAddress(url) else { throw Unreadable(url: url) }
        let request = try OutboundRequest(
            method, address, fields: fields, body: Array(body.utf8))
        try client.check(address.origin)
        return try await client.answer(
            to: request, under: try await permit(address.origin), limits
        ) { try await permit($0, isRedirect: $0 != address.origin) }
    }

    /// The code of what goes wrong with a call; `nil` when nothing does.
    func fault(
        _ url: String, _ method: String = "GET", body: String = ""
    ) async throws -> NetError.Code? {
        do {
            _ = try await fetch(url, method, body: body)
            return nil
        } catch let error as NetError {
            return error.code
        }
    }

    /// What the access log says of calls, the oldest first.
    func lines() async throws -> [String] {
        try await authority.log.entries(AccessLogQuery(client: "demo")).reversed()
            .filter { $0.operation?.hasPrefix("fetch") == true }
            .map {
                "\($0.kind.rawValue) \($0.operation ?? "") \($0.privilege ?? "–") \($0.count)"
                    + " \($0.detail ?? "")"
            }
    }

    struct Unreadable: Error {
        let url: String
    }
}

/// Finds nothing: tests ask no server for names.
struct NoResolver: NameResolver {
    func addresses(
        of name: String, within limit: Duration
    ) async throws(NetError) -> [IPAddress] {
        throw NetError(.unknownHost, "\(name) has no address.")
    }
}

/// Gives one list of addresses after the other, whatever the name.
final class ScriptedResolver: NameResolver {
    private let answers: Mutex<[[String]]>
    private let asked = Mutex<[String]>([])

    init(_ answers: [[String]]) {
        self.answers = Mutex(answers)
    }

    var names: [String] { asked.withLock { $0 } }

    func addresses(
        of name: String, within limit: Duration
    ) async throws(NetError) -> [IPAddress] {
        asked.withLock { $0.append(name) }
        let next = answers.withLock { $0.isEmpty ? [] : $0.removeFirst() }
        return next.compactMap { IPAddress($0) }
    }
}
