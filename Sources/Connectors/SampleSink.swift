public import Ingest
import Samples
import Scheduling
import Synchronization
import VM

/// Receives the messages of a connector, converts them to samples, counts and forwards them.
///
/// It may be called from any thread and never blocks: samples that arrive faster than they can be
/// stored are dropped and counted.
public final class SampleSink: Sendable {
    private struct State: ~Copyable {
        var maker: SampleMaker
        var limit: TokenBucket
        var link = SourceReport.Link.unknown
        var connections = 0
        var problem: String?
        /// Messages not passed to the maker: invalid ones, and those above the rate limit.
        var invalid = 0
        var refused = 0
        /// Samples dropped because the buffer was full.
        var unsent = 0
        var output: AsyncThrowingStream<Sample, any Error>.Continuation?
        /// The number of the current listener; calls for earlier ones are ignored.
        var listener = 0

        var report: SourceReport {
            let counts = maker.counts
            var report = SourceReport()
            report.link = link
            report.connections = connections
            report.problem = problem
            report.received = counts.received + invalid + refused
            report.accepted = counts.accepted - unsent
            report.late = counts.late
            report.clock = maker.clockOffset
            report.dropped.malformed = counts.malformed + invalid
            report.dropped.incomplete = counts.incomplete
            report.dropped.invalidTimestamp = counts.invalidTimestamp
            report.dropped.repeated = counts.repeated
            report.dropped.excess = refused + unsent
            return report
        }
    }

    private let state: Mutex<State>
    private let time: any TimeSource

    init(maker: SampleMaker, limit: TokenBucket, time: any TimeSource) {
        state = Mutex(State(maker: maker, limit: limit))
        self.time = time
    }

    // MARK: - Connectors

    /// Takes a message or line received now.
    ///
    /// - Returns: whether it became a sample.
    @discardableResult
    public func take(_ payload: [UInt8]) -> Bool {
        outcome(of: payload)?.isSample == true
    }

    /// Takes a message or line received now.
    ///
    /// - Returns: its outcome, or `nil` if it was above the rate limit.
    func outcome(of payload: [UInt8]) -> SampleMaker.Outcome? {
        take { maker, arrival in maker.take(payload, at: arrival) }
    }

    /// Takes named values received now.
    ///
    /// - Returns: whether they became a sample.
    @discardableResult
    public func take(_ reading: Reading) -> Bool {
        take { maker, arrival in maker.take(reading, at: arrival) }?.isSample == true
    }

    /// Takes named values received now, which depend on the time of arrival.
    func take(_ reading: (Timestamp) -> Reading) {
        _ = take { maker, arrival in maker.take(reading(arrival), at: arrival) }
    }

    /// Splits a stream of bytes into messages.
    var splitter: MessageSplitter { state.withLock { $0.maker.splitter } }

    /// Counts invalid messages that are not passed to `take`, such as a line that is too long.
    public func reject(_ count: Int = 1) {
        state.withLock { $0.invalid += count }
    }

    /// Reports that the connection is established, and clears any problem.
    ///
    /// Has no effect if the connection was already reported.
    public func connected() {
        state.withLock {
            guard $0.link != .connected else { return }
            $0.link = .connected
            $0.problem = nil
            $0.connections += 1
            $0.maker.restart()
        }
    }

    /// Reports that the connection is lost, and that the connector itself retries.
    public func disconnected(_ problem: String) {
        state.withLock {
            $0.link = .disconnected
            $0.problem = problem
        }
    }

    /// Reports that the connector is scanning for the source.
    public func scanning() {
        state.withLock { $0.link = .scanning }
    }

    /// Reports that the source was found and the connection is being established.
    public func connecting() {
        state.withLock { $0.link = .connecting }
    }

    /// Reports a problem that does not end the connection; `nil` when it is resolved.
    public func warn(_ problem: String?) {
        state.withLock { $0.problem = problem }
    }

    private func take(
        _ make: (inout SampleMaker, Timestamp) -> SampleMaker.Outcome
    ) -> SampleMaker.Outcome? {
        let arrival = time.now()
        let (outcome, output) = state.withLock { state in
            guard state.limit.admit(at: arrival) else {
                state.refused += 1
                return (SampleMaker.Outcome?.none, state.output)
            }
            return (make(&state.maker, arrival), state.output)
        }
        guard case .sample(let sample)? = outcome else { return outcome }
        // Without our lock: `yield` takes the lock of the task that iterates, which a task that is cancelled
        // holds while the end of the stream waits for ours.
        guard let output else { return nil }
        if case .enqueued = output.yield(sample) { return outcome }
        state.withLock { $0.unsent += 1 }
        return nil
    }

    // MARK: - Supervisor

    var report: SourceReport { state.withLock { $0.report } }

    /// Directs samples to `output` from now on.
    ///
    /// - Returns: the number of this listener.
    func begin(_ output: AsyncThrowingStream<Sample, any Error>.Continuation) -> Int {
        state.withLock {
            $0.output = output
            $0.listener += 1
            return $0.listener
        }
    }

    /// Sets the state of the connection, unless there is a newer listener.
    ///
    /// - Parameter problem: replaces the last problem unless `nil`.
    func setLink(_ link: SourceReport.Link, _ problem: String? = nil, for listener: Int) {
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

/// A token bucket: limits the rate and allows bursts of one second.
struct TokenBucket: Sendable {
    /// Messages per second.
    let rate: Double
    private var tokens: Double
    private var last: Timestamp?

    /// - Parameter rate: messages per second, above zero.
    init(rate: Double) {
        self.rate = rate
        tokens = max(1, rate)
    }

    mutating func admit(at time: Timestamp) -> Bool {
        if let last, time > last {
            let passed = Double(time.microseconds - last.microseconds) / 1e6
            tokens = min(max(1, rate), tokens + passed * rate)
        }
        // After the clock was set back, the same interval must not add tokens twice.
        last = time
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
