import Statistics

/// The merged summary of a sliding window of cells; O(1) merges for each step of the window, amortised.
///
/// Two stacks: cells are appended to the back, each element of the front is merged with all that follow it
/// in the front, and an empty front is filled from the back. Summaries can only be merged, not subtracted.
/// Source: K. Tangwongsan, M. Hirzel, S. Schneider, "Low-Latency Sliding-Window Aggregation in
/// Worst-Case Constant Time", DEBS 2017, section 3.
struct SlidingWindowAggregate: Sendable {
    private var front: [WindowSummary] = []
    private var back: [WindowSummary] = []
    private var backTotal: WindowSummary?
    /// Whether each cell has samples, the oldest first.
    private var occupancy: [Bool] = []

    /// The number of cells.
    var count: Int { occupancy.count }
    /// The number of cells with samples.
    private(set) var occupied = 0

    mutating func append(_ cell: WindowSummary) {
        back.append(cell)
        if backTotal == nil { backTotal = cell } else { backTotal?.merge(cell) }
        occupancy.append(cell.count > 0)
        if cell.count > 0 { occupied += 1 }
    }

    /// Removes the oldest cell of a fold that has one.
    mutating func removeFirst() {
        if front.isEmpty {
            var total: WindowSummary?
            for cell in back.reversed() {
                var joined = cell
                if let total { joined.merge(total) }
                front.append(joined)
                total = joined
            }
            (back, backTotal) = ([], nil)
        }
        front.removeLast()
        if occupancy.removeFirst() { occupied -= 1 }
    }

    /// The merged summary of all cells and then of `tail`; `nil` if there are none.
    func total(with tail: [WindowSummary]) -> WindowSummary? {
        var total = front.last
        for part in [backTotal].compactMap(\.self) + tail {
            if total == nil { total = part } else { total?.merge(part) }
        }
        return total
    }
}
