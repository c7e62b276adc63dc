import Addresses
import NIOCore
import NIOSSL
import Synchronization
import TestSupport

@testable import Egress

/// A client that may call some origins and records the addresses it connects to.
struct TestClient: Sendable {
    let client: OutboundClient
    let connections: Connections
    /// The pins of the allowed origins.
    let allowed: [WebOrigin: CertificatePin?]
    var options = TestClient.patient

    /// Long limits, for tests that are not about time on a busy machine.
    static let patient: OutboundOptions = {
        var options = OutboundOptions()
        options.connecting = Program.patience
        options.total = Program.patience
        return options
    }()

    /// The recorded addresses.
    final class Connections: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func note(_ address: IPAddress, _ port: UInt16) {
            list.withLock { $0.append("\(address) \(port)") }
        }
    }

    /// - Parameters:
    ///   - origins: those that may be called.
    ///   - pins: the certificates that some of them must present.
    ///   - server: the port of this machine to which all connections go; `nil` for the real one.
    static func with<T: Sendable>(
        _ origins: [String], pins: [String: String] = [:], ownPorts: Set<Int> = [],
        resolver: any NameResolver = NoResolver(), trust: [NIOSSLCertificate] = [],
        server: Int? = nil, _ body: @Sendable (TestClient) async throws -> T
    ) async throws -> T {
        let connections = Connections()
        let client = OutboundClient(
            userAgent: "Nervous/test", rule: .apps(ownPorts: { ownPorts }), resolver: resolver,
            trustRoots: .certificates(trust)
        ) { address, port in
            connections.note(address, port)
            return try SocketAddress(
                ipAddress: server == nil ? address.description : "127.0.0.1",
                port: server ?? Int(port))
        }
        let allowed = origins.compactMap { WebOrigin($0) }.map { origin in
            (origin, pins[origin.description].flatMap { CertificatePin($0) })
        }
        return try await body(
            TestClient(
                client: client, connections: connections,
                allowed: Dictionary(uniqueKeysWithValues: allowed)))
    }

    func fetch(
        _ url: String, _ method: String = "GET", fields: [HeaderField] = [], body: String = ""
    ) async throws -> OutboundResponse {
        guard let address = WebAddress(url) else { throw Unreadable(url: url) }
        let request = try OutboundRequest(
            method, address, fields: fields, body: Array(body.utf8))
        return try await client.send(request, options) { step in
            guard let pin = allowed[step.request.address.origin] else { throw NotAllowed() }
            return try await step.perform(pin: pin)
        }
    }

    /// The code of the error of a call; `nil` when it succeeds.
    func fault(
        _ url: String, _ method: String = "GET", body: String = ""
    ) async throws -> EgressError.Code? {
        do {
            _ = try await fetch(url, method, body: body)
            return nil
        } catch let error as EgressError {
            return error.code
        }
    }

    struct NotAllowed: Error {}

    struct Unreadable: Error {
        let url: String
    }
}

/// Resolves no name, so that tests call no DNS server.
struct NoResolver: NameResolver {
    func addresses(
        of name: String, within limit: Duration
    ) async throws(EgressError) -> [IPAddress] {
        throw EgressError(.unknownHost, "\(name) has no address.")
    }
}

/// Returns the next list of addresses for each lookup, whatever the name.
final class ScriptedResolver: NameResolver {
    private let answers: Mutex<[[String]]>
    private let asked = Mutex<[String]>([])

    init(_ answers: [[String]]) {
        self.answers = Mutex(answers)
    }

    var names: [String] { asked.withLock { $0 } }

    func addresses(
        of name: String, within limit: Duration
    ) async throws(EgressError) -> [IPAddress] {
        asked.withLock { $0.append(name) }
        let next = answers.withLock { $0.isEmpty ? [] : $0.removeFirst() }
        return next.compactMap { IPAddress($0) }
    }
}
