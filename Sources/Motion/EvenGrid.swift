import Samples

/// Numbers at moments of their own as the means of cells of equal width, in the order of time.
///
/// Cells that hold none lie on the line between their neighbours. After a longer gap, and when time
/// goes back by a second, everything begins anew.
struct EvenGrid: Hashable, Sendable {
    enum Outcome: Hashable {
        /// The cells that are complete by now; often none.
        case cells([Double])
        /// What came before has nothing to do with what follows.
        case restarted
        /// The number came too late.
        case late
    }

    /// How wide a cell is, in microseconds.
    let width: Int64
    /// The most cells between two that hold numbers.
    private let longestGap: Int64
    private var cell: Int64?
    private var sum = 0.0
    private var count = 0

    /// Of what the present cell holds so far.
    var mean: Double? { count > 0 ? sum / Double(count) : nil }

    init(width: Int64, longestGap: Int64) {
        (self.width, self.longestGap) = (width, longestGap)
    }

    mutating func take(_ number: Double, at time: Timestamp) -> Outcome {
        let next = time.microseconds / width
        guard let cell else {
            begin(next, number)
            return .cells([])
        }
        let (distance, overflow) = next.subtractingReportingOverflow(cell)
        guard !overflow, distance <= longestGap + 1, distance > -1_000_000 / width else {
            begin(next, number)
            return .restarted
        }
        guard distance >= 0 else { return .late }
        guard distance > 0 else {
            sum += number
            count += 1
            return .cells([])
        }
        return .cells(complete(before: distance, next, number))
    }

    private mutating func complete(
        before distance: Int64, _ next: Int64, _ number: Double
    ) -> [Double] {
        let mean = sum / Double(count)
        var cells = [mean]
        for missing in 1..<max(1, distance) {
            cells.append(mean + (number - mean) * Double(missing) / Double(distance))
        }
        begin(next, number)
        return cells
    }

    private mutating func begin(_ cell: Int64, _ number: Double) {
        (self.cell, sum, count) = (cell, number, 1)
    }
}
