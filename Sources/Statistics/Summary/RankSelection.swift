/// The numbers that sorting would put at some ranks, found by reading the numbers several times.
///
/// Every pass counts the numbers below an interval that holds the rank and keeps those inside. Where
/// they are too many it counts them in bins instead, and the next pass looks into one bin only, as in
/// J. I. Munro and M. S. Paterson, "Selection and Sorting with Limited Storage" (Theoretical Computer
/// Science 12, 1980). One pass is enough where the intervals hold few of the numbers; seven always are,
/// for up to 64 intervals apart, and as many again where they did not hold their ranks.
///
/// Memory: at most 65 536 numbers or bins, half a megabyte.
///
///     var selection = RankSelection(
///         ranks: [rank], of: sketch.count, candidates: [sketch.bounds(ofRank: rank)])
///     repeat { for block in blocks { selection.insert(block) } } while selection.endPass()
///     let number = selection.values?[0]
public struct RankSelection: Sendable {
    /// What has more intervals looks for the others in later passes.
    static let mostWindows = 64
    private static let everything = -Double.infinity...Double.infinity

    private let ranks: [Int]
    private let count: Int
    /// How many numbers or bins all windows keep together.
    private let capacity: Int
    private var seen = 0
    private var found: [Int: Double] = [:]
    private var candidates: [Int: ClosedRange<Double>] = [:]
    /// Ranks that were not where they were said to be, and are looked for everywhere.
    private var misplaced: Set<Int> = []
    private var hasFailed = false
    /// Apart from each other.
    private var windows: [RankWindow] = []

    /// - Parameters:
    ///   - ranks: 0 for the smallest number; in any order, each less than `count`.
    ///   - count: how many numbers every pass gives.
    ///   - candidates: for each rank an interval that holds its number. It only saves passes: a rank
    ///     that is not in its interval is looked for everywhere.
    public init(ranks: [Int], of count: Int, candidates: [ClosedRange<Double>]) {
        self.init(ranks: ranks, of: count, candidates: candidates, capacity: 1 << 16)
    }

    /// - Parameter capacity: at least 2 for each of ``mostWindows``.
    init(ranks: [Int], of count: Int, candidates: [ClosedRange<Double>], capacity: Int) {
        precondition(ranks.count == candidates.count, "every rank has an interval")
        precondition(ranks.allSatisfy((0..<count).contains), "no number has this rank")
        self.ranks = ranks
        self.count = count
        self.capacity = capacity
        for (rank, candidate) in zip(ranks, candidates) { self.candidates[rank] = candidate }
        openWindows()
    }

    /// The numbers in the order of the ranks; zeros have no sign.
    ///
    /// `nil` until ``endPass()`` says that no pass is missing, and for good when the passes did not give
    /// as many numbers as was said, or not the same, or some that are NaN.
    public var values: [Double]? {
        let values = ranks.compactMap { found[$0] }
        return values.count == ranks.count && !hasFailed ? values : nil
    }

    /// Takes the next numbers of a pass, which come in any order and in any pieces.
    public mutating func insert(_ numbers: UnsafeBufferPointer<Double>) {
        seen += numbers.count
        var rest = numbers[...]
        // Every interval looks at a block while it is in the nearest cache.
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

    /// Makes one window of all intervals that touch.
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
        let open = groups.prefix(Self.mostWindows)
        windows = open.map {
            RankWindow($0.range, ranks: $0.ranks, capacity: capacity / open.count)
        }
    }
}
