import Connectors
import Ingest
import Samples
import Synchronization

/// A connector that runs one script per connection and then waits for cancellation.
final class ScriptedConnector: Connector {
    enum Step: Sendable {
        case connected
        case line(String)
        case warn(String)
        /// Time passes.
        case pass(Duration)
        case fail(String)
    }

    let sourceName = "the device"
    private let clock: InstantClock
    private let visits: [[Step]]
    private let count = Mutex((begun: 0, ended: 0))
    /// Yields when a script is done and when the last connection has ended.
    let events: AsyncStream<String>
    private let event: AsyncStream<String>.Continuation

    init(_ clock: InstantClock, _ visits: [[Step]]) {
        (self.clock, self.visits) = (clock, visits)
        (events, event) = AsyncStream.makeStream(of: String.self)
    }

    var open: Int { count.withLock { $0.begun - $0.ended } }
    var begun: Int { count.withLock { $0.begun } }

    func connect(_ sink: SampleSink) async throws {
        let visit = count.withLock { count in
            count.begun += 1
            return count.begun - 1
        }
        defer {
            count.withLock { $0.ended += 1 }
            event.yield("closed")
        }
        for step in visit < visits.count ? visits[visit] : [] {
            switch step {
            case .connected: sink.connected()
            case .line(let line): sink.take(Array(line.utf8))
            case .warn(let text): sink.warn(text)
            case .pass(let time): clock.pass(time)
            case .fail(let text): throw ConnectorError(text)
            }
        }
        guard visit >= visits.count - 1 else { return }
        event.yield("done")
        for await _ in AsyncStream<Never>.makeStream().stream {}
    }
}

/// A clock that is advanced by every wait, which returns at once.
final class InstantClock: Sendable {
    private let state = Mutex((now: SourceTests.start, waits: [Duration]()))

    var now: Timestamp { state.withLock { $0.now } }
    var waits: [Duration] { state.withLock { $0.waits } }

    func pass(_ time: Duration) {
        state.withLock { $0.now = $0.now.advanced(byMicroseconds: time.wholeMicroseconds) }
    }

    func sleep(_ time: Duration) async throws {
        try Task.checkCancellation()
        pass(time)
        state.withLock { $0.waits.append(time) }
    }
}
