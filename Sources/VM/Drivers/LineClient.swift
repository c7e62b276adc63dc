import Glibc
import Samples

/// A conversation in lines with a server at an IP address; calls block the thread until a common deadline.
///
/// ```swift
/// var client = try LineClient(host: "127.0.0.1", port: 3493, until: .now + .milliseconds(200))
/// try client.send("VER\n")
/// let version = try client.line()
/// ```
package struct LineClient: ~Copyable {
    /// Why there is no line.
    package enum Failure: Error {
        /// The connection was refused or timed out.
        case unreachable
        /// The server sent no complete line in time.
        case silent
        /// The server ended the connection.
        case ended
        /// The line is longer than allowed.
        case tooLong
    }

    private let descriptor: Int32
    private let deadline: ContinuousClock.Instant
    private var received: [UInt8] = []

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - host: an IP address; names are not looked up.
    ///   - deadline: the end of the whole conversation.
    /// - Throws: `unreachable`.
    package init(
        host: String, port: Int, until deadline: ContinuousClock.Instant
    ) throws(Failure) {
        guard let descriptor = Self.connecting(host, port) else { throw .unreachable }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard Self.wait(for: POLLOUT, on: descriptor, until: deadline),
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0
        else {
            close(descriptor)
            throw .unreachable
        }
        (self.descriptor, self.deadline) = (descriptor, deadline)
    }

    deinit { close(descriptor) }

    /// Sends a short text.
    ///
    /// - Throws: `ended` if it cannot be sent at once.
    package func send(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        // A server that went away must not end the process.
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw .ended }
    }

    /// The next line without its end.
    ///
    /// - Parameter limit: the maximum number of bytes.
    package mutating func line(atMost limit: Int = 1024) throws(Failure) -> [UInt8] {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeSubrange(...end) }
                return received[..<end].filter { $0 != 0x0D }
            }
            guard received.count <= limit else { throw .tooLong }
            guard Self.wait(for: POLLIN, on: descriptor, until: deadline) else { throw .silent }
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { throw .ended }
            received += buffer[..<count]
        }
    }

    /// A socket that is connecting.
    private static func connecting(_ host: String, _ port: Int) -> Int32? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        let address = found.pointee
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { return nil }
        guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func wait(
        for event: Int32, on descriptor: Int32, until end: ContinuousClock.Instant
    ) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return false }
            var item = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&item, 1, Int32(left.wholeMicroseconds / 1000) + 1)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}
