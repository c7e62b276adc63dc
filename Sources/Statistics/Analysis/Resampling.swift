public import Samples

/// Numbers at moments of their own brought to the cells of a grid.
public struct Resampling: Hashable, Sendable {
    /// How a cell gets its number.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// The mean of the numbers in the cell; none of an empty cell.
        case mean
        /// The last number in the cell; none of an empty cell.
        case last
        /// On the straight line between the numbers before and after the cell's beginning; none
        /// before the first and after the last.
        case linear
    }

    public let grid: Grid
    /// The number of the first cell.
    public let first: Int64
    /// One for each cell from the first to the last that has numbers.
    public let values: [Double?]

    /// - Parameter limit: the most cells.
    /// - Returns: `nil` when more cells would be needed.
    public init?(_ series: Series, to grid: Grid, by method: Method, atMost limit: Int) {
        self.grid = grid
        guard let start = series.times.first, let end = series.times.last else {
            (first, values) = (0, [])
            return
        }
        first = grid.cell(of: start)
        let (width, overflow) = grid.cell(of: end).subtractingReportingOverflow(first)
        guard !overflow, width < limit else { return nil }
        let count = Int(width) + 1
        values =
            switch method {
            case .linear: Self.interpolated(series, grid, first, count)
            case .mean, .last: Self.gathered(series, grid, first, count, isMean: method == .mean)
            }
    }

    public func time(_ place: Int) -> Timestamp {
        Timestamp(microseconds: grid.start(of: first + Int64(place)))
    }

    private static func gathered(
        _ series: Series, _ grid: Grid, _ first: Int64, _ count: Int, isMean: Bool
    ) -> [Double?] {
        var values = [Double?](repeating: nil, count: count)
        var place = 0
        while place < series.count {
            let cell = grid.cell(of: series.times[place])
            var moments = Moments()
            while place < series.count, grid.cell(of: series.times[place]) == cell {
                moments.insert(series.values[place])
                place += 1
            }
            let value = isMean ? moments.mean : series.values[place - 1]
            values[Int(cell - first)] = value?.finite
        }
        return values
    }

    private static func interpolated(
        _ series: Series, _ grid: Grid, _ first: Int64, _ count: Int
    ) -> [Double?] {
        var next = 0
        return (0..<count).map { cell in
            let time = grid.start(of: first + Int64(cell))
            // The last number that is not later, and the one after it.
            while next < series.count, series.times[next] <= time { next += 1 }
            guard next > 0 else { return nil }
            let before = next - 1
            guard series.times[before] != time else { return series.values[before] }
            guard next < series.count else { return nil }
            let whole = Series.seconds(from: series.times[before], to: series.times[next])
            let weight = Series.seconds(from: series.times[before], to: time) / whole
            return (series.values[before] * (1 - weight) + series.values[next] * weight).finite
        }
    }
}
