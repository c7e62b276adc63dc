import Connectors
import Synchronization

/// Wraps a connector so that a test can wait for its end, such as before stopping a server.
final class WatchedConnector: Connector {
    private let inner: any Connector
    private let open = Mutex(0)
    private let (endings, ended) = AsyncStream.makeStream(of: Void.self)

    init(_ inner: any Connector) {
        self.inner = inner
    }

    var sourceName: String { inner.sourceName }

    func connect(_ sink: SampleSink) async throws {
        open.withLock { $0 += 1 }
        defer {
            open.withLock { $0 -= 1 }
            ended.yield()
        }
        try await inner.connect(sink)
    }

    /// Returns when no connection is open; the source must be cancelled before.
    func waitForEnd() async {
        if open.withLock({ $0 == 0 }) { return }
        for await _ in endings where open.withLock({ $0 == 0 }) { return }
    }
}
