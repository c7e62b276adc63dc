/// The time between two samples at each collection level.
public struct Cadence: Hashable, Sendable {
    public let low: Duration
    public let medium: Duration
    public let high: Duration

    /// Every 10 s, 1 s, 200 ms: for readings that change from second to second.
    public static let standard = Cadence(
        low: .seconds(10), medium: .seconds(1), high: .milliseconds(200))
    /// Every 5 min, 1 min, 5 s: for readings that change over minutes.
    public static let slow = Cadence(
        low: .seconds(300), medium: .seconds(60), high: .seconds(5))
    /// Every 1 s, 100 ms, 10 ms: for motion.
    public static let fast = Cadence(
        low: .seconds(1), medium: .milliseconds(100), high: .milliseconds(10))

    /// As they come, at every level but one that names a time: for sources that send of their own accord.
    public static let asTheyCome = Cadence(low: .zero, medium: .zero, high: .zero)

    public init(low: Duration, medium: Duration, high: Duration) {
        self.low = low
        self.medium = medium
        self.high = high
    }
}
