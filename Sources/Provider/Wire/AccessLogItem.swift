import Auth
import Samples

/// A line of the access log as the API tells of it.
public struct AccessLogItem: Codable, Sendable {
    public let id: Int64
    /// Milliseconds since 1970.
    public let time: Double
    /// What it tells of, such as `access`, `refusal`, `granted`.
    public let kind: String
    public let client: String?
    /// What a decision was about.
    public let privilege: String?
    public let sensor: String?
    public let access: String?
    public let operation: String?
    /// The range that was read, in milliseconds since 1970; not there for an open end.
    public let from: Double?
    public let to: Double?
    /// How many calls it stands for: all alike, all in one minute.
    public let calls: Int
    /// Samples that were given out or went into a statistic.
    public let count: Int
    /// `allowed` or `refused`; not there where no data was asked for.
    public let outcome: String?
    /// Why it was refused.
    public let reason: String?
    /// More about an event.
    public let detail: String?

    init(_ entry: AccessLogEntry) {
        id = entry.id
        time = entry.time.milliseconds
        kind = entry.kind.rawValue
        client = entry.client
        privilege = entry.privilege
        sensor = entry.sensor?.description
        access = entry.access?.rawValue
        operation = entry.operation
        from = entry.range?.from.bounded?.milliseconds
        to = entry.range?.to.bounded?.milliseconds
        calls = entry.calls
        count = entry.count
        outcome = entry.outcome?.rawValue
        reason = entry.reason
        detail = entry.reason == nil ? entry.detail : nil
    }
}

extension Timestamp {
    /// `nil` for the open end of a range.
    var bounded: Timestamp? {
        self == .distantPast || self == .distantFuture ? nil : self
    }
}
