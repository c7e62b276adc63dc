/// An interval in which ``RankSelection`` looks for some ranks during one pass.
struct RankWindow: Sendable {
    static let blockLength = 1024

    enum Outcome {
        case number(Double)
        case within(ClosedRange<Double>)
        /// The rank is not in the interval.
        case outside
    }

    private let range: ClosedRange<Double>
    private let ranks: [Int]
    private let capacity: Int
    /// The keys of the interval, and by how many bits they are shifted to be numbers of bins.
    private let firstKey: UInt64
    private let lastKey: UInt64
    private let shift: UInt64

    private var below = 0
    private var inside = 0
    private var kept: [Double] = []
    /// Empty while all numbers inside are kept.
    private var bins: [Int] = []

    /// - Parameter capacity: the most numbers or bins to keep; at least 2.
    init(_ range: ClosedRange<Double>, ranks: [Int], capacity: Int) {
        self.range = range
        self.ranks = ranks
        self.capacity = capacity
        firstKey = OrderedKey.of(range.lowerBound)
        lastKey = OrderedKey.of(range.upperBound)
        var shift: UInt64 = 0
        while (lastKey - firstKey) >> shift >= UInt64(capacity) { shift += 1 }
        self.shift = shift
    }

    /// Takes at most ``blockLength`` numbers.
    mutating func insert(_ block: UnsafeBufferPointer<Double>) {
        // Every lane of a vector is written before it is known whether it counts.
        withUnsafeTemporaryAllocation(of: Double.self, capacity: Self.blockLength + 1) { gathered in
            var count = 0
            let whole = block.count / 8 * 8
            let vectors = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: block[..<whole]))
            below += gather(vectors, gathered, &count)
            for number in block[whole...] {
                if number < range.lowerBound { below += 1 }
                guard range.contains(number) else { continue }
                gathered[count] = number
                count += 1
            }
            if count > 0 { take(UnsafeBufferPointer(rebasing: gathered[..<count])) }
        }
    }

    /// What this pass says of each rank.
    func outcomes() -> [(rank: Int, outcome: Outcome)] {
        let sorted = kept.sorted()
        return ranks.map { rank in
            let place = rank - below
            guard (0..<inside).contains(place) else { return (rank, .outside) }
            return (rank, bins.isEmpty ? .number(sorted[place] + 0) : bin(ofPlace: place))
        }
    }

    /// Collects the numbers of the interval and says how many are below it.
    private func gather(
        _ bytes: UnsafeRawBufferPointer, _ gathered: UnsafeMutableBufferPointer<Double>,
        _ count: inout Int
    ) -> Int {
        typealias Words = SIMD8<Int64>
        let lowest = SIMD8(repeating: range.lowerBound)
        let highest = SIMD8(repeating: range.upperBound)
        var belows = Words.zero
        var end = count
        for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<Words>.stride) {
            let numbers = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Double>.self)
            belows &+= Words.zero.replacing(with: 1, where: numbers .< lowest)
            let isInside = (numbers .>= lowest) .& (numbers .<= highest)
            let insides = Words.zero.replacing(with: 1, where: isInside)
            let quarters = insides.lowHalf | insides.highHalf
            let pair = quarters.lowHalf | quarters.highHalf
            guard pair[0] | pair[1] != 0 else { continue }
            for lane in 0..<8 {
                gathered[end] = numbers[lane]
                end &+= Int(truncatingIfNeeded: insides[lane])
            }
        }
        count = end
        return Int(belows.wrappedSum())
    }

    private mutating func take(_ numbers: UnsafeBufferPointer<Double>) {
        inside += numbers.count
        if bins.isEmpty, kept.count + numbers.count <= capacity {
            kept.append(contentsOf: numbers)
            return
        }
        if bins.isEmpty {
            bins = Array(repeating: 0, count: Int((lastKey - firstKey) >> shift) + 1)
            kept.withUnsafeBufferPointer { countInBins($0) }
            kept = []
        }
        countInBins(numbers)
    }

    private mutating func countInBins(_ numbers: UnsafeBufferPointer<Double>) {
        bins.withUnsafeMutableBufferPointer { bins in
            for number in numbers {
                bins[Int((OrderedKey.of(number) &- firstKey) >> shift)] &+= 1
            }
        }
    }

    private func bin(ofPlace place: Int) -> Outcome {
        var rest = place
        for (bin, count) in bins.enumerated() {
            guard rest >= count else {
                let first = firstKey + (UInt64(bin) << shift)
                // The last bin may end behind the interval, or behind all keys.
                let width = min(lastKey - first, (1 << shift) - 1)
                let number = OrderedKey.number(first)
                return width == 0
                    ? .number(number) : .within(number...OrderedKey.number(first + width))
            }
            rest -= count
        }
        return .outside
    }
}
