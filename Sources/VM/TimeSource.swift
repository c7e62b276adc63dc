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
    func sleepToNextTick(every interval: Duration) async throws {
        let step = max(1, interval.wholeMicroseconds)
        let phase = now().microseconds % step
        let rest = step - (phase < 0 ? phase + step : phase)
        try await sleep(.microseconds(rest < step / 2 ? rest + step : rest))
    }
}
