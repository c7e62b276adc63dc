/// Quantiles of a changing subset of numbers that are known in advance.
///
/// Counts by rank in a binary indexed tree: P. M. Fenwick, "A New Data Structure for Cumulative Frequency
/// Tables", Software: Practice and Experience 24 (1994). O(log n) for each operation after sorting, O(n)
/// memory.
///
/// ```swift
/// var window = SlidingQuantiles([5, 1, 3])
/// window.insert(0)
/// window.insert(2)
/// window.quantile(0.5)  // 4.0
/// ```
struct SlidingQuantiles: Sendable {
    /// All numbers in ascending order.
    let sorted: [Double]
    /// The position of each number in ``sorted``, from 1.
    private let ranks: [Int]
    /// Element i has the number of members with ranks in i − (i & −i) + 1...i.
    private var counts: [Int]
    private var count = 0
    private let highestBit: Int

    /// - Parameter numbers: without NaN.
    init(_ numbers: [Double]) {
        let order = numbers.indices.sorted { left, right in
            numbers[left] == numbers[right] ? left < right : numbers[left] < numbers[right]
        }
        sorted = order.map { numbers[$0] }
        var ranks = [Int](repeating: 0, count: numbers.count)
        for (place, index) in order.enumerated() { ranks[index] = place + 1 }
        self.ranks = ranks
        counts = Array(repeating: 0, count: numbers.count + 1)
        var bit = 1
        while bit * 2 <= numbers.count { bit *= 2 }
        highestBit = bit
    }

    /// Adds the number at an index, which is not a member.
    mutating func insert(_ index: Int) { add(1, at: ranks[index]) }

    /// Removes the number at an index, which is a member.
    mutating func remove(_ index: Int) { add(-1, at: ranks[index]) }

    /// The quantile of the members as ``Quantile`` defines it; `nil` without members.
    func quantile(_ fraction: Double) -> Double? {
        guard let place = Quantile(fraction, of: count) else { return nil }
        let lower = member(place.lower)
        return place.value(lower, place.upper == place.lower ? lower : member(place.upper))
    }

    private mutating func add(_ change: Int, at rank: Int) {
        count += change
        var index = rank
        while index < counts.count {
            counts[index] += change
            index += index & -index
        }
    }

    /// The member with this number of members before it.
    private func member(_ place: Int) -> Double {
        var (index, rest, bit) = (0, place, highestBit)
        while bit > 0 {
            let next = index + bit
            if next < counts.count, counts[next] <= rest {
                rest -= counts[next]
                index = next
            }
            bit /= 2
        }
        return sorted[index]
    }
}
