public import Samples

/// When to tell the fixes of a file, so that they come as they were recorded, or faster.
public struct TrackReplay: Hashable, Sendable {
    /// A fix and how long after the beginning it is due.
    public struct Item: Hashable, Sendable {
        public let due: Duration
        /// Its time is moved so that the first is at the beginning.
        public let fix: Fix
    }

    public let items: [Item]

    /// - Parameters:
    ///   - fixes: those that are not later than one before are left out.
    ///   - start: the moment that the first gets.
    ///   - speed: how many times as fast as recorded; above zero, at most a million.
    /// - Throws: ``TrackError`` `.invalid` for a speed that is not.
    public init(_ fixes: [Fix], from start: Timestamp, speed: Double = 1) throws(TrackError) {
        guard speed > 0, speed <= 1_000_000 else {
            throw TrackError(
                .invalid, "A replay is more than 0 and at most a million times as fast.")
        }
        var items: [Item] = []
        var last: Timestamp?
        for fix in fixes {
            guard last.map({ fix.time > $0 }) ?? true, let first = fixes.first?.time else {
                continue
            }
            last = fix.time
            let after = Double(fix.time.microseconds) - Double(first.microseconds)
            guard let due = Int64(exactly: (after / speed).rounded()) else { continue }
            items.append(
                Item(
                    due: .microseconds(due),
                    fix: Fix(
                        time: start.advanced(byMicroseconds: due), position: fix.position,
                        altitude: fix.altitude, accuracy: fix.accuracy,
                        speed: fix.speed.map { $0 * speed }, heading: fix.heading)))
        }
        self.items = items
    }
}
