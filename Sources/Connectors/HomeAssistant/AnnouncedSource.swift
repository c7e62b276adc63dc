import Ingest
import Samples
import Scheduling
import Synchronization
import VM

/// How the value of an announced sensor is read from messages.
struct AnnouncedReader: Sendable {
    let template: ValueTemplate
    let rule: FieldRule
    /// The time after which a value is stale without a further message, in seconds.
    var expiry: Int64?
}

/// The samples of one announced sensor, received over a shared connection.
///
/// The reader may change while samples are consumed.
///
/// A retained message is of unknown age. It becomes a sample only if the sensor has states, such as a door,
/// whose last state is the current one; its time is that of its arrival. It is left out if it has the last
/// known value.
final class AnnouncedSource: SampleSource {
    /// The maximum number of buffered samples; more are dropped and counted.
    private static let bufferLimit = 4096
    private static let name = "value"

    private struct State {
        var reader: AnnouncedReader
        var sink: SampleSink
        /// The consumers; only the last one gets samples, since a cancelled one may end after its
        /// successor has started.
        var outputs: [(number: Int, output: Output)] = []
        /// The number that the sink gave to the last consumer.
        var listener = 0
        /// The number of consumers so far.
        var listeners = 0
        var isConnected = false
        /// Why it is not connected.
        var problem: String?
        /// The value of the last sample.
        var last: Value?
        /// A retained value that arrived before there was a consumer.
        var retained: Value?
        /// The last message, or the connection if there was none since.
        var heard: Timestamp?

        init(_ reader: AnnouncedReader, _ sink: SampleSink) {
            (self.reader, self.sink) = (reader, sink)
        }

        /// Directs samples to the last consumer.
        mutating func begin() {
            guard let output = outputs.last?.output else { return }
            listener = sink.begin(output)
            if isConnected {
                sink.connected()
            } else if let problem {
                sink.setLink(.disconnected, problem, for: listener)
            }
        }
    }

    private typealias Output = AsyncThrowingStream<Sample, any Error>.Continuation

    private let state: Mutex<State>
    private let time: any TimeSource

    init(_ reader: AnnouncedReader, time: any TimeSource) {
        state = Mutex(State(reader, Self.sink(reader, time)))
        self.time = time
    }

    /// The report of the connection; a value that has expired is a problem.
    var report: SourceReport? {
        let (sink, expiry, heard) = state.withLock { ($0.sink, $0.reader.expiry, $0.heard) }
        var report = sink.report
        if report.link == .connected, report.problem == nil, let expiry, let heard,
            heard.advanced(byMicroseconds: expiry * 1_000_000) < time.now()
        {
            report.problem =
                "No message for more than \(expiry) s, after which its value is stale. Check the device."
        }
        return report
    }

    func resume(after last: Sample) {
        state.withLock { $0.last = last.values.first }
    }

    func samples() -> AsyncThrowingStream<Sample, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.bufferLimit)) { output in
            let (number, retained) = state.withLock { state in
                state.listeners += 1
                state.outputs.append((state.listeners, output))
                state.begin()
                return (state.listeners, state.retained.take())
            }
            output.onTermination = { [weak self] _ in self?.end(number) }
            if let retained { send(retained, unlessKnown: true) }
        }
    }

    /// Changes how values are read; the counts restart at zero.
    func read(with reader: AnnouncedReader) {
        state.withLock { state in
            state.reader = reader
            state.sink = Self.sink(reader, time)
            state.begin()
        }
    }

    /// Takes a message; it is ignored without a consumer, unless it is a retained state.
    ///
    /// - Parameter input: `nil` for a message that is no text.
    func take(_ input: TemplateInput?, isRetained: Bool = false) {
        let now = time.now()
        let (reader, sink, isConsumed) = state.withLock { state in
            if !isRetained { state.heard = now }
            return (state.reader, state.sink, !state.outputs.isEmpty)
        }
        guard isRetained else {
            guard isConsumed else { return }
            guard let input else { return sink.reject() }
            return send(reader.template.value(of: input), unlessKnown: false)
        }
        guard reader.rule.field.kind == .state, let input,
            let raw = reader.template.value(of: input), reader.rule.value(of: raw) != nil
        else { return }
        guard isConsumed else {
            return state.withLock { $0.retained = raw }
        }
        send(raw, unlessKnown: true)
    }

    func warn(_ problem: String) {
        state.withLock { $0.sink }.warn(problem)
    }

    func connected() {
        let now = time.now()
        state.withLock { state in
            guard !state.isConnected else { return }
            (state.isConnected, state.problem) = (true, nil)
            state.heard = now
            if !state.outputs.isEmpty { state.sink.connected() }
        }
    }

    func disconnected(_ problem: String) {
        state.withLock { state in
            (state.isConnected, state.problem) = (false, problem)
            state.sink.setLink(.disconnected, problem, for: state.listener)
        }
    }

    /// - Parameter raw: `nil` if the message has no value.
    private func send(_ raw: Value?, unlessKnown isSkippable: Bool) {
        let (sink, value, isKnown) = state.withLock { state in
            let value = raw.flatMap(state.reader.rule.value)
            if !isSkippable { state.retained = nil }
            return (state.sink, value, value != nil && value == state.last)
        }
        guard !(isSkippable && isKnown) else { return }
        // Without the lock: see ``SampleSink``.
        let reading = Reading(values: raw.map { [Self.name: $0] } ?? [:])
        if sink.take(reading) { state.withLock { $0.last = value } }
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

    private static func sink(_ reader: AnnouncedReader, _ time: any TimeSource) -> SampleSink {
        SampleSink(
            maker: SampleMaker(name: name, rule: reader.rule),
            limit: TokenBucket(rate: SupervisedSource.standardRate), time: time)
    }
}
