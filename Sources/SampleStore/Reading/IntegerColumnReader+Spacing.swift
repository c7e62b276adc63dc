import Samples
import Statistics

extension IntegerColumnReader {
    /// How the moments in some rows of an ascending column follow one another.
    ///
    /// - Returns: `nil` of no rows.
    func spacing(_ rows: Range<Int>) -> Spacing? {
        // Nearly always the blocks say that all intervals are alike, and only the ends are read.
        if rows.count > 2 * Self.ends, let steps = steps(rows), steps.lowerBound > 0,
            steps.upperBound / Spacing.tolerance < steps.lowerBound
        {
            return values(rows.prefix(Self.ends)).withUnsafeBufferPointer { start in
                values(rows.suffix(Self.ends)).withUnsafeBufferPointer { end in
                    Spacing(even: start, end)
                }
            }
        }
        return withUnsafeTemporaryAllocation(of: Int64.self, capacity: rows.count) { room in
            guard let start = room.baseAddress else { return nil }
            decode(rows, into: start)
            return Spacing(UnsafeBufferPointer(start: start, count: rows.count))
        }
    }

    /// Moments with four intervals between them.
    private static let ends = 5
}
