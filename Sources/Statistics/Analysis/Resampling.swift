public import Samples

/// A time series resampled to the cells of a regular grid.
///
/// ```swift
/// let minutes = Grid(origin: 0, step: 60_000_000)
/// if let cells = Resampling(series, to: minutes, by: .mean, atMost: 1440) {
///     for index in cells.values.indices { print(cells.time(index), cells.values[index] as Any) }
/// }
/// ```
public struct Resampling: Hashable, Sendable {
    /// How the value of a cell is computed.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// The arithmetic mean of the values in the cell; `nil` for an empty cell.
        case mean
        /// The last value in the cell; `nil` for an empty cell.
        case last
        /// Linear interpolation, at the start of the cell, between the values before and after it; `nil`
        /// before the first value and after the last.
        case linear
    }

    /// The cells.
    public let grid: Grid
    /// The number of the first cell in ``grid``.
    public let first: Int64
    /// One value for each cell, from the cell of the first value of the series to that of the last.
    public let values: [Double?]

    /// Resamples a series.
    ///
    /// - Parameter limit: the maximum number of cells.
    /// - Returns: `nil` when the series covers more cells.
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

    /// The start of the cell whose value is `values[index]`.
    public func time(_ index: Int) -> Timestamp {
        Timestamp(microseconds: grid.start(of: first + Int64(index)))
    }

    private static func gathered(
        _ series: Series, _ grid: Grid, _ first: Int64, _ count: Int, isMean: Bool
    ) -> [Double?] {
        var values = [Double?](repeating: nil, count: count)
        var index = 0
        while index < series.count {
            let cell = grid.cell(of: series.times[index])
            var moments = Moments()
            while index < series.count, grid.cell(of: series.times[index]) == cell {
                moments.insert(series.values[index])
                index += 1
            }
            let value = isMean ? moments.mean : series.values[index - 1]
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

/// A division of time into cells of equal width, in microseconds.
public struct Grid: Hashable, Sendable {
    /// The width of a cell in microseconds, at least 1.
    public let step: Int64
    /// The start of a cell modulo ``step``, in `0..<step`.
    public let phase: Int64

    /// - Parameters:
    ///   - origin: the start of any cell, in microseconds since 1970.
    ///   - step: the width of a cell in microseconds; taken as 1 when it is less.
    public init(origin: Int64, step: Int64) {
        self.step = max(1, step)
        phase = Self.floored(origin, self.step).rest
    }

    /// The number of the cell that contains a time in microseconds since 1970.
    public func cell(of time: Int64) -> Int64 {
        let (quotient, rest) = Self.floored(time, step)
        return rest < phase ? quotient - 1 : quotient
    }

    /// The start of a cell in microseconds since 1970, clamped to `Int64`.
    public func start(of cell: Int64) -> Int64 {
        let (product, overflow) = cell.multipliedReportingOverflow(by: step)
        guard !overflow else { return cell < 0 ? .min : .max }
        let sum = product.addingReportingOverflow(phase)
        return sum.overflow ? .max : sum.partialValue
    }

    private static func floored(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64)
    {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}

/// Matches the samples of two sensors by time (an as-of join).
///
/// ```swift
/// let alignment = Alignment(method: .nearest, tolerance: 500_000)
/// alignment.indices(of: [1_000_000], in: [900_000, 1_400_000])  // [0]
/// ```
public struct Alignment: Hashable, Sendable {
    /// Which sample matches a time.
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// The sample closest in time; the earlier of two equally close ones.
        case nearest
        /// The last sample that is not later.
        case last
    }

    /// Which sample matches a time.
    public let method: Method
    /// The maximum distance of two matching samples in microseconds.
    public let tolerance: Int64

    /// - Parameter tolerance: in microseconds.
    public init(method: Method, tolerance: Int64) {
        self.method = method
        self.tolerance = tolerance
    }

    /// Finds the match of each time.
    ///
    /// Of samples with equal times the last one matches. O(n + m).
    /// - Parameters:
    ///   - times: microseconds since 1970, never descending.
    ///   - others: the times of the other sensor, likewise.
    /// - Returns: for each element of `times` an index into `others`; `nil` when no sample is within
    ///   ``tolerance``.
    public func indices(of times: [Int64], in others: [Int64]) -> [Int?] {
        var next = 0
        return times.map { time in
            while next < others.count, others[next] <= time { next += 1 }
            let before = next > 0 ? next - 1 : nil
            let distance = before.map { interval(others[$0], time) }
            if method == .nearest, next < others.count {
                let after = interval(time, others[next])
                if after < distance ?? .max, after <= tolerance { return lastOfEqual(next, others) }
            }
            return distance ?? .max <= tolerance && before != nil ? before : nil
        }
    }

    private func interval(_ earlier: Int64, _ later: Int64) -> Int64 {
        let (difference, overflow) = later.subtractingReportingOverflow(earlier)
        return overflow ? .max : difference
    }

    private func lastOfEqual(_ index: Int, _ others: [Int64]) -> Int {
        var index = index
        while index + 1 < others.count, others[index + 1] == others[index] { index += 1 }
        return index
    }
}

/// Downsampling for charts with largest triangle three buckets (LTTB).
///
/// S. Steinarsson, "Downsampling Time Series for Visual Representation", University of Iceland
/// (2013), section 4.2: from each bucket it keeps the point that forms the largest triangle with the
/// previously kept point and the mean of the next bucket.
public enum Downsampling {
    /// The indices of the points to keep, ascending, including the first and the last.
    ///
    /// - Parameter limit: the number of points to keep. A series with no more points is kept whole; a limit
    ///   below 3 keeps only the ends.
    public static func indices(of series: Series, keeping limit: Int) -> [Int] {
        let count = series.count
        guard count > limit, count > 2 else { return Array(series.indices) }
        guard limit > 2 else { return limit == 2 ? [0, count - 1] : limit == 1 ? [0] : [] }
        let start = series.times[0]
        let seconds = series.times.map { Series.seconds(from: start, to: $0) }
        // As in the paper: the first and the last point are buckets of their own.
        let width = Double(count - 2) / Double(limit - 2)
        func bound(_ bucket: Int) -> Int { min(Int(Double(bucket) * width) + 1, count) }
        var indices = [0]
        for bucket in 0..<(limit - 2) {
            let next = bound(bucket + 1)..<max(bound(bucket + 2), bound(bucket + 1) + 1)
            let mean = center(next.clamped(to: 0..<count), seconds, series.values)
            let kept = indices[indices.count - 1]
            var (best, largest) = (bound(bucket), -1.0)
            for index in bound(bucket)..<bound(bucket + 1) {
                let area = abs(
                    (seconds[kept] - mean.x) * (series.values[index] - series.values[kept])
                        - (seconds[kept] - seconds[index]) * (mean.y - series.values[kept]))
                if area > largest { (best, largest) = (index, area) }
            }
            indices.append(best)
        }
        return indices + [count - 1]
    }

    private static func center(
        _ range: Range<Int>, _ x: [Double], _ y: [Double]
    ) -> (x: Double, y: Double) {
        let sum = range.reduce((x: 0.0, y: 0.0)) { ($0.x + x[$1], $0.y + y[$1]) }
        let count = Double(max(1, range.count))
        return (sum.x / count, sum.y / count)
    }
}
