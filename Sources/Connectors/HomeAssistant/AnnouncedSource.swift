import Ingest
import Samples
import Scheduling
import Synchronization
import VM

/// The samples of one announced sensor, received over a shared connection.
///
/// The payload format may change while samples are consumed.
final class AnnouncedSource: SampleSource {
    /// The maximum number of buffered samples; more are dropped and counted.
    private static let bufferLimit = 4096

    private struct State {
        var sink: SampleSink
        /// The consumers; only the last one gets samples, since a cancelled one may end after its
        /// successor has started.
        var outputs: [(number: Int, output: Output)] = []
        /// The number that the sink gave to the last consumer.
        var listener = 0
        /// The number of consumers so far.
        var listeners = 0
        var isConnected = false

        init(_ sink: SampleSink) { self.sink = sink }

        /// Directs samples to the last consumer.
        mutating func begin() {
            guard let output = outputs.last?.output else { return }
            listener = sink.begin(output)
            if isConnected { sink.connected() }
        }
    }

    private typealias Output = AsyncThrowingStream<Sample, any Error>.Continuation

    private let state: Mutex<State>
    private let time: any TimeSource

    init(_ maker: SampleMaker, time: any TimeSource) {
        state = Mutex(State(Self.sink(maker, time)))
        self.time = time
    }

    var report: SourceReport? { state.withLock { $0.sink }.report }

    func samples() -> AsyncThrowingStream<Sample, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.bufferLimit)) { output in
            let number = state.withLock { state in
                state.listeners += 1
                state.outputs.append((state.listeners, output))
                state.begin()
                return state.listeners
            }
            output.onTermination = { [weak self] _ in self?.end(number) }
        }
    }

    /// Changes the payload format; the counts restart at zero.
    func read(with maker: SampleMaker) {
        state.withLock { state in
            state.sink = Self.sink(maker, time)
            state.begin()
        }
    }

    /// Takes a message; it is ignored without a consumer.
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
            state.sink.setLink(.disconnected, problem, for: state.listener)
        }
    }

    private func end(_ number: Int) {
        state.withLock { state in
            let isLast = state.outputs.last?.number == number
            state.outputs.removeAll { $0.number == number }
            guard isLast else { return }
            state.sink.setLink(.disconnected, for: state.listener)
            state.begin()
        }
    }

    private static func sink(
        _ maker: SampleMaker, _ time: any TimeSource
    ) -> SampleSink {
        SampleSink(
            maker: maker, limit: TokenBucket(rate: SupervisedSource.standardRate), time: time)
    }
}
