extension IntegerColumnReader {
    /// Numbers below it can be added and multiplied without overflow.
    private static let roughLimit: Int64 = 1 << 30

    /// The differences that neighbouring rows have at least and at most, from what is known of whole
    /// blocks; `nil` where that says nothing.
    func steps(_ rows: Range<Int>) -> ClosedRange<Int64>? {
        guard predictor == .linear, rows.count > 1, divisor > 0, divisor < Self.roughLimit,
            slope.magnitude < UInt64(Self.roughLimit) << 16
        else { return nil }
        // A line rounded down climbs by one of two numbers from row to row.
        let line = slope >> 16...(slope >> 16) + 1
        var (least, greatest) = (Int64.max, Int64.min)
        var before: (base: Int64, reach: Int64)?
        let size = BitPacking.blockSize
        for block in rows.lowerBound / size...(rows.upperBound - 1) / size {
            let bits = Int64(self.block(block).width & ~IntegerColumn.wideFlag)
            let base = bases[block]
            let (climb, overflow) = base.subtractingReportingOverflow(before?.base ?? base)
            guard bits <= 30, !overflow, climb.magnitude < UInt64(Self.roughLimit) else {
                return nil
            }
            let reach = Int64(1) << bits - 1
            least = min(least, line.lowerBound - reach)
            greatest = max(greatest, line.upperBound + reach)
            if let before {
                least = min(least, line.lowerBound + climb - before.reach)
                greatest = max(greatest, line.upperBound + climb + reach)
            }
            before = (base, reach)
        }
        return least * divisor...greatest * divisor
    }
}
