public import Samples

/// One line of the access log: who read what or was refused, or what was decided or happened.
///
/// Never a value, never a token.
public struct AccessLogEntry: Hashable, Sendable {
    /// What a line tells of.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Data was given out.
        case access
        /// A client asked for what it may not have.
        case refusal
        /// A call came with a token that is missing, wrong or another's.
        case notice
        /// Decisions of the person.
        case granted, denied, reset
        case tokenCreated = "token-created"
        case tokenRevoked = "token-revoked"
        /// What became of an app's files.
        case installed, updated, uninstalled
        case runBegan = "run-began"
        case runEnded = "run-ended"
        /// An app did what its confinement, the protocol or its budget forbids.
        case violation
        case hostStarted = "host-started"
        case hostStopped = "host-stopped"
        /// The owner had samples removed, or what was kept about an app.
        case forgotten
        /// The lines up to number `count` were cut off; `detail` is the hash of the last of them.
        case pruned
    }

    public enum Outcome: String, Hashable, Sendable {
        case allowed, refused
    }

    /// The place in the log, from 1 without gaps.
    public let id: Int64
    /// When it happened; of the last when the line stands for several calls.
    public let time: Timestamp
    public let kind: Kind
    /// The client's name; `nil` when the token told nobody, or nobody has to do with it.
    public let client: String?
    /// What a decision was about, or what was used that is no sensor.
    public let privilege: String?
    public let sensor: SensorID?
    public let access: Access?
    /// `latest`, `samples`, `stats`, `stream`, or another operation; `more` for what came beyond
    /// the kinds of calls that a client gets a line for in a minute.
    public let operation: String?
    /// The range that was read, where one was; of several calls, the range that holds them all.
    public let range: TimeRange?
    /// How many calls the line stands for: all alike, all in one minute.
    public let calls: Int
    /// Samples that were given out or went into a statistic; of a call to another server, bytes.
    public let count: Int
    /// Why it was refused, how a call to another server ended, or more about an event; escaped for
    /// display.
    public let detail: String?

    /// Whether data was given out; `nil` where none was asked for.
    public var outcome: Outcome? {
        switch kind {
        case .access: .allowed
        case .refusal, .notice: .refused
        default: nil
        }
    }

    /// Why it was refused.
    public var reason: String? { outcome == .refused ? detail : nil }
}

extension AccessLogEntry {
    /// This line and one of the same kind of calls as one; where they differ, the newer one's place.
    func joined(with newer: AccessLogEntry) -> AccessLogEntry {
        var whole: TimeRange?
        if let range, let other = newer.range {
            whole = TimeRange(
                from: min(range.from, other.from), to: max(range.to, other.to))
        }
        return AccessLogEntry(
            id: id, time: newer.time, kind: kind, client: client, privilege: privilege,
            sensor: sensor, access: access, operation: operation,
            range: whole ?? range ?? newer.range, calls: calls + newer.calls,
            count: count + newer.count, detail: detail)
    }
}
