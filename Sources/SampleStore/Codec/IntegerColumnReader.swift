import Samples
import Statistics

/// Decodes a column of integers block by block.
///
/// The bytes are borrowed: a reader must not outlive them. `init` detects damage; decoding cannot fail.
struct IntegerColumnReader {
    typealias Predictor = IntegerColumn.Predictor

    let count: Int
    private let predictor: Predictor
    private let offset: Int64
    private let divisor: Int64
    private let slope: Int64
    private let bases: Frame
    private let anchors: Frame
    private let widths: Widths
    private let payload: UnsafeRawBufferPointer
    /// The decoded values of a `plain` column.
    private let plain: [Int64]

    /// Integers stored relative to their smallest.
    private struct Frame {
        var smallest: Int64 = 0
        var width = 0
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

        init() {}

        init(_ reader: inout ByteReader, count: Int) throws(ByteReader.Damage) {
            smallest = try reader.signedVariable()
            width = Int(try reader.integer(UInt8.self))
            guard width <= 64 else { throw ByteReader.Damage() }
            bytes = try reader.bytes(BitPacking.bytes(count, width: width))
        }

        subscript(index: Int) -> Int64 {
            smallest &+ Int64(bitPattern: BitPacking.value(index, width: width, in: bytes))
        }
    }

    /// The width and the byte offset of each block.
    private enum Widths {
        case uniform(UInt8)
        case mixed([(width: UInt8, start: Int)])
    }

    /// - Parameter count: the number of values, known from the chunk.
    init(_ bytes: UnsafeRawBufferPointer, count: Int) throws(ByteReader.Damage) {
        self.count = count
        var reader = ByteReader(bytes)
        guard count > 0, let predictor = Predictor(rawValue: try reader.integer()) else {
            throw ByteReader.Damage()
        }
        self.predictor = predictor
        var (offset, divisor, slope): (Int64, Int64, Int64) = (0, 1, 0)
        var (bases, anchors) = (Frame(), Frame())
        var widths = Widths.uniform(0)
        var plain: [Int64] = []
        switch predictor {
        case .constant: offset = try reader.signedVariable()
        case .plain:
            guard count <= IntegerColumn.plainLimit else { throw ByteReader.Damage() }
            var last: Int64 = 0
            for _ in 0..<count {
                last &+= try reader.signedVariable()
                plain.append(last)
            }
        case .frame, .delta, .linear:
            offset = try reader.signedVariable()
            divisor = try reader.signedVariable()
            if predictor == .linear { slope = try reader.signedVariable() }
            let blocks = (count + BitPacking.blockSize - 1) / BitPacking.blockSize
            let shared = try reader.integer(UInt8.self)
            if shared == IntegerColumn.mixedWidths {
                var start = 0
                var mixed: [(width: UInt8, start: Int)] = []
                mixed.reserveCapacity(blocks)
                for (block, width) in try reader.bytes(blocks).enumerated() {
                    mixed.append((width, start))
                    start += try Self.bytes(width, Self.rows(of: block, count).count)
                }
                widths = .mixed(mixed)
            } else {
                widths = .uniform(shared)
            }
            bases = try Frame(&reader, count: blocks)
            if predictor == .delta { anchors = try Frame(&reader, count: blocks) }
            var needed = 0
            switch widths {
            case .uniform(let width):
                needed =
                    try (blocks - 1) * Self.bytes(width, BitPacking.blockSize)
                    + Self.bytes(width, Self.rows(of: blocks - 1, count).count)
            case .mixed(let all):
                guard let last = all.last else { throw ByteReader.Damage() }
                needed =
                    try last.start + Self.bytes(last.width, Self.rows(of: blocks - 1, count).count)
            }
            guard reader.rest.count == needed else { throw ByteReader.Damage() }
        }
        (self.offset, self.divisor, self.slope) = (offset, divisor, slope)
        (self.bases, self.anchors, self.widths) = (bases, anchors, widths)
        self.plain = plain
        payload = reader.rest
    }

    /// The value of all rows of a `constant` column; `nil` for other predictors.
    var constant: Int64? { predictor == .constant ? offset : nil }

    /// Decodes `rows` into `output`.
    func decode(_ rows: Range<Int>, into output: UnsafeMutablePointer<Int64>) {
        decode(rows) { index, base, distances, count in
            for number in 0..<count {
                output[index + number] = base &+ Int64(distances[number])
            }
        } wide: { index, values, count in
            output.advanced(by: index).update(from: values, count: count)
        }
    }

