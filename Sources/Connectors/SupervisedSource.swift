public import Ingest
public import Samples
public import Scheduling
public import VM

/// A source that reconnects whenever its connection ends, as long as its samples are consumed.
///
/// ```swift
/// let source = SupervisedSource(connector, maker: maker)
/// for try await sample in source.samples() { store(sample) }
/// ```
public final class SupervisedSource: SampleSource {
    /// The default rate limit of a source in messages per second.
    public static let standardRate = 1000.0
    /// The maximum number of buffered samples; more are dropped and counted.
    private static let bufferLimit = 4096

    private let connector: any Connector
    private let sink: SampleSink
    private let time: any TimeSource

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - maker: converts the messages of the connector to samples.
    ///   - highestRate: the rate limit in messages per second; messages above it are dropped.
    ///   - time: the clock for the time of arrival and for the waits between attempts to connect.
    public init(
        _ connector: any Connector, maker: SampleMaker, highestRate: Double = standardRate,
        time: any TimeSource = .system
    ) {
        self.connector = connector
        sink = SampleSink(maker: maker, limit: TokenBucket(rate: highestRate), time: time)
        self.time = time
    }

    /// The state of the connection, and the counts of messages and samples.
    public var report: SourceReport? { sink.report }

    /// The samples from now on; the stream only ends when its consumer stops.
    public func samples() -> AsyncThrowingStream<Sample, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.bufferLimit)) { output in
            let listener = sink.begin(output)
            let task = Task { await supervise(for: listener) }
            output.onTermination = { _ in task.cancel() }
        }
    }

    private func supervise(for listener: Int) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            let before = sink.report
            sink.setLink(.connecting, for: listener)
            var problem = "\(connector.sourceName) ended the connection."
            do {
                try await connector.connect(sink)
            } catch {
                problem = (error as? ConnectorError)?.message ?? "\(connector.sourceName): \(error)"
            }
            guard !Task.isCancelled else { break }
            sink.setLink(.disconnected, problem, for: listener)
            if sink.report.accepted > before.accepted { backoff.reset() }
            try? await time.sleep(for: backoff.wait())
        }
        sink.setLink(.disconnected, for: listener)
    }
}

/// Exponential backoff with jitter between attempts to connect.
struct Backoff: Sendable {
    static let first = Duration.seconds(1)
    static let longest = Duration.seconds(60)

    private var next = first

    /// The time until the next attempt; 20 % jitter keeps the sources of one server from reconnecting at
    /// the same time.
    mutating func wait() -> Duration {
        let due = next
        next = min(next * 2, Self.longest)
        return due * Double.random(in: 0.8...1.2)
    }

    /// Restarts at the shortest wait, after a successful connection.
    mutating func reset() {
        next = Self.first
    }
}
