import Synchronization

/// The bench of a run, which is there only once the run is.
final class BenchBox: Sendable {
    private let held = Mutex<TestBench?>(nil)

    var bench: TestBench? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
