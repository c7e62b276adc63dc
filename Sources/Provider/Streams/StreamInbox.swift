import AppStorage
import Auth
import LAE
import Samples

/// What has happened since the last write of a stream: bounded, however slowly the client reads.
actor StreamInbox {
    /// The maximum number of notices that wait for a client; the newest are kept.
    private static let noticeLimit = 256

    struct Contents {
        /// The parts that have changed.
        var parts: Set<OwnerEvents.Part> = []
        var notices: [Notice] = []
        /// The owner's decisions about sensors for which the client had to wait.
        var decided: [(name: SensorID, result: Result<SensorID, Problem>)] = []
        /// Why the stream ends.
        var problem: Problem?
    }

    /// Has an element after something was added.
    nonisolated let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private var contents = Contents()

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes what was added.
    func take() -> Contents {
        defer { contents = Contents() }
        return contents
    }

    /// Signals that samples have arrived.
    nonisolated func wake() { signal.yield() }

    func add(_ part: OwnerEvents.Part) {
        contents.parts.insert(part)
        signal.yield()
    }

    func add(_ notice: Notice) {
        contents.notices = contents.notices.suffix(Self.noticeLimit - 1) + [notice]
        signal.yield()
    }

    func add(_ name: SensorID, _ result: Result<SensorID, Problem>) {
        contents.decided.append((name, result))
        signal.yield()
    }

    /// Ends the stream with a problem; of several, the first counts.
    ///
    /// - Parameter problem: `nil` for an error that does not end the stream.
    func end(_ problem: Problem?) {
        contents.problem = contents.problem ?? problem
        signal.yield()
    }
}
