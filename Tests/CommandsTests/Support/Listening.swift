import Synchronization

/// What a server of a test was asked.
final class Listening: Sendable {
    private let asked = Mutex<[String]>([])

    var requests: [String] { asked.withLock { $0 } }

    func note(_ request: String) {
        asked.withLock { $0.append(request) }
    }
}
