/// A mergeable quantile sketch of finite doubles with 1 % relative accuracy in bounded memory.
///
/// ```swift
/// let sketch = QuantileSketch((1...1000).map(Double.init))
/// sketch.quantile(0.95)  // 950 ± 1 %
/// ```
///
/// DDSketch (C. Masson, J. E. Rim, H. K. Lee, "DDSketch: A Fast and Fully-Mergeable Quantile Sketch
/// with Relative-Error Guarantees", PVLDB 12, 2019): numbers are counted in buckets that each span
/// at most a factor of e^0.02, so the representative of a bucket is within one per cent of each of
/// its numbers. A sketch depends only on the numbers, not on their order or on how sketches were
/// merged.
///
/// Memory: 4 bytes for each bucket, in pages of 16 neighbouring buckets: some hundred bytes for few
/// numbers and 1 to 3 kB for typical sensors. The maximum is 750 kB, unless many buckets count more
/// than 2³².
public struct QuantileSketch: Hashable, Sendable {
    /// The maximum relative error of an order statistic.
    ///
    /// Below 10⁻³⁰⁶, where doubles are evenly spaced, half a spacing is added.
    public static let relativeAccuracy = 0.01

    /// The number of finite numbers that were inserted.
    public internal(set) var count = 0
    var zeros = 0
    var positives = BucketCounts()
    /// The negative numbers, by magnitude.
    var negatives = BucketCounts()

    /// An empty sketch.
    public init() {}

    /// A sketch of these numbers.
    public init(_ numbers: some Sequence<Double>) {
        for number in numbers { insert(number) }
    }

    /// Adds a number; NaN and infinities are ignored.
    public mutating func insert(_ number: Double) {
        guard number.isFinite else { return }
        count += 1
        if number == 0 {
            zeros += 1
        } else if number > 0 {
            positives.add(1, to: LogarithmicBucket(of: number))
        } else {
            negatives.add(1, to: LogarithmicBucket(of: -number))
        }
    }

    /// The representative of the number's bucket, within ``relativeAccuracy`` of the number.
    ///
    /// NaN and infinities are returned unchanged.
    public static func rounded(_ number: Double) -> Double {
        guard number.isFinite, number != 0 else { return number }
        let middle = LogarithmicBucket(of: number.magnitude).middle
        return number < 0 ? -middle : middle
    }

    /// Adds the numbers of another sketch.
    public mutating func merge(_ other: QuantileSketch) {
        count += other.count
        zeros += other.zeros
        other.positives.forEach { positives.add($1, to: $0) }
        other.negatives.forEach { negatives.add($1, to: $0) }
    }

    /// Estimates a quantile.
    ///
    /// Definition 7 of Hyndman and Fan (1996): linear interpolation between the order statistics
    /// around index (count − 1) · fraction. Each of the two is within ``relativeAccuracy`` of the
    /// exact one, and so is the interpolated value when they have the same sign.
    ///
    /// - Parameters:
    ///   - fraction: 0 for the minimum, 0.5 for the median, 1 for the maximum; clamped to 0...1.
    ///   - ends: minimum and maximum, if known. They are then returned exactly, and results are
    ///     clamped to them.
    /// - Returns: `nil` for an empty sketch, and when `fraction` is NaN.
    public func quantile(_ fraction: Double, within ends: ClosedRange<Double>? = nil) -> Double? {
        guard count > 0, !fraction.isNaN else { return nil }
        let position = min(max(fraction, 0), 1) * Double(count - 1)
        let rank = min(Int(position), count - 1)
        let weight = position - Double(rank)
        let below = value(ofRank: rank, within: ends)
        guard weight > 0, rank + 1 < count else { return below }
        let above = value(ofRank: rank + 1, within: ends)
        let distance = above - below
        guard distance.isFinite else { return below * (1 - weight) + above * weight }
        return weight < 0.5 ? below + distance * weight : above - distance * (1 - weight)
    }

