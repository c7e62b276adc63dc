import Samples

/// Quantiles by linear interpolation between order statistics.
///
/// Definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
/// Statistician 50 (1996): the default of NumPy and R.
public struct Quantile {
    /// The places, from 0, of the sorted numbers that it lies between; the same twice where it is
    /// one of them.
    public let lower: Int
    public let upper: Int
    private let weight: Double

    /// - Parameters:
    ///   - fraction: 0 for the smallest, 0.5 for the median, 1 for the largest.
    ///   - count: of how many numbers.
    /// - Returns: `nil` of nothing, and for a fraction that is not a number.
    public init?(_ fraction: Double, of count: Int) {
        guard count > 0, !fraction.isNaN else { return nil }
        let place = min(max(fraction, 0), 1) * Double(count - 1)
        lower = Int(place.rounded(.down))
        weight = place - Double(lower)
        upper = weight > 0 ? min(lower + 1, count - 1) : lower
    }

    /// The quantile of numbers in ascending order, without NaN; `nil` of nothing.
    public static func of(_ fraction: Double, sorted: [Double]) -> Double? {
        Quantile(fraction, of: sorted.count).map { $0.value(sorted[$0.lower], sorted[$0.upper]) }
    }

    /// The quantile, from the numbers at the two places.
    public func value(_ below: Double, _ above: Double) -> Double {
        guard weight > 0 else { return below }
        let distance = above - below
        // From the nearer end, so that equal neighbours give exactly their value.
        guard !distance.isFinite else {
            return weight < 0.5 ? below + distance * weight : above - distance * (1 - weight)
        }
        return below * (1 - weight) + above * weight
    }
}
