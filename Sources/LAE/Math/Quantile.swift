/// Quantiles by linear interpolation between order statistics.
///
/// Definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
/// Statistician 50 (1996): the default of NumPy and R.
enum Quantile {
    /// - Parameters:
    ///   - fraction: 0 for the smallest, 0.5 for the median, 1 for the largest.
    ///   - sorted: in ascending order, without NaN.
    /// - Returns: `nil` of nothing, and for a fraction that is not a number.
    static func of(_ fraction: Double, sorted: [Double]) -> Double? {
        guard let last = sorted.indices.last, !fraction.isNaN else { return nil }
        let place = min(max(fraction, 0), 1) * Double(last)
        let lower = Int(place.rounded(.down))
        let upper = min(lower + 1, last)
        let weight = place - Double(lower)
        guard weight > 0 else { return sorted[lower] }
        let (below, above) = (sorted[lower], sorted[upper])
        let distance = above - below
        // From the nearer end, so that equal neighbours give exactly their value.
        guard !distance.isFinite else {
            return weight < 0.5 ? below + distance * weight : above - distance * (1 - weight)
        }
        return below * (1 - weight) + above * weight
    }
}
