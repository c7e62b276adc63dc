/// A column of integers as bytes, and the choice of how.
///
/// The values, or their multiples of a common divisor, are predicted; what the prediction leaves over
/// is packed in blocks of 128 as the distance to the block's smallest (frame of reference).
enum IntegerColumn {
    /// What is taken off a value before it is packed.
    enum Predictor: UInt8, CaseIterable {
        /// All values are the same.
        case constant = 0
        /// Nothing.
        case frame = 1
        /// The value before it.
        case delta = 2
        /// A straight line over the rows.
        case linear = 3
        /// Few values, each as the difference to the one before, in bytes of its own.
        case plain = 4
    }

    static let plainLimit = 6
    /// The slope of a line is in units of 2⁻¹⁶ a row.
    static let slopeBits: Int64 = 16
    /// In a block's width: its values need 64-bit arithmetic, and lie one after the other.
    static let wideFlag: UInt8 = 0x80
    /// In place of a width that all blocks share: each has its own.
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
            for (place, value) in values.enumerated() {
                quotients.initializeElement(at: place, to: (value - first) / divisor)
            }
            pack(UnsafeBufferPointer(quotients), offset: first, divisor: divisor, onto: &writer)
        }
    }

    /// What a straight line through zero predicts for a row.
    @inline(__always)
    static func line(_ slope: Int64, at row: Int) -> Int64 {
        // A shift comes before a product unless it is told otherwise.
        (Int64(row) &* slope) >> slopeBits
    }

    /// What divides the difference of any two values; 1 also where a difference overflows.
    private static func commonDivisor(_ values: UnsafeBufferPointer<Int64>) -> Int64 {
        var divisor: UInt64 = 0
        for value in values.dropFirst() {
            let (difference, overflow) = value.subtractingReportingOverflow(values[0])
            guard !overflow else { return 1 }
            var (left, right) = (difference.magnitude, divisor)
            if right != 0, left % right == 0 { continue }
            while left != 0 { (left, right) = (right % left, left) }
            divisor = right
            // Nothing divides yet where all were equal so far.
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

    /// A few integers as the distances to their smallest.
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
        let rest: (Int) -> UInt64 = { row in
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
            return BitPacking.pack(rows.lazy.map(rest), width: width, onto: &writer)
        }
        withUnsafeTemporaryAllocation(of: BitPacking.Lanes.self, capacity: 32) { lanes in
            for place in 0..<32 {
                var lane = BitPacking.Lanes()
                for part in 0..<4 {
                    lane[part] = UInt32(
                        truncatingIfNeeded: rest(rows.lowerBound + place * 4 + part))
                }
                lanes.initializeElement(at: place, to: lane)
            }
            guard let start = lanes.baseAddress else { return }
            writer.append(room: BitPacking.blockBytes(width: Int(width))) { room in
                BitPacking.packBlock(start, width: Int(width), into: room)
            }
        }
    }
}

extension Int64 {
    /// Bits of the value taken as an unsigned one.
    var unsignedWidth: Int { Int64.bitWidth - leadingZeroBitCount }
}
