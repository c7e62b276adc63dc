import Auth
import Samples

/// A line of the access log as the API tells of it.
public struct AccessLogItem: Codable, Sendable {
    public let id: Int64
    /// Milliseconds since 1970.
    public let time: Double
    public let client: String?
    public let sensor: String?
    public let access: String?
    public let operation: String
    /// The range that was read, in milliseconds since 1970; not there for an open end.
    public let from: Double?
    public let to: Double?
    /// Samples that were given out or went into a statistic.
    public let count: Int
    /// `allowed` or `refused`.
    public let outcome: String
    public let reason: String?

    init(_ entry: AccessLogEntry) {
        id = entry.id
        time = entry.time.milliseconds
        client = entry.client
        sensor = entry.sensor?.description
        access = entry.access?.rawValue
        operation = entry.operation
        from = entry.range?.from.bounded?.milliseconds
        to = entry.range?.to.bounded?.milliseconds
        count = entry.count
        outcome = entry.outcome.rawValue
        reason = entry.reason
    }
}

extension Timestamp {
    /// `nil` for the open end of a range.
    var bounded: Timestamp? {
        self == .distantPast || self == .distantFuture ? nil : self
    }
}
