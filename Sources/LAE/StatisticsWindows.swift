import Samples

/// Windows of equal width that gather the samples of a range.
struct StatisticsWindows {
    let range: TimeRange
    private let step: Int64?
    private var summaries: [[Summary]]
    private(set) var count = 0
    private var counts: [Int]

    /// - Parameters:
    ///   - every: microseconds, at least 1; `nil` for one window.
    ///   - columns: how many fields each window has.
    init(_ range: TimeRange, every: Int64?, _ columns: Int, keepsValues: Bool) throws(LAEError) {
        self.range = range
        step = every
        var windows = 1
        if let every {
            let width = range.to.microseconds.subtractingReportingOverflow(range.from.microseconds)
            let needed = width.overflow ? .max : (width.partialValue - 1) / every + 1
            guard needed <= StatisticsQuery.windowLimit else {
                throw LAEError(
                    .tooManyWindows,
                    "The range holds more than \(StatisticsQuery.windowLimit) windows.",
                    hint: "Ask for a shorter range or wider windows.")
            }
            windows = range.isEmpty ? 0 : Int(needed)
        }
        let empty = [Summary](repeating: Summary(keepsValues: keepsValues), count: columns)
        summaries = Array(repeating: empty, count: windows)
        counts = Array(repeating: 0, count: windows)
    }

    mutating func insert(_ sample: StoredSample, _ columns: [Int]) {
        let offset = sample.time.microseconds &- range.from.microseconds
        let window = step.map { Int(offset / $0) } ?? 0
        guard summaries.indices.contains(window) else { return }
        count += 1
        counts[window] += 1
        for (place, column) in columns.enumerated() {
            if let number = sample.values[column].double { summaries[window][place].insert(number) }
        }
    }

    /// - Parameter minimumCount: windows with fewer samples tell nothing.
    func results(_ statistics: [Statistic], minimumCount: Int) -> [StatisticsTable.Window] {
        summaries.indices.map { window in
            let isTold = counts[window] >= minimumCount
            return StatisticsTable.Window(
                range: span(of: window), count: isTold ? counts[window] : nil,
                values: summaries[window].map { summary in
                    isTold ? summary.results(statistics) : statistics.map { _ in nil }
                })
        }
    }

    private func span(of window: Int) -> TimeRange {
        guard let step else { return range }
        let start = range.from.advanced(byMicroseconds: Int64(window) * step)
        return TimeRange(from: start, to: min(range.to, start.advanced(byMicroseconds: step)))
    }
}
