import Addresses
import Glibc

/// A port on both loopback addresses, reserved until the host's servers listen on it.
///
/// Browsers try `[::1]` first for `localhost` and every name below it. A host that listened on
/// 127.0.0.1 alone would leave its pages and their tokens to a program of another user that listens on `[::1]`.
///
/// ```swift
/// let port = try LoopbackPort(8080)
/// print(port.number, port.addresses)
/// ```
package final class LoopbackPort: Sendable {
    /// How many free ports of the first address are tried on the second.
    private static let attempts = 64

    /// The port; if 0 was requested, the one that was found.
    package let number: Int
    /// The addresses to listen on: `127.0.0.1`, and `::1` unless this machine has no such address.
    package let addresses: [String]
    private let reservations: [ReservedSocket]

    /// Whether the machine has the loopback address of IPv6.
    package var hasIPv6: Bool { addresses.count > 1 }

    /// Reserves a port on both addresses.
    ///
    /// - Parameter wanted: the number; 0 for any port that is free on both.
    /// - Throws: `CommandFailure` if another program listens on either, or this user may not use the
    ///   port.
    package convenience init(_ wanted: Int) throws(CommandFailure) {
        try self.init(wanted, second: "::1")
    }

    /// - Parameter second: the address of IPv6.
    init(_ wanted: Int, second: String) throws(CommandFailure) {
        var rejected: [ReservedSocket] = []
        defer { withExtendedLifetime(rejected) {} }
        for _ in 0..<Self.attempts {
            let first = try Self.reserve("127.0.0.1", port: wanted)
            do throws(ReservedSocket.Failure) {
                guard let address = IPAddress(second) else { throw .init(reason: EINVAL) }
                let other = try ReservedSocket(address, port: first.port)
                (number, addresses) = (first.port, ["127.0.0.1", second])
                reservations = [first, other]
                return
            } catch  where error.reason == EADDRNOTAVAIL || error.reason == EAFNOSUPPORT {
                (number, addresses) = (first.port, ["127.0.0.1"])
                reservations = [first]
                return
            } catch {
                // Kept until the end, so that the next attempt gets another number.
                rejected.append(first)
                guard wanted == 0, error.reason == EADDRINUSE else {
                    throw Self.failure(error.reason, port: first.port, address: "[\(second)]")
                }
            }
        }
        throw Self.failure(EADDRINUSE, port: wanted, address: "[\(second)]")
    }

    /// The failure of a server that cannot listen.
    ///
    /// - Parameter reason: `errno`.
    package static func failure(_ reason: Int32, port: Int, address: String) -> CommandFailure {
        ReservedSocket.Failure(reason: reason).described(
            port: port, address: address, option: "--port N",
            alternative: "any free one with --port 0")
    }

    private static func reserve(
        _ address: String, port: Int
    ) throws(CommandFailure) -> ReservedSocket {
        do throws(ReservedSocket.Failure) {
            guard let parsed = IPAddress(address) else { throw .init(reason: EINVAL) }
            return try ReservedSocket(parsed, port: port)
        } catch {
            throw failure(error.reason, port: port, address: address)
        }
    }
}