    /// Decodes `rows` in order, in pieces of at most a block.
    ///
    /// - Parameters:
    ///   - narrow: receives the index of the first value in `rows`, a base, and distances from it.
    ///   - wide: receives the same index, and complete values.
    @inline(__always)
    func decode(
        _ rows: Range<Int>,
        narrow: (Int, Int64, UnsafePointer<Int32>, Int) -> Void,
        wide: (Int, UnsafePointer<Int64>, Int) -> Void
    ) {
        guard !rows.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: SIMD4<UInt32>.self, capacity: 32) { lanes in
            withUnsafeTemporaryAllocation(of: Int64.self, capacity: BitPacking.blockSize) { whole in
                guard let lanes = lanes.baseAddress, let whole = whole.baseAddress else { return }
                let size = BitPacking.blockSize
                for block in rows.lowerBound / size...(rows.upperBound - 1) / size {
                    let all = Self.rows(of: block, count)
                    let wanted = all.clamped(to: rows)
                    let skipped = wanted.lowerBound - all.lowerBound
                    let index = wanted.lowerBound - rows.lowerBound
                    if let base = unpackNarrow(block, all.count, lanes) {
                        lanes.withMemoryRebound(to: Int32.self, capacity: size) { distances in
                            narrow(index, base, distances + skipped, wanted.count)
                        }
                    } else {
                        unpackWide(block, all, whole)
                        wide(index, whole + skipped, wanted.count)
                    }
                }
            }
        }
    }

    // MARK: - Private

    private static func rows(of block: Int, _ count: Int) -> Range<Int> {
        let start = block * BitPacking.blockSize
        return start..<min(count, start + BitPacking.blockSize)
    }

    private static func bytes(_ width: UInt8, _ count: Int) throws(ByteReader.Damage) -> Int {
        let bits = Int(width & ~IntegerColumn.wideFlag)
        guard bits <= (width & IntegerColumn.wideFlag == 0 ? 32 : 64) else {
            throw ByteReader.Damage()
        }
        return BitPacking.bytes(count, width: bits)
    }

    /// The width of a block and the offset of its bytes.
    @inline(__always)
    private func block(_ block: Int) -> (width: UInt8, start: Int) {
        switch widths {
        case .uniform(let width):
            let bits = Int(width & ~IntegerColumn.wideFlag)
            return (width, block * BitPacking.blockBytes(width: bits))
        case .mixed(let all): return all[block]
        }
    }

    /// Unpacks a complete block as distances from a base.
    ///
    /// - Returns: the base; `nil` when the block cannot be decoded this way.
    @inline(__always)
    private func unpackNarrow(
        _ block: Int, _ count: Int, _ lanes: UnsafeMutablePointer<BitPacking.Lanes>
    ) -> Int64? {
        guard divisor == 1, predictor == .delta || predictor == .frame,
            count == BitPacking.blockSize
        else { return nil }
        let (width, start) = self.block(block)
        guard width & IntegerColumn.wideFlag == 0, let bytes = payload.baseAddress ?? Self.nowhere
        else { return nil }
        BitPacking.unpackBlock(bytes + start, width: Int(width), into: lanes)
        guard predictor == .delta else { return offset &+ bases[block] }
        let step = BitPacking.Lanes(repeating: UInt32(truncatingIfNeeded: bases[block]))
        // The first residual is stored as 0, so the sum starts at −step and the first distance is 0.
        // Distances are from the anchor, the first value of the block: the encoder ensures that these fit a
        // signed 32-bit integer; distances from anchor − base might not.
        var sum = BitPacking.Lanes() &- step
        let zero: UInt32 = 0
        for index in 0..<32 {
            var lane = lanes[index] &+ step
            lane &+= BitPacking.Lanes(zero, lane[0], lane[1], lane[2])
            lane &+= BitPacking.Lanes(zero, zero, lane[0], lane[1])
            lane &+= sum
            lanes[index] = lane
            sum = BitPacking.Lanes(repeating: lane[3])
        }
        return offset &+ anchors[block]
    }

    /// A block of width 0 has no bytes, and needs a non-null address that is never read.
    private static var nowhere: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 16) }

    private func unpackWide(
        _ block: Int, _ rows: Range<Int>, _ output: UnsafeMutablePointer<Int64>
    ) {
        switch predictor {
        case .constant:
            output.update(repeating: offset, count: rows.count)
            return
        case .plain:
            for row in rows { output[row - rows.lowerBound] = plain[row] }
            return
        case .frame, .delta, .linear: break
        }
        let (width, start) = self.block(block)
        let base = bases[block]
        if width == 0, let step = wholeSlope {
            // The common case for regular times and gapless sequence numbers.
            var value = (base &+ Int64(rows.lowerBound) &* step) &* divisor &+ offset
            for index in 0..<rows.count {
                output[index] = value
                value &+= step &* divisor
            }
            return
        }
        unpackResiduals(width, start, rows.count, output)
        var last = predictor == .delta ? anchors[block] &- base : 0
        for index in 0..<rows.count {
            var value = output[index] &+ base
            switch predictor {
            case .delta:
                value &+= last
                last = value
            case .linear:
                value &+= IntegerColumn.line(slope, at: rows.lowerBound + index)
            default: break
            }
            output[index] = value &* divisor &+ offset
        }
    }

    /// The step from row to row of a line with an integral slope; 0 for `frame`, `nil` for other predictors.
    private var wholeSlope: Int64? {
        switch predictor {
        case .frame: 0
        case .linear where slope & ((1 << IntegerColumn.slopeBits) - 1) == 0:
            slope >> IntegerColumn.slopeBits
        default: nil
        }
    }

    private func unpackResiduals(
        _ width: UInt8, _ start: Int, _ count: Int, _ output: UnsafeMutablePointer<Int64>
    ) {
        let bits = Int(width & ~IntegerColumn.wideFlag)
        guard count == BitPacking.blockSize, width & IntegerColumn.wideFlag == 0, bits > 0,
            let bytes = payload.baseAddress
        else {
            let bytes = UnsafeRawBufferPointer(rebasing: payload[start...])
            for index in 0..<count {
                output[index] = Int64(
                    bitPattern: BitPacking.value(index, width: bits, in: bytes))
            }
            return
        }
        withUnsafeTemporaryAllocation(of: BitPacking.Lanes.self, capacity: 32) { lanes in
            guard let lanes = lanes.baseAddress else { return }
            BitPacking.unpackBlock(bytes + start, width: bits, into: lanes)
            lanes.withMemoryRebound(to: UInt32.self, capacity: BitPacking.blockSize) { residuals in
                for index in 0..<count { output[index] = Int64(residuals[index]) }
            }
        }
    }
}

