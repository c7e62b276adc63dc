import Foundation
public import NIOCore

/// The process at the other end of a Unix socket, as the kernel noted it (`SO_PEERCRED`, unix(7)).
public struct PeerCredentials: Sendable {
    // The layout of `struct ucred`.
    private let process: Int32
    /// The user of the process; if the process listens on the socket, the user that called
    /// `listen`.
    public let user: UInt32
    private let group: UInt32

    /// The credentials of the peer of a connected socket; `nil` if it is not a Unix socket.
    public init?(descriptor: Int32) {
        var value = PeerCredentials()
        var size = socklen_t(MemoryLayout<PeerCredentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &value, &size) == 0,
            Int(size) == MemoryLayout<PeerCredentials>.size
        else { return nil }
        self = value
    }

    private init() {
        (process, user, group) = (0, .max, .max)
    }

    /// The credentials of the peer of a connection over a Unix socket.
    public static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(PeerCredentials())
        }
        return options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    }
}
