import Glibc
import Samples

/// Asks whether gpsd is at an address, for at most 200 ms.
struct GPSDProbe: Sendable {
    enum Answer: Hashable {
        case present
        /// Nobody listens there.
        case nobody
        /// Somebody listens and says nothing in time.
        case silent
        /// Somebody else is there.
        case stranger
    }

    static let patience = Duration.milliseconds(200)

    /// An IP address.
    let host: String
    let port: Int

    /// Waits in system calls.
    func ask() -> Answer {
        let end = ContinuousClock.now + Self.patience
        guard let descriptor = connecting() else { return .nobody }
        defer { close(descriptor) }
        guard wait(for: POLLOUT, on: descriptor, until: end) else { return .nobody }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0 else {
            return .nobody
        }
        var line: [UInt8] = []
        while line.count <= GPSDMessage.longestLine {
            guard wait(for: POLLIN, on: descriptor, until: end) else { return .silent }
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return .stranger }
            line += buffer[..<count]
            guard let stop = line.firstIndex(of: 0x0A) else { continue }
            let first = Array(line[..<stop].filter { $0 != 0x0D })
            if case .version = GPSDMessage(first, at: .now()) { return .present }
            return .stranger
        }
        return .stranger
    }

    /// A socket that has begun to connect.
    private func connecting() -> Int32? {
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

    private func wait(
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
