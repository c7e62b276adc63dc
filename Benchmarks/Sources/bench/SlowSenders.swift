import Foundation
import Glibc
import Synchronization

/// Clients that send a byte of a header each half second and never end one; who is closed comes anew.
final class SlowSenders: Sendable {
    private let count: Int
    private let port: Int
    private let isEnding = Atomic(false)
    private let connected = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)

    /// Returns when all of them are connected.
    init(count: Int, port: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        (self.count, self.port) = (count, port)
        let first = try (0..<count).map { _ in try Self.begun(port) }
        connected.store(count, ordering: .relaxed)
        let thread = Thread { self.trickle(first) }
        thread.start()
    }

    /// Ends them all.
    ///
    /// - Returns: how many were connected until then.
    func end() -> Int {
        isEnding.store(true, ordering: .relaxed)
        ended.wait()
        return connected.load(ordering: .relaxed)
    }

    /// A connection with the beginning of a request.
    private static func begun(_ port: Int) throws -> Int32 {
        let socket = try HTTPConnection.connected(to: port)
        let head = "GET /health HTTP/1.1\r\nX-Slow: "
        _ = send(socket, head, head.utf8.count, Int32(MSG_NOSIGNAL))
        return socket
    }

    private func trickle(_ first: [Int32]) {
        var sockets = first
        while !isEnding.load(ordering: .relaxed) {
            var living = 0
            for index in sockets.indices {
                if send(sockets[index], "a", 1, Int32(MSG_NOSIGNAL)) == 1 {
                    living += 1
                } else {
                    close(sockets[index])
                    sockets[index] = (try? Self.begun(port)) ?? -1
                }
            }
            connected.store(living, ordering: .relaxed)
            usleep(500_000)
        }
        for socket in sockets { close(socket) }
        ended.signal()
    }
}
