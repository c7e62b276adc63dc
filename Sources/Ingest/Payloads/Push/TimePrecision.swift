import Samples

/// The unit that times in line protocol are written in.
public enum TimePrecision: Hashable, Sendable {
    case nanoseconds, microseconds, milliseconds, seconds, minutes, hours

    /// Reads a `precision` as either generation of InfluxDB's API writes it.
    ///
    /// - Returns: `nil` for what neither knows.
    public init?(_ text: some StringProtocol) {
        switch text {
        case "n", "ns": self = .nanoseconds
        case "u", "us": self = .microseconds
        case "ms": self = .milliseconds
        case "s": self = .seconds
        case "m": self = .minutes
        case "h": self = .hours
        default: return nil
        }
    }

    /// The moment so many units after 1970; what is finer than a microsecond is cut off.
    ///
    /// - Returns: `nil` for a moment before 1970 or beyond what a timestamp holds.
    func moment(_ count: Int64) -> Timestamp? {
        guard count >= 0 else { return nil }
        let factor: Int64
        switch self {
        case .nanoseconds: return Timestamp(microseconds: count / 1000)
        case .microseconds: factor = 1
        case .milliseconds: factor = 1000
        case .seconds: factor = 1_000_000
        case .minutes: factor = 60_000_000
        case .hours: factor = 3_600_000_000
        }
        let (microseconds, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Timestamp(microseconds: microseconds)
    }
}
