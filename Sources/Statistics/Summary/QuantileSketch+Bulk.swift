extension QuantileSketch {
    /// How many neighbouring buckets the table has: 29 octaves.
    private static let width = 1024
    /// Positive and negative numbers, each twice, so that equal numbers do not wait for each other.
    private static let tableLength = 4 * width
    private static let blockLength = 512
    /// So many counts fit the table's 32 bits.
    private static let longestRun = 1 << 30
    /// Below this, clearing and emptying a table takes longer than it saves.
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
                    // What did not fit is counted alone; a table that often does not fit is moved.
                    if insertOutside(block, slots, table) > Self.blockLength / 8 {
                        empty(table, from: first)
                        first = Self.firstBucket(of: block[...])
                    }
                }
                empty(table, from: first)
            }
        }
    }

    /// The first bucket of a table that has one of the numbers in its middle.
    ///
    /// Neither zero and subnormal numbers nor the largest and what is not finite are ever inside.
    private static func firstBucket(of block: Slice<UnsafeBufferPointer<Double>>) -> Int32 {
        let middle = block.suffix(block.count / 2).first(where: \.isNormal)
        let index = LogarithmicBucket(of: abs(middle ?? 1)).index
        let range: ClosedRange<Int32> = 64...(LogarithmicBucket.greatest.index - Int32(width) - 64)
        return min(max(index - Int32(width) / 2, range.lowerBound), range.upperBound)
    }

    /// Counts a block in the table, where first and last slot are for what is outside.
    private static func count(
        _ block: UnsafeBufferPointer<Double>, from first: Int32,
        _ slots: UnsafeMutableBufferPointer<UInt64>, _ table: UnsafeMutableBufferPointer<UInt32>
    ) {
        typealias Words = SIMD8<UInt64>
        let bytes = UnsafeRawBufferPointer(block)
        let places = UnsafeMutableRawBufferPointer(slots)
        let lowest = SIMD8(repeating: Double(first))
        let highest = SIMD8(repeating: Double(first) + Double(width - 1))
        let base = (LogarithmicBucket.rounder + Double(first)).bitPattern
        let twin = Words(0, 1, 0, 1, 0, 1, 0, 1) &* UInt64(2 * width)
        for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<Words>.stride) {
            let numbers = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Double>.self)
            var found = LogarithmicBucket.places(ofNormal: numbers)
            found.replace(with: lowest, where: found .< lowest)
            found.replace(with: highest, where: found .> highest)
            let rounded = unsafeBitCast(found + LogarithmicBucket.rounder, to: Words.self)
            let sign = (unsafeBitCast(numbers, to: Words.self) &>> 63) &* UInt64(width)
            places.storeBytes(
                of: (rounded &- base) | sign | twin, toByteOffset: offset, as: Words.self)
        }
        for slot in slots { table[Int(truncatingIfNeeded: slot)] &+= 1 }
    }

    /// Inserts the numbers of a block that the table has no bucket for, and says how many but zeros.
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
            // First and last slot are those that become 0 and 1 here.
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

    /// Takes over what the table counted.
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
