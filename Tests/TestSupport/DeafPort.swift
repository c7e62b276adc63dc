import Glibc

/// A port of loopback that nobody listens on, and that nobody else gets while this lives.
public final class DeafPort: Sendable {
    public let number: Int
    private let socket: Int32

    /// - Parameter isLent: whether a program that says `SO_REUSEADDR`, as servers do, may take it meanwhile.
    public init(isLent: Bool = false) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var reuses: Int32 = isLent ? 1 : 0
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
        precondition(isBound, "no port of loopback")
        number = Int(in_port_t(bigEndian: address.sin_port))
    }

    deinit { close(socket) }
}