    /// An interval that is guaranteed to contain the order statistic of a rank.
    ///
    /// It is the interval of the bucket, extended by a relative 10⁻⁹ on both sides, which exceeds
    /// the rounding error of assigning a number to a bucket.
    ///
    /// - Parameter rank: 0 for the smallest number; traps when it is not less than ``count``.
    public func bounds(ofRank rank: Int) -> ClosedRange<Double> {
        switch bucket(ofRank: rank) {
        case .negative(let bucket): -bucket.bounds.upperBound ... -bucket.bounds.lowerBound
        case .zero: 0...0
        case .positive(let bucket): bucket.bounds
        }
    }

    private func value(ofRank rank: Int, within ends: ClosedRange<Double>?) -> Double {
        if let ends, rank == 0 { return ends.lowerBound }
        if let ends, rank == count - 1 { return ends.upperBound }
        let value =
            switch bucket(ofRank: rank) {
            case .negative(let bucket): -bucket.middle
            case .zero: 0.0
            case .positive(let bucket): bucket.middle
            }
        guard let ends else { return value }
        return min(max(value, ends.lowerBound), ends.upperBound)
    }

    private enum SignedBucket {
        case negative(LogarithmicBucket)
        case zero
        case positive(LogarithmicBucket)
    }

    private func bucket(ofRank rank: Int) -> SignedBucket {
        precondition((0..<count).contains(rank), "no number has this rank")
        let negative = count - zeros - positives.total
        if rank < negative, let bucket = negatives.bucket(ofRank: negative - 1 - rank) {
            return .negative(bucket)
        }
        if rank >= negative + zeros, let bucket = positives.bucket(ofRank: rank - negative - zeros)
        {
            return .positive(bucket)
        }
        return .zero
    }
}

extension QuantileSketch {
    /// The number of neighbouring buckets in the counting table: 29 octaves.
    private static let width = 1024
    /// Positive and negative numbers, each twice, so that increments for equal numbers do not
    /// depend on each other.
    private static let tableLength = 4 * width
    private static let blockLength = 512
    /// The number of values after which the 32-bit counters must be emptied.
    private static let longestRun = 1 << 30
    /// Below this length, the counting table costs more than it saves.
    private static let shortestRun = 512

    /// A sketch of these numbers.
    public init(_ numbers: UnsafeBufferPointer<Double>) {
        self.init()
        insert(numbers)
    }

    /// Inserts many numbers, several times as fast as one at a time, with the same result.
    public mutating func insert(_ numbers: UnsafeBufferPointer<Double>) {
        var rest = numbers[...]
        while rest.count >= Self.shortestRun {
            let run = UnsafeBufferPointer(rebasing: rest.prefix(Self.longestRun))
            let length = run.count / Self.blockLength * Self.blockLength
            insertBlocks(UnsafeBufferPointer(rebasing: run[..<length]))
            rest = rest.dropFirst(length)
        }
        for number in rest { insert(number) }
    }

