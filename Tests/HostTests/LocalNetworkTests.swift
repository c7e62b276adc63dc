import Addresses
import Crypto
import Foundation
import Glibc
import NIOSSL
import TestSupport
import Testing

@testable import Host

/// The listener for the local network: its addresses, its keys and its certificates.
@Suite(.blocking)
struct LocalNetworkTests {
    private static func address(
        _ text: String, _ interface: String = "wlan0", isTunnel: Bool = false
    ) throws -> MachineAddress {
        MachineAddress(
            address: try #require(IPAddress(text)), interface: interface, isTunnel: isTunnel)
    }

    // MARK: - Addresses

    @Test(arguments: [
        ("192.168.1.7", true), ("10.1.2.3", true), ("172.31.0.1", true), ("169.254.9.9", true),
        ("fd12::7", true), ("fe80::1", false), ("127.0.0.1", false), ("::1", false),
        ("203.0.114.9", false), ("2a00:1450::5", false), ("172.32.0.1", false),
        ("100.64.0.9", false),
    ])
    func `only addresses of private networks are listened on`(text: String, isLocal: Bool) throws {
        #expect(try Self.address(text).isLocal == isLocal)
        let other = try Self.address("192.168.9.9", "eth1")
        let chosen = try LocalNetworkListener.choose(nil, of: [try Self.address(text), other])
        #expect(chosen.map(\.description).contains(text) == isLocal)
    }

    @Test func `tunnels are not listened on`() throws {
        #expect(try !Self.address("10.8.0.2", "tun0", isTunnel: true).isLocal)
    }

    @Test func `a machine without such an address is an error`() throws {
        let machine = [try Self.address("127.0.0.1", "lo"), try Self.address("203.0.114.9")]
        let error = #expect(throws: CommandFailure.self) {
            try LocalNetworkListener.choose(nil, of: machine)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.type == "no-local-network")
        #expect(error?.message == "This machine has no address in a local network.")
    }

    @Test func `an address outside private networks is listened on if it is named`() throws {
        let machine = [try Self.address("203.0.114.9")]
        let wanted = try #require(IPAddress("203.0.114.9"))
        #expect(try LocalNetworkListener.choose([wanted], of: machine) == [wanted])
    }

