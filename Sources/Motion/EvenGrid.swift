import Samples

/// Resamples irregular measurements of three axes to an even grid: each cell is the mean of its
/// measurements.
///
/// Empty cells are interpolated linearly. The grid restarts after a longer gap, and when time goes
/// back by a second or more.
struct EvenGrid: Hashable, Sendable {
    enum Outcome: Hashable {
        /// The cells that are complete now; often none.
        case cells([SIMD3<Double>])
        /// The grid restarted; earlier cells are not continued.
        case restarted
        /// The measurement was older than the current cell.
        case late
    }

    /// The width of a cell in microseconds.
    let width: Int64
    /// The maximum number of consecutive empty cells.
    private let longestGap: Int64
    private var cell: Int64?
    private var sum = SIMD3<Double>.zero
    private var count = 0.0

    /// The mean of the current cell so far.
    var mean: SIMD3<Double>? { count > 0 ? sum / count : nil }

    init(width: Int64, longestGap: Int64) {
        (self.width, self.longestGap) = (width, longestGap)
    }

    mutating func take(_ vector: SIMD3<Double>, at time: Timestamp) -> Outcome {
        let next = time.microseconds / width
        guard let cell else {
            begin(next, vector)
            return .cells([])
        }
        let (distance, overflow) = next.subtractingReportingOverflow(cell)
        guard !overflow, distance <= longestGap + 1, distance > -1_000_000 / width else {
            begin(next, vector)
            return .restarted
        }
        guard distance >= 0 else { return .late }
        guard distance > 0 else {
            sum += vector
            count += 1
            return .cells([])
        }
        return .cells(complete(before: distance, next, vector))
    }

    private mutating func complete(
        before distance: Int64, _ next: Int64, _ vector: SIMD3<Double>
    ) -> [SIMD3<Double>] {
        let mean = sum / count
        var cells = [mean]
        for missing in 1..<max(1, distance) {
            cells.append(mean + (vector - mean) * (Double(missing) / Double(distance)))
        }
        begin(next, vector)
        return cells
    }

    private mutating func begin(_ cell: Int64, _ vector: SIMD3<Double>) {
        (self.cell, sum, count) = (cell, vector, 1)
    }
}

/// Measures a sensor's rate: the median interval of its last samples.
struct SampleRate: Hashable, Sendable {
    private static let count = 32

    /// Samples per second; `nil` before there are enough.
    private(set) var perSecond: Double?
    private var last: Timestamp?
    private var intervals: [Int64] = []

    /// - Returns: whether the rate has changed by more than a tenth.
    mutating func take(_ time: Timestamp) -> Bool {
        defer { last = time }
        guard let last, time > last else { return false }
        intervals.append(time.microseconds - last.microseconds)
        guard intervals.count == Self.count else { return false }
        let median = intervals.sorted()[Self.count / 2]
        intervals.removeAll(keepingCapacity: true)
        let rate = 1_000_000 / Double(median)
        if let perSecond, abs(rate - perSecond) <= perSecond / 10 { return false }
        perSecond = rate
        return true
    }
}
