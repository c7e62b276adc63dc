public import Samples

/// One line of the access log: who read what, or was refused.
///
/// Never a value, never a token.
public struct AccessLogEntry: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable {
        case allowed, refused
    }

    /// The place in the log, from 1.
    public let id: Int64
    public let time: Timestamp
    /// The client's name; `nil` when the token told nobody.
    public let client: String?
    public let sensor: SensorID?
    public let access: Access?
    /// `latest`, `samples`, `stats`, `stream`, or another operation.
    public let operation: String
    /// The range that was read, where one was.
    public let range: TimeRange?
    /// Samples that were given out or went into a statistic.
    public let count: Int
    public let outcome: Outcome
    /// Why it was refused.
    public let reason: String?
}
