import LAE
import Samples

/// How far the reader of a stream has come, and what it was told of samples that it cannot have.
struct StreamPlace: Sendable {
    /// The last arrival that it has, or that is not for it.
    private(set) var last: Int64
    /// Up to here it comes back to what arrived while it was away.
    private let missed: Int64
    /// The last gone arrival that it knows of.
    private var told: Int64
    private var toldDamage: Set<TimeRange> = []
    /// What is too old for its grant and was not told yet: the arrivals behind one, up to another.
    private var tooOld: (after: Int64, through: Int64)?

    /// - Parameters:
    ///   - last: the last arrival that the reader has.
    ///   - newest: the last arrival that there is.
    init(after last: Int64, newest: Int64) {
        (self.last, missed, told) = (last, newest, last)
    }

    /// What arrived behind the place and is gone from the store, when that is new.
    mutating func gap(prunedThrough purged: Int64) -> StreamGap? {
        guard purged > max(last, told) else { return nil }
        told = purged
        return StreamGap(after: last, through: purged, reason: .gone)
    }

    /// Where samples of a group are damaged, without what the reader knows of.
    mutating func newDamage(_ group: Arrivals) -> [TimeRange] {
        group.page.damage.filter { toldDamage.insert($0).inserted }
    }

    /// Moves behind a group.
    ///
    /// - Returns: whether there was anything.
    mutating func advance(over group: Arrivals) -> Bool {
        guard group.last > last else { return false }
        // What comes too late while the reader is there was not missed by it.
        if let through = group.tooOld, through <= missed {
            tooOld = (tooOld?.after ?? last, through)
        }
        last = group.last
        return true
    }

    /// What was passed over because the grant does not reach back so far; told once.
    mutating func takeGap() -> StreamGap? {
        defer { tooOld = nil }
        return tooOld.map { StreamGap(after: $0.after, through: $0.through, reason: .history) }
    }
}
