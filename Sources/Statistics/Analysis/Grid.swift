/// Cells of equal width on the line of time, in microseconds.
public struct Grid: Hashable, Sendable {
    /// At least 1.
    public let step: Int64
    /// Where some cell begins, in `0..<step`.
    public let phase: Int64

    /// - Parameters:
    ///   - origin: a moment at which a cell begins.
    ///   - step: taken as 1 when it is less.
    public init(origin: Int64, step: Int64) {
        self.step = max(1, step)
        phase = Self.floored(origin, self.step).rest
    }

    /// The number of the cell that a moment lies in.
    public func cell(of time: Int64) -> Int64 {
        let (quotient, rest) = Self.floored(time, step)
        return rest < phase ? quotient - 1 : quotient
    }

    /// When a cell begins; held at the ends of the line.
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