extension IntegerColumnReader {
    func values(_ rows: Range<Int>) -> [Int64] {
        Array(unsafeUninitializedCapacity: rows.count) { buffer, count in
            if let start = buffer.baseAddress { decode(rows, into: start) }
            count = rows.count
        }
    }

    /// The first row of an ascending column whose value is at least `bound`; `count` when there is none.
    func firstRow(atOrAfter bound: Int64) -> Int {
        var (low, high) = (0, count)
        let size = BitPacking.blockSize
        // Searches blocks first: decoding one value decodes its block.
        var (lowBlock, highBlock) = (0, (count + size - 1) / size)
        while lowBlock < highBlock {
            let middle = (lowBlock + highBlock) / 2
            if value(middle * size) < bound { lowBlock = middle + 1 } else { highBlock = middle }
        }
        low = max(0, (lowBlock - 1) * size)
        high = min(count, lowBlock * size)
        let block = values(low..<high)
        return low + (block.firstIndex { $0 >= bound } ?? block.count)
    }

    private func value(_ row: Int) -> Int64 { values(row..<row + 1).first ?? 0 }
}

extension IntegerColumnReader {
    /// A sum of a few integers below this, times another of them, does not overflow.
    private static let overflowFreeLimit: Int64 = 1 << 30

    /// Bounds of the differences of neighbouring rows, derived from the block headers alone; `nil`
    /// when the headers do not determine bounds.
    private func steps(_ rows: Range<Int>) -> ClosedRange<Int64>? {
        guard predictor == .linear, rows.count > 1, divisor > 0, divisor < Self.overflowFreeLimit,
            slope.magnitude < UInt64(Self.overflowFreeLimit) << 16
        else { return nil }
        // A line rounded down increases by one of two numbers from row to row.
        let line = slope >> 16...(slope >> 16) + 1
        var (least, greatest) = (Int64.max, Int64.min)
        var before: (base: Int64, reach: Int64)?
        let size = BitPacking.blockSize
        for block in rows.lowerBound / size...(rows.upperBound - 1) / size {
            let bits = Int64(self.block(block).width & ~IntegerColumn.wideFlag)
            let base = bases[block]
            let (climb, overflow) = base.subtractingReportingOverflow(before?.base ?? base)
            guard bits <= 30, !overflow, climb.magnitude < UInt64(Self.overflowFreeLimit)
            else { return nil }
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

extension IntegerColumnReader {
    /// The spacing of some rows of an ascending column of times.
    ///
    /// - Returns: `nil` for no rows.
    func spacing(_ rows: Range<Int>) -> Spacing? {
        // Usually the block headers prove that all intervals are similar, and only the ends are decoded.
        if rows.count > 2 * Self.ends, let steps = steps(rows), steps.lowerBound > 0,
            steps.upperBound / Spacing.tolerance < steps.lowerBound
        {
            return values(rows.prefix(Self.ends)).withUnsafeBufferPointer { start in
                values(rows.suffix(Self.ends)).withUnsafeBufferPointer { end in
                    Spacing(even: start, end)
                }
            }
        }
        return withUnsafeTemporaryAllocation(of: Int64.self, capacity: rows.count) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            decode(rows, into: start)
            return Spacing(UnsafeBufferPointer(start: start, count: rows.count))
        }
    }

    /// The number of times that are decoded at each end: they enclose four intervals.
    private static let ends = 5
}