    private mutating func insertBlocks(_ numbers: UnsafeBufferPointer<Double>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.tableLength) { table in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.blockLength) { slots in
                table.initialize(repeating: 0)
                slots.initialize(repeating: 0)
                var first = Self.firstBucket(of: numbers[..<Self.blockLength])
                for start in stride(from: 0, to: numbers.count, by: Self.blockLength) {
                    let block = UnsafeBufferPointer(
                        rebasing: numbers[start..<(start + Self.blockLength)])
                    Self.count(block, from: first, slots, table)
                    // Numbers outside the table are inserted one by one; if there are many, the
                    // table moves.
                    if insertOutside(block, slots, table) > Self.blockLength / 8 {
                        empty(table, from: first)
                        first = Self.firstBucket(of: block[...])
                    }
                }
                empty(table, from: first)
            }
        }
    }

    /// The first bucket of a table centred on one of the numbers.
    ///
    /// A table never covers zero, subnormal numbers, the largest buckets or infinities.
    private static func firstBucket(of block: Slice<UnsafeBufferPointer<Double>>) -> Int32 {
        let middle = block.suffix(block.count / 2).first(where: \.isNormal)
        let index = LogarithmicBucket(of: abs(middle ?? 1)).index
        let range: ClosedRange<Int32> = 64...(LogarithmicBucket.greatest.index - Int32(width) - 64)
        return min(max(index - Int32(width) / 2, range.lowerBound), range.upperBound)
    }

    /// Counts a block in the table; the first and the last slot count numbers outside of it.
    private static func count(
        _ block: UnsafeBufferPointer<Double>, from first: Int32,
        _ slots: UnsafeMutableBufferPointer<UInt64>, _ table: UnsafeMutableBufferPointer<UInt32>
    ) {
        typealias Words = SIMD8<UInt64>
        let bytes = UnsafeRawBufferPointer(block)
        let output = UnsafeMutableRawBufferPointer(slots)
        let lowest = SIMD8(repeating: Double(first))
        let highest = SIMD8(repeating: Double(first) + Double(width - 1))
        let base = (LogarithmicBucket.rounder + Double(first)).bitPattern
        let twin = Words(0, 1, 0, 1, 0, 1, 0, 1) &* UInt64(2 * width)
        for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<Words>.stride) {
            let numbers = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Double>.self)
            var found = LogarithmicBucket.positions(ofNormal: numbers)
            found.replace(with: lowest, where: found .< lowest)
            found.replace(with: highest, where: found .> highest)
            let rounded = unsafeBitCast(found + LogarithmicBucket.rounder, to: Words.self)
            let sign = (unsafeBitCast(numbers, to: Words.self) &>> 63) &* UInt64(width)
            output.storeBytes(
                of: (rounded &- base) | sign | twin, toByteOffset: offset, as: Words.self)
        }
        for slot in slots { table[Int(truncatingIfNeeded: slot)] &+= 1 }
    }

    /// Inserts the numbers of a block that are outside the table.
    ///
    /// - Returns: how many there were, without zeros.
    private mutating func insertOutside(
        _ block: UnsafeBufferPointer<Double>, _ slots: UnsafeMutableBufferPointer<UInt64>,
        _ table: UnsafeMutableBufferPointer<UInt32>
    ) -> Int {
        var outside: UInt32 = 0
        for end in stride(from: 0, to: Self.tableLength, by: Self.width) {
            outside += table[end] + table[end + Self.width - 1]
            table[end] = 0
            table[end + Self.width - 1] = 0
        }
        guard outside > 0 else { return 0 }
        let none = Self.zeros(in: UnsafeRawBufferPointer(block))
        count += Int(none)
        zeros += Int(none)
        guard outside > none else { return 0 }
        for (number, slot) in zip(block, slots) {
            // True for the first and the last slot only.
            guard (slot &+ 1) & UInt64(Self.width - 1) <= 1, number != 0 else { continue }
            insert(number)
        }
        return Int(outside - none)
    }

    private static func zeros(in bytes: UnsafeRawBufferPointer) -> UInt32 {
        typealias Vector = SIMD8<Double>
        var count = Vector.zero
        for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<Vector>.stride) {
            let numbers = bytes.loadUnaligned(fromByteOffset: offset, as: Vector.self)
            count += Vector.zero.replacing(with: 1, where: numbers .== 0)
        }
        return UInt32(count.sum())
    }

    /// Adds the counts of the table to the sketch and clears it.
    private mutating func empty(_ table: UnsafeMutableBufferPointer<UInt32>, from first: Int32) {
        for slot in 1..<(Self.width - 1) {
            let bucket = LogarithmicBucket(index: first + Int32(slot))
            let positive = UInt64(table[slot]) + UInt64(table[slot + 2 * Self.width])
            let negative =
                UInt64(table[slot + Self.width]) + UInt64(table[slot + 3 * Self.width])
            guard positive + negative > 0 else { continue }
            positives.add(positive, to: bucket)
            negatives.add(negative, to: bucket)
            count += Int(positive + negative)
        }
        table.update(repeating: 0)
    }
}
