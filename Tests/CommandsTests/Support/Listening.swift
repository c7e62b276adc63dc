import Synchronization

/// The requests to the server of a test.
final class Listening: Sendable {
    private let asked = Mutex<[String]>([])

    var requests: [String] { asked.withLock { $0 } }

    func note(_ request: String) {
        asked.withLock { $0.append(request) }
    }
}
