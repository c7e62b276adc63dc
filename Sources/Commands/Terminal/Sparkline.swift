import Foundation

/// The values of a number over time as a line of blocks: the lowest block is the smallest value, the highest
/// block the largest.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The characters of a sparkline, apart from the space.
    static let scalars: ClosedRange<Unicode.Scalar> = "▁"..."█"

    /// - Parameter values: `nil` for a time without value, which is a space.
    static func text(_ values: [Double?]) -> String {
        let known = values.compactMap(\.self).filter(\.isFinite)
        guard let smallest = known.min(), let largest = known.max() else {
            return String(repeating: " ", count: values.count)
        }
        return String(values.map { block($0, smallest, largest) })
    }

    private static func block(
        _ value: Double?, _ smallest: Double, _ largest: Double
    ) -> Character {
        guard let value, value.isFinite else { return " " }
        // Equal values are a line at half the height.
        guard largest > smallest else { return blocks[blocks.count / 2 - 1] }
        // Differences of halves cannot overflow.
        let share = (value / 2 - smallest / 2) / (largest / 2 - smallest / 2)
        return blocks[min(blocks.count - 1, Int(share * Double(blocks.count)))]
    }
}

/// The recent values of a field, as means of equal intervals.
struct RecentValues {
    /// How far back values are kept, in milliseconds.
    let length: Double
    private var points: [(time: Double, value: Double)] = []

    /// - Parameter length: how far back values are kept, in milliseconds.
    init(length: Double) {
        self.length = length
    }

    /// Adds a value, unless a newer one is known.
    ///
    /// - Parameter time: in milliseconds since 1970.
    mutating func add(_ value: Double, at time: Double) {
        if let last = points.last, last.time >= time { return }
        points.append((time, value))
        // The last value before that time is the one at its beginning.
        while points.count > 1, points[1].time < time - length { points.removeFirst() }
    }

    /// The mean of each interval; for an interval without a sample, the value before it.
    ///
    /// The bounds are multiples of the length of an interval, so that an interval keeps its values
    /// while time passes.
    ///
    /// - Parameters:
    ///   - count: how many intervals.
    ///   - end: in milliseconds since 1970; the last interval contains it.
    func means(count: Int, until end: Double) -> [Double?] {
        let step = length / Double(count)
        let first = (end / step).rounded(.down) - Double(count - 1)
        var sums = Array(repeating: (sum: 0.0, count: 0), count: count)
        var before: Double?
        for (time, value) in points {
            let index = Int((time / step).rounded(.down) - first)
            if index < 0 { before = value }
            guard sums.indices.contains(index) else { continue }
            sums[index].sum += value
            sums[index].count += 1
        }
        return sums.map { sum, count in
            if count > 0 { before = sum / Double(count) }
            return before
        }
    }
}
