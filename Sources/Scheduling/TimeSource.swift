public import Samples

/// The clocks and the timer of the host; tests and replays substitute their own.
///
/// ```swift
/// actor Heartbeat {
///     private let time: any TimeSource
///     init(time: any TimeSource = .system) { self.time = time }
///
///     func run() async throws {
///         while true { try await time.sleep(for: .seconds(15)) }
///     }
/// }
/// ```
public protocol TimeSource: Sendable {
    /// The wall clock, which may be set forwards or backwards.
    func now() -> Timestamp

    /// A clock that never jumps and includes time in which the machine sleeps; for intervals.
    func instant() -> ContinuousClock.Instant

    /// Suspends the current task.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func sleep(for duration: Duration) async throws
}

extension TimeSource {
    /// The machine's monotonic clock.
    public func instant() -> ContinuousClock.Instant { .now }

    /// Sleeps until the wall clock reads a whole multiple of `interval` that is at least half an
    /// interval away.
    ///
    /// Sensors with the same interval wake the processor together, and a late sample delays no other.
    public func sleepToNextTick(every interval: Duration) async throws {
        try await sleep(for: now().durationToTick(every: interval))
    }
}

/// The machine's own clocks.
public struct SystemTime: TimeSource {
    /// Creates the clocks of the machine.
    public init() {}

    public func now() -> Timestamp { .now() }

    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}

extension TimeSource where Self == SystemTime {
    /// The machine's own clocks.
    public static var system: SystemTime { SystemTime() }
}

extension Timestamp {
    /// The duration until a clock reads a whole multiple of `interval` that is at least half an
    /// interval away.
    public func durationToTick(every interval: Duration) -> Duration {
        let step = max(1, interval.wholeMicroseconds)
        let phase = microseconds % step
        let rest = step - (phase < 0 ? phase + step : phase)
        return .microseconds(rest < step / 2 ? rest + step : rest)
    }
}

/// Runs `body`, and cancels it when it takes longer than `limit`.
///
/// ```swift
/// let reply = try await withTimeLimit(.seconds(5), throwing: NetworkError.timedOut) {
///     try await connection.reply()
/// }
/// ```
///
/// - Parameters:
///   - time: measures the limit.
///   - isLifted: asked when the limit has passed; `true` if it no longer applies.
/// - Throws: what `body` throws, or `failure` when the limit passed first.
public func withTimeLimit<T: Sendable>(
    _ limit: Duration, time: any TimeSource = .system,
    unless isLifted: @escaping @Sendable () -> Bool = { false },
    throwing failure: @autoclosure @escaping @Sendable () -> any Error,
    _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T?.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await time.sleep(for: limit)
            guard isLifted() else { throw failure() }
            return nil
        }
        defer { group.cancelAll() }
        while let result = try await group.next() {
            if let result { return result }
        }
        throw CancellationError()
    }
}
