public import Samples

/// One entry of the access log: a read, a refusal, a decision or another event.
///
/// It never contains a sample's value or a token.
public struct AccessLogEntry: Hashable, Sendable {
    /// The kinds of entry.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Data was read or published.
        case access
        /// A call was refused because permission is missing.
        case refusal
        /// A call was refused because its token is missing, wrong or another client's.
        case notice
        /// The owner allowed a privilege.
        case granted
        /// The owner denied a privilege.
        case denied
        /// The owner reset the decision about a privilege.
        case reset
        /// A token was created.
        case tokenCreated = "token-created"
        /// A token was revoked.
        case tokenRevoked = "token-revoked"
        /// A package is downloaded for the owner, or was: `detail` is the step and the URL without query,
        /// and `count` the bytes.
        case download
        /// An app was installed.
        case installed
        /// An app was updated.
        case updated
        /// An app was uninstalled.
        case uninstalled
        /// A run was started.
        case runBegan = "run-began"
        /// A run has ended.
        case runEnded = "run-ended"
        /// An app violated its confinement, the protocol or its budget.
        case violation
        /// The host was started.
        case hostStarted = "host-started"
        /// The host was stopped.
        case hostStopped = "host-stopped"
        /// The owner removed samples, or the data about an app.
        case forgotten
        /// The entries up to number `count` were deleted; `detail` is the hash of the last of them.
        case pruned
        /// The log is sealed from this entry on.
        case sealed
        /// The log could not be sealed any more; `detail` says why.
        case sealBroken = "seal-broken"
        /// A checkpoint was made of entry `count`; `detail` is its hash.
        case checkpoint
    }

    /// The type of the caller.
    ///
    /// Names are for display only: an app with the owner's name is distinguished by its kind.
    public enum ClientKind: String, Hashable, Sendable, CaseIterable {
        /// A command of the owner.
        case command
        /// A page of the owner's dashboard.
        case dashboard
        /// A program with an owner's token.
        case owner
        /// A program with another token.
        case client
        /// An app.
        case app
    }

    /// How a call ended.
    public enum Outcome: String, Hashable, Sendable {
        /// It was served.
        case allowed
        /// It was refused.
        case refused
    }

    /// The number of the entry, from 1 without gaps.
    public let id: Int64
    /// When it happened; for several calls, when the last of them happened.
    public let time: Timestamp
    /// The kind of entry.
    public let kind: Kind
    /// The client's name; `nil` when the token is unknown, or for events of the host.
    public let client: String?
    /// The privilege that was decided about; for a call, the privilege that was used, unless it is for a
    /// sensor.
    public let privilege: String?
    /// The sensor that was used.
    public let sensor: SensorID?
    /// How the sensor was used.
    public let access: Access?
    /// `latest`, `samples`, `stats`, `stream` or another operation; `more` for the refused calls of a client
    /// beyond the limit on different ones in a minute.
    public let operation: String?
    /// The time range of the call; for several calls, the range that contains the ranges of all.
    public let range: TimeRange?
    /// The number of equal calls in this minute that the entry counts.
    public let calls: Int
    /// Samples that were read, also as part of statistics, or published; bytes of a call to a
    /// server or of a download.
    public let count: Int
    /// Why it was refused, how a call to a server ended, or more about an event; escaped for
    /// display.
    public let detail: String?
    /// The type of the caller; `nil` for unknown tokens, for entries of earlier versions, and for events
    /// other than a download.
    public internal(set) var clientKind: ClientKind?

    /// How the call ended; `nil` for other events.
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
    /// Counts this entry and a newer one of the same calls as one.
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
            count: count + newer.count, detail: detail, clientKind: clientKind)
    }
}

/// Selects entries of the access log, newest first.
///
/// ```swift
/// let refused = try await authority.log.entries(AccessLogQuery(onlyRefused: true, limit: 20))
/// ```
public struct AccessLogQuery: Hashable, Sendable {
    /// Only entries of this client.
    public var client: String?
    /// Only refused calls.
    public var onlyRefused: Bool
    /// Whether calls of the owner's own commands and of the dashboard are excluded.
    public var withoutOwner: Bool
    /// Only entries of this kind.
    public var kind: AccessLogEntry.Kind?
    /// Only entries with this type of caller.
    public var clientKind: AccessLogEntry.ClientKind?
    /// Only entries with a smaller number.
    public var before: Int64?
    /// The maximum number of entries; at least 1.
    public var limit: Int

    /// All entries, restricted by the arguments given.
    public init(
        client: String? = nil, onlyRefused: Bool = false, withoutOwner: Bool = false,
        kind: AccessLogEntry.Kind? = nil, clientKind: AccessLogEntry.ClientKind? = nil,
        before: Int64? = nil, limit: Int = 100
    ) {
        self.client = client
        self.onlyRefused = onlyRefused
        self.withoutOwner = withoutOwner
        self.kind = kind
        self.clientKind = clientKind
        self.before = before
        self.limit = max(1, limit)
    }
}
