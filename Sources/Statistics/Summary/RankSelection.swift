/// Exact order statistics, selected in several passes over the numbers.
///
/// Each pass counts the numbers below an interval that contains the rank and keeps those inside. If
/// they are too many, it counts them in bins, and the next pass searches one bin only, as in J. I.
/// Munro and M. S. Paterson, "Selection and Sorting with Limited Storage" (Theoretical Computer
/// Science 12, 1980). One pass is enough when the intervals contain few of the numbers. Seven
/// passes are always enough for up to 64 disjoint intervals, and as many again when a rank was not
/// in its interval.
///
/// Memory: at most 65 536 numbers or bins (512 KiB).
///
/// ```swift
/// var selection = RankSelection(
///     ranks: [rank], of: sketch.count, candidates: [sketch.bounds(ofRank: rank)])
/// repeat { for block in blocks { selection.insert(block) } } while selection.endPass()
/// let number = selection.values?[0]
/// ```
public struct RankSelection: Sendable {
    /// The number of intervals searched in one pass; further ones are searched in later passes.
    static let maximumWindows = 64
    private static let everything = -Double.infinity...Double.infinity

    private let ranks: [Int]
    private let count: Int
    /// The number of values or bins that all windows keep together.
    private let capacity: Int
    private var seen = 0
    private var found: [Int: Double] = [:]
    private var candidates: [Int: ClosedRange<Double>] = [:]
    /// Ranks that were not in their candidate interval and are searched everywhere.
    private var misplaced: Set<Int> = []
    private var hasFailed = false
    /// Disjoint intervals.
    private var windows: [RankWindow] = []

    /// - Parameters:
    ///   - ranks: from 0 for the smallest number; in any order, each less than `count`.
    ///   - count: the number of values in each pass.
    ///   - candidates: for each rank an interval that probably contains its number. A wrong
    ///     interval only costs passes.
    public init(ranks: [Int], of count: Int, candidates: [ClosedRange<Double>]) {
        self.init(ranks: ranks, of: count, candidates: candidates, capacity: 1 << 16)
    }

    /// - Parameter capacity: at least 2 for each of ``maximumWindows``.
    init(ranks: [Int], of count: Int, candidates: [ClosedRange<Double>], capacity: Int) {
        precondition(ranks.count == candidates.count, "every rank has an interval")
        precondition(ranks.allSatisfy((0..<count).contains), "no number has this rank")
        self.ranks = ranks
        self.count = count
        self.capacity = capacity
        for (rank, candidate) in zip(ranks, candidates) { self.candidates[rank] = candidate }
        openWindows()
    }

    /// The numbers in the order of the ranks; zeros are positive.
    ///
    /// `nil` until ``endPass()`` returns `false`, and when the passes differed, contained NaN, or
    /// did not have the announced number of values.
    public var values: [Double]? {
        let values = ranks.compactMap { found[$0] }
        return values.count == ranks.count && !hasFailed ? values : nil
    }

    /// Adds numbers of the current pass, in any order and any pieces.
    public mutating func insert(_ numbers: UnsafeBufferPointer<Double>) {
        seen += numbers.count
        var rest = numbers[...]
        // All intervals process a block while it is in the first-level cache.
        while !rest.isEmpty {
            let block = UnsafeBufferPointer(rebasing: rest.prefix(RankWindow.blockLength))
            for window in windows.indices { windows[window].insert(block) }
            rest = rest.dropFirst(block.count)
        }
    }

    /// Ends a pass over all numbers.
    ///
    /// - Returns: whether another pass is needed.
    public mutating func endPass() -> Bool {
        guard !hasFailed, !windows.isEmpty else { return false }
        guard seen == count else { return fail() }
        for window in windows {
            for (rank, outcome) in window.outcomes() {
                switch outcome {
                case .number(let number):
                    found[rank] = number
                    candidates[rank] = nil
                case .within(let range):
                    candidates[rank] = range
                case .outside:
                    guard misplaced.insert(rank).inserted else { return fail() }
                    candidates[rank] = Self.everything
                }
            }
        }
        openWindows()
        return !windows.isEmpty
    }

    private mutating func fail() -> Bool {
        hasFailed = true
        windows = []
        return false
    }

    /// Merges intervals that touch into windows.
    private mutating func openWindows() {
        seen = 0
        var groups: [(range: ClosedRange<Double>, ranks: [Int])] = []
        for (rank, range) in candidates.sorted(by: { $0.value.lowerBound < $1.value.lowerBound }) {
            if let last = groups.last, range.lowerBound <= last.range.upperBound {
                let upper = max(last.range.upperBound, range.upperBound)
                groups[groups.count - 1] = (last.range.lowerBound...upper, last.ranks + [rank])
            } else {
                groups.append((range, [rank]))
            }
        }
        let open = groups.prefix(Self.maximumWindows)
        windows = open.map {
            RankWindow($0.range, ranks: $0.ranks, capacity: capacity / open.count)
        }
    }
}

/// An interval in which ``RankSelection`` searches some ranks during one pass.
private struct RankWindow: Sendable {
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
    /// The keys of the bounds, and the shift that turns keys into bin numbers.
    private let firstKey: UInt64
    private let lastKey: UInt64
    private let shift: UInt64

    private var below = 0
    private var inside = 0
    private var kept: [Double] = []
    /// Empty while all numbers inside are kept individually.
    private var bins: [Int] = []

    /// - Parameter capacity: the maximum of numbers or bins to keep, at least 2.
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

    /// Adds at most ``blockLength`` numbers.
    mutating func insert(_ block: UnsafeBufferPointer<Double>) {
        // One more slot: every lane is written, and the position advances only for numbers inside.
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

    /// The result of this pass for each rank.
    func outcomes() -> [(rank: Int, outcome: Outcome)] {
        let sorted = kept.sorted()
        return ranks.map { rank in
            let offset = rank - below
            guard (0..<inside).contains(offset) else { return (rank, .outside) }
            return (rank, bins.isEmpty ? .number(sorted[offset] + 0) : bin(ofRank: offset))
        }
    }

    /// Collects the numbers inside the interval.
    ///
    /// - Returns: how many are below it.
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

    private func bin(ofRank rank: Int) -> Outcome {
        var rest = rank
        for (bin, count) in bins.enumerated() {
            guard rest >= count else {
                let first = firstKey + (UInt64(bin) << shift)
                // The last bin may extend beyond the interval, or beyond all keys.
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

/// Integers in the order of the doubles; neighbouring doubles differ by 1, and both zeros are
/// equal.
enum OrderedKey {
    private static let sign: UInt64 = 1 << 63

    /// - Parameter number: not NaN.
    static func of(_ number: Double) -> UInt64 {
        // Adding 0 turns −0 into +0.
        let bits = (number + 0).bitPattern
        return bits & sign == 0 ? bits | sign : ~bits
    }

    static func number(_ key: UInt64) -> Double {
        Double(bitPattern: key & sign == 0 ? ~key : key & ~sign) + 0
    }
}
