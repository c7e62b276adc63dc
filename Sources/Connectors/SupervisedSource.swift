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
    private let inlet: Inlet
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
        inlet = Inlet(maker: maker, limit: RateLimit(rate: highestRate), now: now)
        self.sleep = sleep
    }

    public var report: SourceReport? { inlet.report }

    /// The samples from now on; never ends by itself.
    public func samples() -> AsyncThrowingStream<Sample, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.waiting)) { output in
            let listener = inlet.begin(output)
            let task = Task { await supervise(for: listener) }
            output.onTermination = { _ in task.cancel() }
        }
    }

    private func supervise(for listener: Int) async {
        var backOff = BackOff()
        while !Task.isCancelled {
            let before = inlet.report
            inlet.turn(.connecting, for: listener)
            var problem = "\(connector.place) ended the connection."
            do {
                try await connector.connect(inlet)
            } catch {
                problem = (error as? ConnectorError)?.message ?? "\(connector.place): \(error)"
            }
            guard !Task.isCancelled else { break }
            inlet.turn(.disconnected, problem, for: listener)
            if inlet.report.taken > before.taken { backOff.reset() }
            try? await sleep(backOff.wait())
        }
        inlet.turn(.disconnected, for: listener)
    }
}
