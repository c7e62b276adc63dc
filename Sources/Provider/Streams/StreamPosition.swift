import LAE
import Samples

/// The position of a client in a stream, and the gaps and damage that were reported to it.
struct StreamPosition: Sendable {
    /// The last sequence number that the client has, or that was omitted for it.
    private(set) var last: Int64
    /// The newest sequence number when the client reconnected.
    private let missed: Int64
    /// The last pruned sequence number that was reported.
    private var reportedPurge: Int64
    private var reportedDamage: Set<TimeRange> = []
    /// A gap of samples that are older than the grant's history, not yet reported.
    private var tooOld: (after: Int64, through: Int64)?

    /// - Parameters:
    ///   - last: the last sequence number that the client has.
    ///   - newest: the last sequence number of the store.
    init(after last: Int64, newest: Int64) {
        (self.last, missed, reportedPurge) = (last, newest, last)
    }

    /// The gap of samples that were pruned after the position, unless it has been reported.
    mutating func gap(prunedThrough purged: Int64) -> StreamGap? {
        guard purged > max(last, reportedPurge) else { return nil }
        reportedPurge = purged
        return StreamGap(after: last, through: purged, reason: .gone)
    }

    /// The damaged ranges of a group that have not been reported.
    mutating func newDamage(_ group: Arrivals) -> [TimeRange] {
        group.page.damage.filter { reportedDamage.insert($0).inserted }
    }

    /// Moves past a group.
    ///
    /// - Returns: whether the group was not empty.
    mutating func advance(over group: Arrivals) -> Bool {
        guard group.last > last else { return false }
        // Old samples that arrive while the client is connected are not a gap.
        if let through = group.tooOld, through <= missed {
            tooOld = (tooOld?.after ?? last, through)
        }
        last = group.last
        return true
    }

    /// The gap of samples that are too old for the grant; reported once.
    mutating func takeGap() -> StreamGap? {
        defer { tooOld = nil }
        return tooOld.map { StreamGap(after: $0.after, through: $0.through, reason: .history) }
    }
}

/// Sequence numbers that a client does not get: those after `after`, up to `through`.
struct StreamGap: Encodable {
    enum Reason: String, Encodable {
        /// The samples were pruned or forgotten.
        case gone
        /// The samples are older than the history of the grant.
        case history
    }

    /// In a stream of several sensors, the name by which the client asked for it.
    var sensor: SensorID?
    let after: Int64
    let through: Int64
    let reason: Reason

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(sensor?.description, forKey: .sensor)
        try members.encode(after, forKey: .after)
        try members.encode(through, forKey: .through)
        try members.encode(reason, forKey: .reason)
    }

    private enum Key: CodingKey {
        case sensor, after, through, reason
    }
}
