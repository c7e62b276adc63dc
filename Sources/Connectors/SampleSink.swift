public import Ingest
import Samples
import Synchronization
import VM

/// What a connector hands its messages to: makes samples of them, counts, and sends the samples on.
///
/// Safe from any thread. Never waits: what comes faster than it can be stored is left out and counted.
public final class SampleSink: Sendable {
    private struct State: ~Copyable {
        var maker: SampleMaker
        var limit: TokenBucket
        var link = SourceReport.Link.unknown
        var connections = 0
        var problem: String?
        /// Messages that the maker never saw: no messages of the source, and those that were too many.
        var foreign = 0
        var refused = 0
        /// Samples that came faster than they could be stored.
        var unsent = 0
        var output: AsyncThrowingStream<Sample, any Error>.Continuation?
        /// Who listens; what belongs to a listener before is over.
        var listener = 0

        mutating func send(_ sample: Sample) -> Bool {
            guard let output else { return false }
            if case .enqueued = output.yield(sample) { return true }
            unsent += 1
            return false
        }

        var report: SourceReport {
            let counts = maker.counts
            var report = SourceReport()
            report.link = link
            report.connections = connections
            report.problem = problem
            report.received = counts.received + foreign + refused
            report.taken = counts.taken - unsent
            report.late = counts.late
            report.dropped.malformed = counts.malformed + foreign
            report.dropped.incomplete = counts.incomplete
            report.dropped.invalidTimestamp = counts.invalidTimestamp
            report.dropped.repeated = counts.repeated
            report.dropped.excess = refused + unsent
            return report
        }
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Timestamp

    init(maker: SampleMaker, limit: TokenBucket, now: @escaping @Sendable () -> Timestamp) {
        state = Mutex(State(maker: maker, limit: limit))
        self.now = now
    }

    // MARK: - For connectors

    /// Takes one message or line that came now.
    ///
    /// - Returns: whether it became a sample.
    @discardableResult
    public func take(_ payload: [UInt8]) -> Bool {
        outcome(of: payload)?.isSample == true
    }

    /// Takes one message or line that came now.
    ///
    /// - Returns: what became of it; `nil` when there were too many.
    func outcome(of payload: [UInt8]) -> SampleMaker.Outcome? {
        take { maker, arrival in maker.take(payload, at: arrival) }
    }

    /// Takes values that the connector names itself and that came now.
    ///
    /// - Returns: whether they became a sample.
    @discardableResult
    public func take(_ reading: Reading) -> Bool {
        take { maker, arrival in maker.take(reading, at: arrival) }?.isSample == true
    }

    /// Counts a message that is no message of the source, such as a line that is too long.
    public func reject(_ count: Int = 1) {
        state.withLock { $0.foreign += count }
    }

    /// The way stands: messages come from now on, and nothing is wrong any more.
    ///
    /// Does nothing when it stood before.
    public func connected() {
        state.withLock {
            guard $0.link != .connected else { return }
            $0.link = .connected
            $0.problem = nil
            $0.connections += 1
            $0.maker.restart()
        }
    }

    /// The way does not stand for now, and the connector itself tries again later.
    public func disconnected(_ problem: String) {
        state.withLock {
            $0.link = .disconnected
            $0.problem = problem
        }
    }

    /// The source is looked for.
    public func scanning() {
        state.withLock { $0.link = .scanning }
    }

    /// The source was found, and the way to it does not stand yet.
    public func connecting() {
        state.withLock { $0.link = .connecting }
    }

    /// Something went wrong that does not end the way; `nil` when it is right again.
    public func warn(_ problem: String?) {
        state.withLock { $0.problem = problem }
    }

    private func take(
        _ make: (inout SampleMaker, Timestamp) -> SampleMaker.Outcome
    ) -> SampleMaker.Outcome? {
        let arrival = now()
        return state.withLock { state in
            guard state.limit.admits(at: arrival) else {
                state.refused += 1
                return nil
            }
            let outcome = make(&state.maker, arrival)
            guard case .sample(let sample) = outcome else { return outcome }
            return state.send(sample) ? outcome : nil
        }
    }

    // MARK: - For the supervisor

    var report: SourceReport { state.withLock { $0.report } }

    /// - Returns: the number of this listener.
    func begin(_ output: AsyncThrowingStream<Sample, any Error>.Continuation) -> Int {
        state.withLock {
            $0.output = output
            $0.listener += 1
            return $0.listener
        }
    }

    /// - Parameter problem: what went wrong, where something did.
    func turn(_ link: SourceReport.Link, _ problem: String? = nil, for listener: Int) {
        state.withLock {
            guard $0.listener == listener else { return }
            $0.link = link
            if let problem { $0.problem = problem }
        }
    }
}

extension SampleMaker.Outcome {
    fileprivate var isSample: Bool {
        if case .sample = self { true } else { false }
    }
}
