/// Quantiles by linear interpolation between order statistics.
///
/// Definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
/// Statistician 50 (1996): the default of NumPy and R.
enum Quantile {
    /// - Parameters:
    ///   - fraction: 0 for the smallest, 0.5 for the median, 1 for the largest.
    ///   - sorted: in ascending order, without NaN.
    /// - Returns: `nil` of nothing.
    static func of(_ fraction: Double, sorted: [Double]) -> Double? {
        guard let last = sorted.indices.last else { return nil }
        let place = min(max(fraction, 0), 1) * Double(last)
        let lower = Int(place.rounded(.down))
        let upper = min(lower + 1, last)
        let weight = place - Double(lower)
        guard weight > 0 else { return sorted[lower] }
        // The weighted sum cannot overflow where the difference of the two could.
        return sorted[lower] * (1 - weight) + sorted[upper] * weight
    }
}
