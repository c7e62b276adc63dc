public import Samples

/// The wall clock and the waiting of the virtual machine; tests put their own in its place.
public struct TimeSource: Sendable {
    let now: @Sendable () -> Timestamp
    let sleep: @Sendable (Duration) async throws -> Void

    /// The machine's clocks.
    public static let system = TimeSource(now: { .now() }, sleep: { try await Task.sleep(for: $0) })

    public init(
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Waits until the wall clock reads a whole multiple of `interval`, at least half of one away.
    ///
    /// Sensors of one interval so wake the processor together, and a late sample delays no other.
    public func sleepToNextTick(every interval: Duration) async throws {
        try await sleep(now().timeToTick(every: interval))
    }
}

extension Timestamp {
    /// From here until a clock reads a whole multiple of `interval`, at least half of one away.
    public func timeToTick(every interval: Duration) -> Duration {
        let step = max(1, interval.wholeMicroseconds)
        let phase = microseconds % step
        let rest = step - (phase < 0 ? phase + step : phase)
        return .microseconds(rest < step / 2 ? rest + step : rest)
    }
}
