/// The k largest or k smallest of numbers that come one at a time.
///
/// A binary heap of k keeps the one that would go next at its root (J. W. J. Williams,
/// "Algorithm 232: Heapsort", Communications of the ACM 7, 1964): O(log k) a number, memory for k.
/// Of equal numbers the earlier counts as more extreme.
public struct Extremes: Sendable {
    public enum Side: Hashable, Sendable {
        case largest, smallest
    }

    private let limit: Int
    private let side: Side
    private var heap: [TimedValue] = []

    /// - Parameter limit: how many to keep; none below 1.
    public init(_ limit: Int, _ side: Side) {
        self.limit = max(0, limit)
        self.side = side
    }

    /// NaN is passed over.
    public mutating func insert(_ item: TimedValue) {
        guard !item.value.isNaN, limit > 0 else { return }
        if heap.count < limit {
            heap.append(item)
            rise(from: heap.count - 1)
        } else if ranks(item, before: heap[0]) {
            heap[0] = item
            sink(from: 0)
        }
    }

    /// What was kept, the most extreme first.
    public var items: [TimedValue] { heap.sorted(by: ranks) }

    private func ranks(_ left: TimedValue, before right: TimedValue) -> Bool {
        guard left.value == right.value else {
            return (left.value > right.value) == (side == .largest)
        }
        return left.time < right.time
    }

    private mutating func rise(from place: Int) {
        var place = place
        while place > 0, ranks(heap[(place - 1) / 2], before: heap[place]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(from place: Int) {
        var place = place
        while true {
            var last = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if ranks(heap[last], before: heap[child]) { last = child }
            }
            guard last != place else { return }
            heap.swapAt(place, last)
            place = last
        }
    }
}
