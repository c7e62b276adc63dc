import Synchronization

/// The port that the server took, known once it listens.
final class ListeningPort: Sendable {
    private let value = Mutex<Int?>(nil)

    var number: Int? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
