import Samples

/// How often a sensor is read, as set by the owner.
///
/// ```swift
/// try await machine.setLevel(.every(.milliseconds(500)), of: "cpu")
/// ```
public enum CollectionLevel: Hashable, Sendable {
    /// Not read, and nothing is stored.
    case off
    /// The intervals of the sensor's cadence, from the longest to the shortest.
    case low, medium, high
    /// Between the intervals of `high` and `low`: often while the values change, rarely while they do not.
    ///
    /// For sensors that the host reads; others are collected as at `medium`.
    case auto
    /// An interval between two samples, at least 1 ms.
    case every(Duration)

    /// The interval between two samples, at `auto` the first one; `nil` when off.
    func interval(_ cadence: Cadence) -> Duration? {
        switch self {
        case .off: nil
        case .low: cadence.low
        case .medium, .auto: cadence.medium
        case .high: cadence.high
        case .every(let duration): duration
        }
    }
}

extension CollectionLevel: LosslessStringConvertible {
    /// Parses `off`, `low`, `medium`, `high`, `auto`, or an interval such as `500ms`, `2s`, `5m`, `1h`.
    public init?(_ text: String) {
        switch text {
        case "off": self = .off
        case "low": self = .low
        case "medium": self = .medium
        case "high": self = .high
        case "auto": self = .auto
        default:
            guard let duration = Duration(span: text), duration >= .milliseconds(1) else {
                return nil
            }
            self = .every(duration)
        }
    }

    public var description: String {
        switch self {
        case .off: "off"
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        case .auto: "auto"
        case .every(let duration): duration.span
        }
    }
}

/// The interval between two samples at each collection level.
public struct Cadence: Hashable, Sendable {
    /// The interval at the level `low`.
    public let low: Duration
    /// The interval at the level `medium`.
    public let medium: Duration
    /// The interval at the level `high`.
    public let high: Duration

    /// 10 s, 1 s, 200 ms: for values that change from second to second.
    public static let standard = Cadence(
        low: .seconds(10), medium: .seconds(1), high: .milliseconds(200))
    /// 1 min, 10 s, 1 s: for values whose mean over some seconds is enough.
    public static let moderate = Cadence(
        low: .seconds(60), medium: .seconds(10), high: .seconds(1))
    /// 5 min, 1 min, 5 s: for values that change over minutes.
    public static let slow = Cadence(
        low: .seconds(300), medium: .seconds(60), high: .seconds(5))
    /// 1 s, 100 ms, 10 ms: for motion.
    public static let fast = Cadence(
        low: .seconds(1), medium: .milliseconds(100), high: .milliseconds(10))
    /// Every sample that the source delivers, at all levels except a custom interval.
    public static let asTheyCome = Cadence(low: .zero, medium: .zero, high: .zero)

    /// Creates a cadence from the intervals of the levels.
    public init(low: Duration, medium: Duration, high: Duration) {
        self.low = low
        self.medium = medium
        self.high = high
    }
}
