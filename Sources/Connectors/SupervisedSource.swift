public import Ingest
public import Samples
public import VM

/// A source that is connected to again, whenever the way to it ends, for as long as it is wanted.
public final class SupervisedSource: SampleSource {
    /// The highest rate of one source that says none itself, in messages a second.
    public static let standardRate = 1000.0
    /// The most samples that wait for the store; more are left out and counted.
    private static let waiting = 4096

    private let connector: any Connector
    private let sink: SampleSink
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - maker: what makes samples of what the connector brings.
    ///   - highestRate: messages a second; what is beyond is left out and counted.
    ///   - sleep: how to wait between two tries.
    public init(
        _ connector: any Connector, maker: SampleMaker, highestRate: Double = standardRate,
        now: @escaping @Sendable () -> Timestamp = { .now() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        self.connector = connector
        sink = SampleSink(maker: maker, limit: TokenBucket(rate: highestRate), now: now)
        self.sleep = sleep
    }

    public var report: SourceReport? { sink.report }

    /// The samples from now on; never ends by itself.
    public func samples() -> AsyncThrowingStream<Sample, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.waiting)) { output in
            let listener = sink.begin(output)
            let task = Task { await supervise(for: listener) }
            output.onTermination = { _ in task.cancel() }
        }
    }

    private func supervise(for listener: Int) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            let before = sink.report
            sink.turn(.connecting, for: listener)
            var problem = "\(connector.place) ended the connection."
            do {
                try await connector.connect(sink)
            } catch {
                problem = (error as? ConnectorError)?.message ?? "\(connector.place): \(error)"
            }
            guard !Task.isCancelled else { break }
            sink.turn(.disconnected, problem, for: listener)
            if sink.report.taken > before.taken { backoff.reset() }
            try? await sleep(backoff.wait())
        }
        sink.turn(.disconnected, for: listener)
    }
}

/// How long to wait between two tries to connect: twice as long each time, with some chance.
struct Backoff: Sendable {
    static let first = Duration.seconds(1)
    static let longest = Duration.seconds(60)

    private var next = first

    /// The time until the next try, from 80 % to 120 % of what is due, so that not all sources of one
    /// server come back at once.
    mutating func wait() -> Duration {
        let due = next
        next = min(next * 2, Self.longest)
        return due * Double.random(in: 0.8...1.2)
    }

    /// After a connection that was of use.
    mutating func reset() {
        next = Self.first
    }
}
