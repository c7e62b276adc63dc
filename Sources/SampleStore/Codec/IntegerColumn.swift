/// Encodes a column of integers and chooses the smallest encoding.
///
/// If the differences from the first value have a common divisor, they are divided by it. The result is
/// predicted, and the residuals are bit-packed in blocks of 128, relative to the smallest residual of the
/// block (frame of reference).
enum IntegerColumn {
    /// The prediction that is subtracted from a value before it is packed.
    enum Predictor: UInt8, CaseIterable {
        /// All values are equal.
        case constant = 0
        /// Zero.
        case frame = 1
        /// The preceding value.
        case delta = 2
        /// A linear function of the row.
        case linear = 3
        /// Few values, each stored as the LEB128 difference to the preceding one.
        case plain = 4
    }

    static let plainLimit = 6
    /// The fractional bits of a slope: it is in units of 2⁻¹⁶ per row.
    static let slopeBits: Int64 = 16
    /// Flag in the width of a block: its values need 64-bit arithmetic and are packed consecutively.
    static let wideFlag: UInt8 = 0x80
    /// Marks, in place of the common width, that each block has a width of its own.
    static let mixedWidths: UInt8 = 0xFF

    static func encode(_ values: UnsafeBufferPointer<Int64>, onto writer: inout ByteWriter) {
        guard let first = values.first else { return }
        guard values.contains(where: { $0 != first }) else {
            writer.append(Predictor.constant.rawValue)
            writer.appendVariable(first)
            return
        }
        guard values.count > plainLimit else {
            writer.append(Predictor.plain.rawValue)
            var last: Int64 = 0
            for value in values {
                writer.appendVariable(value &- last)
                last = value
            }
            return
        }
        let divisor = commonDivisor(values)
        guard divisor > 1 else { return pack(values, offset: 0, divisor: 1, onto: &writer) }
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: values.count) { quotients in
            for (index, value) in values.enumerated() {
                quotients.initializeElement(at: index, to: (value - first) / divisor)
            }
            pack(UnsafeBufferPointer(quotients), offset: first, divisor: divisor, onto: &writer)
        }
    }

    /// The prediction of a line through zero for a row.
    @inline(__always)
    static func line(_ slope: Int64, at row: Int) -> Int64 {
        // In Swift, shifts bind tighter than products.
        (Int64(row) &* slope) >> slopeBits
    }

    /// The greatest common divisor of all differences; 1 when a difference overflows.
    private static func commonDivisor(_ values: UnsafeBufferPointer<Int64>) -> Int64 {
        var divisor: UInt64 = 0
        for value in values.dropFirst() {
            let (difference, overflow) = value.subtractingReportingOverflow(values[0])
            guard !overflow else { return 1 }
            var (left, right) = (difference.magnitude, divisor)
            if right != 0, left % right == 0 { continue }
            while left != 0 { (left, right) = (right % left, left) }
            divisor = right
            // 0 while all values so far are equal.
            guard divisor != 1 else { return 1 }
        }
        return Int64(exactly: divisor) ?? 1
    }

    private static func pack(
        _ values: UnsafeBufferPointer<Int64>, offset: Int64, divisor: Int64,
        onto writer: inout ByteWriter
    ) {
        let last = values[values.count - 1]
        let (span, overflow) = last.subtractingReportingOverflow(values[0])
        let slope =
            overflow || span.magnitude > 1 << 46
            ? 0 : (span << slopeBits) / Int64(values.count - 1)
        let plans = BlockPlan.all(values, slope: slope)
        var best = plans[0]
        for plan in plans.dropFirst() where plan.cost < best.cost { best = plan }
        writer.append(best.predictor.rawValue)
        writer.appendVariable(offset)
        writer.appendVariable(divisor)
        if best.predictor == .linear { writer.appendVariable(slope) }
        if let width = best.widths.first, best.widths.allSatisfy({ $0 == width }) {
            writer.append(width)
        } else {
            writer.append(mixedWidths)
            writer.append(best.widths)
        }
        appendFrame(best.bases, onto: &writer)
        if best.predictor == .delta {
            let anchors = stride(from: 0, to: values.count, by: BitPacking.blockSize)
            appendFrame(anchors.map { values[$0] }, onto: &writer)
        }
        for block in best.widths.indices {
            let start = block * BitPacking.blockSize
            let rows = start..<min(values.count, start + BitPacking.blockSize)
            appendBlock(values, rows, best, block, slope, onto: &writer)
        }
    }

    /// Appends integers relative to their smallest.
    private static func appendFrame(_ values: [Int64], onto writer: inout ByteWriter) {
        let smallest = values.min() ?? 0
        let largest = values.max() ?? 0
        let width = (largest &- smallest).unsignedWidth
        writer.appendVariable(smallest)
        writer.append(UInt8(width))
        BitPacking.pack(
            values.lazy.map { UInt64(bitPattern: $0 &- smallest) }, width: width, onto: &writer)
    }

    private static func appendBlock(
        _ values: UnsafeBufferPointer<Int64>, _ rows: Range<Int>, _ plan: BlockPlan, _ block: Int,
        _ slope: Int64, onto writer: inout ByteWriter
    ) {
        let (width, base) = (plan.widths[block], plan.bases[block])
        guard width != 0 else { return }
        let residual: (Int) -> UInt64 = { row in
            switch plan.predictor {
            case .delta:
                row == rows.lowerBound
                    ? 0 : UInt64(bitPattern: values[row] &- values[row - 1] &- base)
            case .linear:
                UInt64(bitPattern: values[row] &- line(slope, at: row) &- base)
            default: UInt64(bitPattern: values[row] &- base)
            }
        }
        guard rows.count == BitPacking.blockSize, width & wideFlag == 0 else {
            let width = Int(width & ~wideFlag)
            return BitPacking.pack(rows.lazy.map(residual), width: width, onto: &writer)
        }
        withUnsafeTemporaryAllocation(of: BitPacking.Lanes.self, capacity: 32) { lanes in
            for index in 0..<32 {
                var lane = BitPacking.Lanes()
                for part in 0..<4 {
                    lane[part] = UInt32(
                        truncatingIfNeeded: residual(rows.lowerBound + index * 4 + part))
                }
                lanes.initializeElement(at: index, to: lane)
            }
            guard let start = lanes.baseAddress else { return }
            writer.append(uninitialized: BitPacking.blockBytes(width: Int(width))) { buffer in
                BitPacking.packBlock(start, width: Int(width), into: buffer)
            }
        }
    }
}

