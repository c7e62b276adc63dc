/// How the blocks of a column would be packed after one kind of prediction.
struct BlockPlan {
    let predictor: IntegerColumn.Predictor
    /// Bits a value of each block, with `IntegerColumn.wideFlag`.
    private(set) var widths: [UInt8] = []
    /// The smallest rest of each block.
    private(set) var bases: [Int64] = []
    /// Bits of all blocks.
    private(set) var cost = 0

    private init(_ predictor: IntegerColumn.Predictor, blocks: Int) {
        self.predictor = predictor
        widths.reserveCapacity(blocks)
        bases.reserveCapacity(blocks)
    }

    /// One plan for each prediction that more than a few values can have.
    static func all(_ values: UnsafeBufferPointer<Int64>, slope: Int64) -> [BlockPlan] {
        let size = BitPacking.blockSize
        let blocks = (values.count + size - 1) / size
        var frame = BlockPlan(.frame, blocks: blocks)
        var delta = BlockPlan(.delta, blocks: blocks)
        var linear = BlockPlan(.linear, blocks: blocks)
        // The anchors of its blocks.
        delta.cost += blocks * 16
        for start in stride(from: 0, to: values.count, by: size) {
            let end = min(values.count, start + size)
            var (low, high) = (values[start], values[start])
            var (lowDelta, highDelta) = (Int64.max, Int64.min)
            var last = values[start]
            for row in start + 1..<max(end, start + 1) {
                let value = values[row]
                low = min(low, value)
                high = max(high, value)
                let change = value &- last
                lowDelta = min(lowDelta, change)
                highDelta = max(highDelta, change)
                last = value
            }
            if end - start == 1 { (lowDelta, highDelta) = (0, 0) }
            var (lowRest, highRest) = (Int64.max, Int64.min)
            for row in start..<end {
                let rest = values[row] &- IntegerColumn.line(slope, at: row)
                lowRest = min(lowRest, rest)
                highRest = max(highRest, rest)
            }
            let count = end - start
            let span = (high &- low).unsignedWidth
            // Distances to a base are handed out as 32 signed bits.
            frame.add(low, high, count, isWide: span > 31)
            delta.add(lowDelta, highDelta, count, isWide: span > 31)
            linear.add(lowRest, highRest, count, isWide: false)
        }
        return [frame, delta, linear]
    }

    private mutating func add(_ low: Int64, _ high: Int64, _ count: Int, isWide: Bool) {
        let width = (high &- low).unsignedWidth
        let flag = isWide || width > 32 ? IntegerColumn.wideFlag : 0
        widths.append(width == 0 && !isWide ? 0 : UInt8(width) | flag)
        bases.append(low)
        cost += width * count + 8
    }
}
