import Glibc
import TestSupport
import Testing

@testable import Host

/// A host listens on both loopback addresses, or not at all.
@Suite(.blocking)
struct LoopbackPortTests {
    private static let hasIPv6 = (try? LoopbackPort(0))?.hasIPv6 == true

    /// A socket of another program.
    private final class Listener {
        let port: Int
        private let descriptor: Int32

        /// - Parameter isOpen: whether it listens, or has the port only.
        init?(_ address: String, port: Int = 0, isDual: Bool = false, isOpen: Bool = true) {
            let is6 = address.contains(":")
            descriptor = socket(
                is6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var (yes, only) = (Int32(1), Int32(isDual ? 0 : 1))
            let size = socklen_t(MemoryLayout<Int32>.size)
            // As an attacker would, who wants a port that is in use.
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
            if is6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, size) }
            var (four, six) = (sockaddr_in(), sockaddr_in6())
            four.sin_family = sa_family_t(AF_INET)
            six.sin6_family = sa_family_t(AF_INET6)
            (four.sin_port, six.sin6_port) = (
                UInt16(port).bigEndian, UInt16(port).bigEndian
            )
            inet_pton(AF_INET, address, &four.sin_addr)
            inet_pton(AF_INET6, address, &six.sin6_addr)
            let descriptor = descriptor
            func open<Address>(_ socketAddress: inout Address) -> Bool {
                var size = socklen_t(MemoryLayout<Address>.size)
                return withUnsafeMutablePointer(to: &socketAddress) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(descriptor, $0, size) == 0
                            && (!isOpen || listen(descriptor, 1) == 0)
                            && getsockname(descriptor, $0, &size) == 0
                    }
                }
            }
            let isBound = is6 ? open(&six) : open(&four)
            self.port = Int(UInt16(bigEndian: is6 ? six.sin6_port : four.sin_port))
            // All properties are set, so deinit closes the descriptor.
            guard isBound else { return nil }
        }

        deinit { close(descriptor) }
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0"])
    func `a port in use on IPv4 is refused`(address: String) throws {
        let other = try #require(Listener(address))
        let error = #expect(throws: CommandFailure.self) { try LoopbackPort(other.port) }
        #expect(error?.code == .unavailable)
        #expect(error?.type == "port-in-use")
        #expect(error?.message == "Port \(other.port) is already in use on 127.0.0.1.")
    }

    @Test(.enabled(if: hasIPv6, "needs IPv6 loopback"), arguments: ["::1", "::"])
    func `a port that another program has on IPv6 is refused`(address: String) throws {
        let other = try #require(Listener(address))
        let error = #expect(throws: CommandFailure.self) { try LoopbackPort(other.port) }
        #expect(error?.code == .unavailable)
        #expect(error?.type == "port-in-use")
        #expect(error?.message == "Port \(other.port) is already in use on [::1].")
        #expect(error?.hint?.contains("--port 0") == true)
    }

    @Test(.enabled(if: hasIPv6, "needs IPv6 loopback"))
    func `a listener on all addresses is refused`() throws {
        let other = try #require(Listener("::", isDual: true))
        #expect(throws: CommandFailure.self) { try LoopbackPort(other.port) }
        withExtendedLifetime(other) {}
    }

    @Test(.enabled(if: hasIPv6, "needs IPv6 loopback"))
    func `any free port is free on both`() throws {
        var taken: [LoopbackPort] = []
        for _ in 0..<32 {
            let port = try LoopbackPort(0)
            #expect(port.number > 0)
            #expect(port.addresses == ["127.0.0.1", "::1"])
            taken.append(port)
        }
        #expect(Set(taken.map(\.number)).count == taken.count)
    }

    @Test(.enabled(if: hasIPv6, "needs IPv6 loopback"))
    func `while the servers listen, no other program can bind either address`() throws {
        let port = try LoopbackPort(0)
        let servers = port.addresses.map { Listener($0, port: port.number) }
        #expect(servers.allSatisfy { $0 != nil })
        for address in ["127.0.0.1", "0.0.0.0", "::1", "::"] {
            #expect(Listener(address, port: port.number) == nil, "\(address)")
        }
        withExtendedLifetime((port, servers)) {}
    }

    @Test func `without IPv6 the port is that of IPv4`() throws {
        // An address that no machine has as its own.
        let port = try LoopbackPort(0, second: "100::1")
        #expect(port.addresses == ["127.0.0.1"])
        #expect(!port.hasIPv6)
        #expect(port.number > 0)
    }

    @Test(.enabled(if: geteuid() != 0, "root may listen everywhere"))
    func `a port that this user may not bind is reported`() throws {
        let error = #expect(throws: CommandFailure.self) { try LoopbackPort(1) }
        #expect(error?.type == "port-not-allowed")
    }
}