extension Int64 {
    /// The number of significant bits of the unsigned bit pattern.
    var unsignedWidth: Int { Int64.bitWidth - leadingZeroBitCount }
}

/// The widths and the cost of a column's blocks with one predictor.
private struct BlockPlan {
    let predictor: IntegerColumn.Predictor
    /// The width of each block in bits, with `IntegerColumn.wideFlag`.
    private(set) var widths: [UInt8] = []
    /// The smallest residual of each block.
    private(set) var bases: [Int64] = []
    /// The size of all blocks in bits.
    private(set) var cost = 0

    private init(_ predictor: IntegerColumn.Predictor, blocks: Int) {
        self.predictor = predictor
        widths.reserveCapacity(blocks)
        bases.reserveCapacity(blocks)
    }

    /// The plans of the predictors for columns of more than ``IntegerColumn/plainLimit`` values.
    static func all(_ values: UnsafeBufferPointer<Int64>, slope: Int64) -> [BlockPlan] {
        let size = BitPacking.blockSize
        let blocks = (values.count + size - 1) / size
        var frame = BlockPlan(.frame, blocks: blocks)
        var delta = BlockPlan(.delta, blocks: blocks)
        var linear = BlockPlan(.linear, blocks: blocks)
        // The anchors of the blocks of `delta` take space, too.
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
            var (lowResidual, highResidual) = (Int64.max, Int64.min)
            for row in start..<end {
                let residual = values[row] &- IntegerColumn.line(slope, at: row)
                lowResidual = min(lowResidual, residual)
                highResidual = max(highResidual, residual)
            }
            let count = end - start
            let span = (high &- low).unsignedWidth
            // The decoder reads blocks of `frame` and `delta` without the flag as signed 32-bit
            // distances, so the span of their values must fit 31 bits.
            frame.add(low, high, count, isWide: span > 31)
            delta.add(lowDelta, highDelta, count, isWide: span > 31)
            linear.add(lowResidual, highResidual, count, isWide: false)
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
