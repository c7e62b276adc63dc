import Glibc

/// A port on both loopback addresses, reserved until the host's servers listen on it.
///
/// Browsers try `[::1]` first for `localhost` and every name below it. A host that listened on
/// 127.0.0.1 alone would leave its pages and their tokens to another user's program that listens there.
///
/// ```swift
/// let port = try LoopbackPort(8080)
/// print(port.number, port.addresses)
/// ```
package final class LoopbackPort: Sendable {
    /// How many free ports of the first address are tried on the second.
    private static let attempts = 64

    /// The number, also if any free port was requested.
    package let number: Int
    /// The addresses to listen on: `127.0.0.1`, and `::1` unless this machine has no such address.
    package let addresses: [String]
    /// Bound sockets that do not listen: no other program is given the port meanwhile, and the servers
    /// get it because all of them set `SO_REUSEADDR`.
    private let reservations: [Int32]

    /// Whether the machine has the loopback address of IPv6.
    package var hasIPv6: Bool { addresses.count > 1 }

    /// Reserves a port on both addresses.
    ///
    /// - Parameter wanted: the number; 0 for any port that is free on both.
    /// - Throws: `CommandFailure` if another program listens on either, or this user may not.
    package convenience init(_ wanted: Int) throws(CommandFailure) {
        try self.init(wanted, second: "::1")
    }

    /// - Parameter second: the address of IPv6.
    init(_ wanted: Int, second: String) throws(CommandFailure) {
        var rejected: [Int32] = []
        defer { for descriptor in rejected { close(descriptor) } }
        for _ in 0..<Self.attempts {
            let first = try Self.reserve(v4: "127.0.0.1", port: wanted)
            let (other, reason) = Self.reserve(v6: second, port: first.port)
            switch (other, reason) {
            case (let other?, _):
                (number, addresses) = (first.port, ["127.0.0.1", second])
                reservations = [first.descriptor, other]
                return
            case (nil, EADDRNOTAVAIL), (nil, EAFNOSUPPORT):
                (number, addresses) = (first.port, ["127.0.0.1"])
                reservations = [first.descriptor]
                return
            default:
                // Kept until the end, so that the next attempt gets another number.
                rejected.append(first.descriptor)
                guard wanted == 0, reason == EADDRINUSE else {
                    throw Self.failure(reason, port: first.port, address: "[\(second)]")
                }
            }
        }
        throw Self.failure(EADDRINUSE, port: wanted, address: "[\(second)]")
    }

    deinit {
        for descriptor in reservations { close(descriptor) }
    }

    /// The failure of a server that cannot listen.
    ///
    /// - Parameter reason: `errno`.
    package static func failure(_ reason: Int32, port: Int, address: String) -> CommandFailure {
        switch reason {
        case EADDRINUSE:
            CommandFailure(
                .unavailable, "Port \(port) is already in use on \(address).",
                hint: "Choose another with --port N, or any free one with --port 0.",
                type: "port-in-use")
        case EACCES:
            CommandFailure(
                .noPermission, "Permission denied to listen on port \(port).",
                hint: "Ports below 1024 require root: choose another with --port N.",
                type: "port-not-allowed")
        default:
            CommandFailure(
                .unavailable,
                "Cannot listen on \(address), port \(port): \(String(cString: strerror(reason))).")
        }
    }

    private static func reserve(
        v4 address: String, port: Int
    ) throws(CommandFailure) -> (descriptor: Int32, port: Int) {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, address, &place.sin_addr)
        let (descriptor, reason) = bind(to: &place, family: AF_INET)
        guard let descriptor else { throw failure(reason, port: port, address: address) }
        return (descriptor, Int(UInt16(bigEndian: place.sin_port)))
    }

    private static func reserve(
        v6 address: String, port: Int
    ) -> (descriptor: Int32?, reason: Int32) {
        var place = sockaddr_in6()
        place.sin6_family = sa_family_t(AF_INET6)
        place.sin6_port = UInt16(port).bigEndian
        inet_pton(AF_INET6, address, &place.sin6_addr)
        return bind(to: &place, family: AF_INET6)
    }

    /// A socket that is bound, and the address that it got; otherwise `errno`.
    private static func bind<Address>(
        to place: inout Address, family: Int32
    ) -> (descriptor: Int32?, reason: Int32) {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return (nil, errno) }
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var size = socklen_t(MemoryLayout<Address>.size)
        let result = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard result == 0 else {
            let reason = errno
            close(descriptor)
            return (nil, reason)
        }
        return (descriptor, 0)
    }
}