    @Test(arguments: ["192.168.1.8", "0.0.0.0", "::", "8.8.8.8"])
    func `an address that is not this machine's is refused`(text: String) throws {
        let wanted = try #require(IPAddress(text))
        let error = #expect(throws: CommandFailure.self) {
            try LocalNetworkListener.choose([wanted], of: [try Self.address("192.168.1.7")])
        }
        #expect(error?.message == "This machine has no address \(text).")
        #expect(error?.hint?.contains("192.168.1.7") == true)
    }

    @Test func `the default route with the lowest metric is the first choice`() {
        let table = """
            Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
            docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
            wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
            eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
            """
        #expect(MachineAddress.defaultInterface(in: table) == "eth0")
        #expect(MachineAddress.defaultInterface(in: "Iface\tDestination\n") == nil)
    }

    @Test func `the addresses of this machine include loopback`() throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(MachineAddress.all().contains { $0.address == loopback && $0.interface == "lo" })
    }

    // MARK: - Configuration

    private func section(_ text: String) throws -> LocalNetworkSection? {
        try Configuration(parsing: Array(text.utf8)).localNetwork
    }

    @Test func `the listener is off unless it is configured`() throws {
        #expect(try section("{}") == nil)
        #expect(try section(#"{"lan": {}}"#) == LocalNetworkSection())
        #expect(LocalNetworkSection().port == 8443)
        let full = try section(#"{"lan": {"port": 1, "addresses": ["10.0.0.1", "fd00::1"]}}"#)
        #expect(full?.port == 1)
        #expect(full?.addresses?.map(\.description) == ["10.0.0.1", "fd00::1"])
    }

    @Test(arguments: [
        (#"{"lan": {"port": 65536}}"#, "port must be an integer from 0 to 65535"),
        (#"{"lan": {"addresses": []}}"#, "addresses must be a list of 1 to 8 IP addresses"),
        (#"{"lan": {"addresses": "10.0.0.1"}}"#, "addresses must be a list of 1 to 8 IP addresses"),
        (#"{"lan": {"addresses": ["a.local"]}}"#, "addresses must be IP addresses"),
        (#"{"lan": {"addresses": ["fe80::1"]}}"#, "must not be link-local addresses of IPv6"),
        (#"{"lan": {"adresses": []}}"#, "“adresses” is not a setting of lan"),
        (#"{"lan": true}"#, "lan must be an object"),
    ])
    func `a wrong setting is named`(text: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try section(text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    // MARK: - Keys and certificates

    private final class Folder: Sendable {
        let path = FileManager.default.temporaryDirectory.path + "/keys-\(UUID().uuidString)"

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func keys(
            _ addresses: [String], names: [String] = ["here.local"], after days: Double = 0
        ) throws -> ServerKeys {
            try ServerKeys(
                in: path, machine: "here", names: names,
                addresses: addresses.map { try #require(IPAddress($0)) },
                now: Date().addingTimeInterval(days * 86_400))
        }

        func content(_ file: String) throws -> String {
            try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
        }
    }

    @Test func `keys are made once, and only their owner can read them`() throws {
        let folder = Folder()
        let first = try folder.keys(["192.168.1.7"])
        let second = try folder.keys(["192.168.1.7"])
        #expect(first.key == second.key)
        #expect(first.certificate == second.certificate)
        #expect(first.fingerprint == second.fingerprint)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            Set(files) == ["authority-key.pem", "authority.crt", "server-key.pem", "server.crt"])
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(folder.path)/\(file)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect(mode[.posixPermissions] as? Int == 0o700)
    }

    @Test func `the pin is that of the key in the certificate`() throws {
        let keys = try Folder().keys(["192.168.1.7"])
        let certificate = try NIOSSLCertificate(bytes: Array(keys.certificate.utf8), format: .pem)
        let key = try certificate.extractPublicKey().toSPKIBytes()
        #expect(keys.pin.digest == Array(SHA256.hash(data: key)))
    }

    @Test func `a renewed certificate has the same key and authority`() throws {
        let folder = Folder()
        let first = try folder.keys(["192.168.1.7"])
        // Enough is left.
        #expect(try folder.keys(["192.168.1.7"], after: 390).certificate == first.certificate)
        let second = try folder.keys(["192.168.1.7"], after: 410)
        #expect(second.certificate != first.certificate)
        #expect(second.expires > first.expires)
        #expect(second.pin == first.pin)
        #expect(second.fingerprint == first.fingerprint)
    }

    @Test func `another address or name renews the certificate and keeps the key`() throws {
        let folder = Folder()
        let first = try folder.keys(["192.168.1.7"])
        let moved = try folder.keys(["192.168.1.8"])
        let renamed = try folder.keys(["192.168.1.8"], names: ["there.local"])
        #expect(Set([first, moved, renamed].map(\.certificate)).count == 3)
        #expect(Set([first, moved, renamed].map(\.pin)).count == 1)
        #expect(Set([first, moved, renamed].map(\.fingerprint)).count == 1)
    }

    @Test func `phones accept the period of validity`() throws {
        let keys = try Folder().keys(["192.168.1.7"])
        let certificate = try Certificate(pem: keys.certificate)
        let days =
            certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore) / 86_400
        #expect(days <= 825)
        #expect(certificate.notValidBefore < Date())
    }

    @Test(arguments: [
        (["-verify_ip", "192.168.1.7"], true), (["-verify_hostname", "here.local"], true),
        (["-verify_ip", "192.168.1.8"], false), (["-verify_hostname", "there.local"], false),
    ])
    func `OpenSSL accepts the certificate for its names`(
        check: [String], isValid: Bool
    ) async throws {
        let folder = Folder()
        _ = try folder.keys(["192.168.1.7"])
        #expect(try await verify("server.crt", in: folder, check) == isValid)
    }

    @Test func `the authority cannot vouch for other servers`() async throws {
        let folder = Folder()
        _ = try folder.keys(["192.168.1.7"])
        let key = try P256.Signing.PrivateKey(
            pemRepresentation: try folder.content("authority-key.pem"))
        let authority = try Certificate(pem: try folder.content("authority.crt"))
        let forgeries: [(file: String, names: [String], addresses: [String])] = [
            ("name.crt", ["bank.example"], []), ("address.crt", [], ["8.8.8.8"]),
        ]
        for (file, names, addresses) in forgeries {
            let forged = try CertificateIssuer(now: Date()).server(
                key: key.publicKey, signedBy: (authority, key), names: names,
                addresses: addresses.compactMap { IPAddress($0) })
            try forged.pem.write(
                toFile: "\(folder.path)/\(file)", atomically: true, encoding: .utf8)
            #expect(try await !verify(file, in: folder, []), "\(file)")
        }
    }

    @Test func `the authority vouches for a public address that was named`() async throws {
        let folder = Folder()
        let first = try folder.keys(["192.168.1.7"])
        let second = try folder.keys(["203.0.114.9"])
        #expect(first.fingerprint != second.fingerprint)
        #expect(try await verify("server.crt", in: folder, ["-verify_ip", "203.0.114.9"]))
    }

    private func verify(_ file: String, in folder: Folder, _ check: [String]) async throws -> Bool {
        try await Program(
            "/usr/bin/openssl",
            ["verify", "-CAfile", "\(folder.path)/authority.crt"] + check
                + ["\(folder.path)/\(file)"]
        ).wait() == 0
    }

    @Test func `a damaged key is not replaced`() throws {
        let folder = Folder()
        _ = try folder.keys(["192.168.1.7"])
        try "damaged".write(
            toFile: "\(folder.path)/server-key.pem", atomically: false, encoding: .utf8)
        let error = #expect(throws: CommandFailure.self) { try folder.keys(["192.168.1.7"]) }
        #expect(error?.type == "damaged")
        #expect(try folder.content("server-key.pem") == "damaged")
    }

    @Test func `a key that others can read is refused`() throws {
        let folder = Folder()
        _ = try folder.keys(["192.168.1.7"])
        chmod("\(folder.path)/server-key.pem", 0o644)
        let error = #expect(throws: CommandFailure.self) { try folder.keys(["192.168.1.7"]) }
        #expect(error?.code == .configuration)
    }

    @Test func `a damaged certificate is issued again`() async throws {
        let folder = Folder()
        let first = try folder.keys(["192.168.1.7"])
        for file in ["server.crt", "authority.crt"] {
            try "damaged".write(
                toFile: "\(folder.path)/\(file)", atomically: false, encoding: .utf8)
            #expect(try folder.keys(["192.168.1.7"]).pin == first.pin)
            #expect(try folder.content(file).hasPrefix("-----BEGIN CERTIFICATE-----"))
            #expect(try await verify("server.crt", in: folder, []))
        }
    }

    @Test func `a port in use is refused`() throws {
        let folder = Folder()
        var section = LocalNetworkSection()
        section.port = 0
        section.addresses = [try #require(IPAddress("127.0.0.3"))]
        let listener = try LocalNetworkListener(
            section, keys: folder.path, machine: [], name: "here.example.org")
        #expect(
            listener.urls == [
                "https://127.0.0.3:\(listener.port)", "https://here.local:\(listener.port)",
            ])
        let other = try LocalServerSocket(port: listener.port)
        defer { other.close() }
        section.port = listener.port
        let error = #expect(throws: CommandFailure.self) {
            try LocalNetworkListener(section, keys: folder.path, machine: [], name: "here")
        }
        #expect(error?.type == "port-in-use")
    }

    /// A socket of another program that listens on 127.0.0.3.
    private struct LocalServerSocket {
        private let descriptor: Int32

        init(port: Int) throws {
            descriptor = socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var (yes, address) = (Int32(1), sockaddr_in())
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0003).bigEndian
            let descriptor = descriptor
            let isOpen = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                        && listen(descriptor, 1) == 0
                }
            }
            try #require(isOpen)
        }

        func close() { _ = Glibc.close(descriptor) }
    }
}
