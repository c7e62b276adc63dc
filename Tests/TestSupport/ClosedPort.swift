import Glibc

/// A loopback port that is bound but refuses connections; it is released with this value.
public final class ClosedPort: Sendable {
    public let number: Int
    private let socket: Int32

    /// - Parameter allowsReuse: whether a program that sets `SO_REUSEADDR`, as servers do, may bind it.
    public init(allowsReuse: Bool = false) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var reuses: Int32 = allowsReuse ? 1 : 0
        setsockopt(
            socket, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [socket] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        precondition(isBound, "no free loopback port")
        number = Int(in_port_t(bigEndian: address.sin_port))
    }

    deinit { close(socket) }
}
