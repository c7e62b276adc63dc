import Samples

/// Count, sum, mean and spread of numbers seen one at a time or in bulk.
///
/// Second central moment by Welford's recurrence (B. P. Welford, "Note on a Method for Calculating
/// Corrected Sums of Squares and Products", Technometrics 4, 1962) on the distances from the first
/// number, which keeps digits where the spread is small beside the numbers (Chan, Golub and LeVeque,
/// "Algorithms for Computing the Sample Variance", 1983); merging after the same authors (1979); the
/// sum compensated after Neumaier (1974).
public struct Moments: Hashable, Sendable {
    public internal(set) var count = 0
    public internal(set) var minimum = Double.infinity
    public internal(set) var maximum = -Double.infinity
    /// The first number, from which distances are taken.
    var origin = 0.0
    var meanDistance = 0.0
    var squares = 0.0
    var partialSum = 0.0
    var compensation = 0.0

    /// Merging counts no further, so that no sum of counts overflows.
    static let greatestCount = 1 << 60

    public init() {}

    public init(_ numbers: some Sequence<Double>) {
        for number in numbers { insert(number) }
    }

    public mutating func insert(_ number: Double) {
        if count == 0 { origin = number }
        count += 1
        let distance = number - origin
        let delta = distance - meanDistance
        meanDistance += delta / Double(count)
        squares += delta * (distance - meanDistance)
        minimum = min(minimum, number)
        maximum = max(maximum, number)
        add(number)
    }

    /// Adds what another collector saw, as if this one had seen it too.
    public mutating func merge(_ other: Moments) {
        guard other.count > 0 else { return }
        guard count > 0 else {
            self = other
            return
        }
        let total = Double(count + other.count)
        let delta = (other.origin - origin) + (other.meanDistance - meanDistance)
        squares += other.squares + delta * delta * Double(count) * Double(other.count) / total
        meanDistance += delta * Double(other.count) / total
        count = min(count, Self.greatestCount - other.count) + other.count
        minimum = min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        add(other.partialSum)
        add(other.compensation)
    }

    /// 0 of nothing; infinite beyond the range of a double.
    public var sum: Double { partialSum.isFinite ? partialSum + compensation : partialSum }

    /// The arithmetic mean; `nil` of nothing.
    public var mean: Double? {
        guard count > 0 else { return nil }
        return sum.isFinite ? sum / Double(count) : origin + meanDistance
    }

    /// Mean squared deviation with divisor n−1; `nil` of fewer than two numbers.
    public var sampleVariance: Double? { count > 1 ? squares / Double(count - 1) : nil }

    /// Mean squared deviation with divisor n; `nil` of nothing.
    public var populationVariance: Double? { count > 0 ? squares / Double(count) : nil }

    /// Root of the mean of the squares, from mean² + population variance; `nil` of nothing.
    public var rootMeanSquare: Double? {
        guard let populationVariance, let mean else { return nil }
        return (populationVariance + mean * mean).squareRoot()
    }

    /// Adds to the sum alone.
    mutating func add(_ number: Double) {
        let total = partialSum + number
        compensation +=
            abs(partialSum) >= abs(number)
            ? (partialSum - total) + number : (number - total) + partialSum
        partialSum = total
    }
}
