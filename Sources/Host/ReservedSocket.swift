import Addresses
import Glibc

/// A TCP socket that is bound and does not listen, so that no other program gets its port.
///
/// A server of this process gets the port nevertheless, because both set `SO_REUSEADDR`.
final class ReservedSocket: Sendable {
    /// The port; if 0 was requested, the one that the kernel chose.
    let port: Int
    private let descriptor: Int32

    /// Why an address and port cannot be bound.
    struct Failure: Error {
        /// `errno`.
        let reason: Int32

        /// The failure of a server that cannot listen.
        ///
        /// - Parameters:
        ///   - option: the option that selects another port.
        ///   - alternative: another way to select one.
        func described(
            port: Int, address: String, option: String, alternative: String
        ) -> CommandFailure {
            switch reason {
            case EADDRINUSE:
                CommandFailure(
                    .unavailable, "Port \(port) is already in use on \(address).",
                    hint: "Choose another with \(option), or \(alternative).",
                    type: "port-in-use")
            case EACCES:
                CommandFailure(
                    .noPermission, "Permission denied to listen on port \(port).",
                    hint: "Ports below 1024 require root: choose another with \(option).",
                    type: "port-not-allowed")
            default:
                CommandFailure(
                    .unavailable,
                    "Cannot listen on \(address), port \(port): "
                        + "\(String(cString: strerror(reason))).")
            }
        }
    }

    /// Binds a socket.
    ///
    /// - Parameter port: the number; 0 for any free port.
    init(_ address: IPAddress, port: Int) throws(Failure) {
        let descriptor: Int32
        switch address {
        case .v4(let bits):
            var socketAddress = sockaddr_in()
            socketAddress.sin_family = sa_family_t(AF_INET)
            socketAddress.sin_port = UInt16(port).bigEndian
            socketAddress.sin_addr.s_addr = bits.bigEndian
            descriptor = try Self.bind(to: &socketAddress, family: AF_INET)
            self.port = Int(UInt16(bigEndian: socketAddress.sin_port))
        case .v6(let bits):
            var socketAddress = sockaddr_in6()
            socketAddress.sin6_family = sa_family_t(AF_INET6)
            socketAddress.sin6_port = UInt16(port).bigEndian
            withUnsafeMutableBytes(of: &socketAddress.sin6_addr) {
                $0.storeBytes(of: bits.bigEndian, as: UInt128.self)
            }
            descriptor = try Self.bind(to: &socketAddress, family: AF_INET6)
            self.port = Int(UInt16(bigEndian: socketAddress.sin6_port))
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// A socket that is bound; `socketAddress` becomes the address that it got.
    private static func bind<Address>(
        to socketAddress: inout Address, family: Int32
    ) throws(Failure) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(reason: errno) }
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var size = socklen_t(MemoryLayout<Address>.size)
        let result = withUnsafeMutablePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard result == 0 else {
            let reason = errno
            close(descriptor)
            throw Failure(reason: reason)
        }
        return descriptor
    }
}
