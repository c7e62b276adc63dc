import Addresses
import Synchronization
import TestSupport

@testable import Connectors

/// A server that responds with the data since the previous request.
final class PollDevice: TestDevice {
    private struct State {
        var isThere = false
        var words: [UInt8] = []
        /// Sent as a truncated response.
        var last: [UInt8] = []
    }

    let connector: any Connector
    private let state: Words

    private final class Words: Sendable {
        let state = Mutex(State())
    }

    private init(connector: any Connector, _ state: Words) {
        (self.connector, self.state) = (connector, state)
    }

    static func with<T: Sendable>(_ body: (any TestDevice) async throws -> T) async throws -> T {
        let words = Words()
        return try await LocalServer.with { _ in
            words.state.withLock { state in
                let text = String(decoding: state.words, as: UTF8.self)
                let isPlain = Array(text.utf8) == state.words
                defer { (state.words, state.last) = ([], []) }
                if !state.last.isEmpty {
                    let half = String(decoding: state.last, as: UTF8.self)
                    return .text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\(half)")
                }
                guard state.isThere else { return .answer(status: "503 Service Unavailable") }
                if isPlain { return .answer(text) }
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(state.words.count)\r\n\r\n"
                return .bytes(Array(head.utf8) + state.words)
            }
        } _: { server in
            guard let address = WebAddress("http://127.0.0.1:\(server.port)/state") else {
                throw DeviceFault("no address")
            }
            let connector = PollConnector(
                address, every: .milliseconds(5), takesLines: true,
                budget: HostRateLimiter(calls: 1_000_000, per: .seconds(60)))
            let watched = WatchedConnector(connector)
            let result = try await body(PollDevice(connector: watched, words))
            await watched.waitForEnd()
            return result
        }
    }

    var isInUse: Bool { false }

    func attach() throws {
        state.state.withLock { $0.isThere = true }
    }

    func send(_ bytes: [UInt8]) async throws {
        state.state.withLock { $0.words += bytes }
    }

    func detach(sending bytes: [UInt8]) async throws {
        state.state.withLock {
            $0.isThere = false
            $0.last = bytes
        }
    }
}
