import Foundation
import Glibc

/// The socket on which systemd would listen for the messages of a service.
public final class NotifySocket: Sendable {
    /// The value of `NOTIFY_SOCKET`.
    public let path: String
    private let descriptor: Int32

    /// - Parameter isAbstract: whether it has a name instead of a file.
    /// - Throws: `POSIXError`.
    public init(isAbstract: Bool = false) throws {
        let name = "/tmp/nervous-notify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let path = isAbstract ? "@" + name : name
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        (self.path, self.descriptor) = (path, descriptor)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// The next message that has arrived; does not wait.
    public func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
