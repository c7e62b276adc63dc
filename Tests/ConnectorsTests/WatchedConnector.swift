import Connectors
import Synchronization

/// A connector of which is known when it has ended, so that a server does not go before its client.
final class WatchedConnector: Connector {
    private let inner: any Connector
    private let open = Mutex(0)
    private let (endings, ended) = AsyncStream.makeStream(of: Void.self)

    init(_ inner: any Connector) {
        self.inner = inner
    }

    var place: String { inner.place }

    func connect(_ sink: SampleSink) async throws {
        open.withLock { $0 += 1 }
        defer {
            open.withLock { $0 -= 1 }
            ended.yield()
        }
        try await inner.connect(sink)
    }

    /// Returns when nothing is open, which nobody must want any more.
    func waitForEnd() async {
        if open.withLock({ $0 == 0 }) { return }
        for await _ in endings where open.withLock({ $0 == 0 }) { return }
    }
}
