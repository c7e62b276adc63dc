import Ingest
import Samples
import Synchronization
import VM

/// The samples of one announced sensor; its messages come by a connection that others share.
///
/// How they are read may change while somebody listens.
final class AnnouncedSource: SampleSource {
    /// The most samples that wait for the store; more are left out and counted.
    private static let waiting = 4096

    private struct State {
        var sink: SampleSink
        /// Who listens, the last of them to what comes: one that was cancelled before it began to listen
        /// may come after the one that took its place.
        var outputs: [(number: Int, output: Output)] = []
        /// The last of them, as the sink knows it.
        var listener = 0
        /// How many have listened to this.
        var listeners = 0
        var isConnected = false

        init(_ sink: SampleSink) { self.sink = sink }

        /// Lets the last who listens have what comes.
        mutating func begin() {
            guard let output = outputs.last?.output else { return }
            listener = sink.begin(output)
            if isConnected { sink.connected() }
        }
    }

    private typealias Output = AsyncThrowingStream<Sample, any Error>.Continuation

    private let state: Mutex<State>
    private let now: @Sendable () -> Timestamp

    init(_ maker: SampleMaker, now: @escaping @Sendable () -> Timestamp) {
        state = Mutex(State(Self.sink(maker, now)))
        self.now = now
    }

    var report: SourceReport? { state.withLock { $0.sink }.report }

    func samples() -> AsyncThrowingStream<Sample, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.waiting)) { output in
            let number = state.withLock { state in
                state.listeners += 1
                state.outputs.append((state.listeners, output))
                state.begin()
                return state.listeners
            }
            output.onTermination = { [weak self] _ in self?.end(number) }
        }
    }

    /// Reads messages in another way from now on; what was counted begins anew.
    func read(with maker: SampleMaker) {
        state.withLock { state in
            state.sink = Self.sink(maker, now)
            state.begin()
        }
    }

    /// Takes a message, unless nobody listens.
    func take(_ payload: [UInt8]) {
        state.withLock { $0.outputs.isEmpty ? nil : $0.sink }?.take(payload)
    }

    func warn(_ problem: String) {
        state.withLock { $0.sink }.warn(problem)
    }

    func connected() {
        state.withLock { state in
            guard !state.isConnected else { return }
            state.isConnected = true
            if !state.outputs.isEmpty { state.sink.connected() }
        }
    }

    func disconnected(_ problem: String) {
        state.withLock { state in
            state.isConnected = false
            state.sink.turn(.disconnected, problem, for: state.listener)
        }
    }

    private func end(_ number: Int) {
        state.withLock { state in
            let isLast = state.outputs.last?.number == number
            state.outputs.removeAll { $0.number == number }
            guard isLast else { return }
            state.sink.turn(.disconnected, for: state.listener)
            state.begin()
        }
    }

    private static func sink(
        _ maker: SampleMaker, _ now: @escaping @Sendable () -> Timestamp
    ) -> SampleSink {
        SampleSink(maker: maker, limit: TokenBucket(rate: SupervisedSource.standardRate), now: now)
    }
}
