/// How far numbers stand from the rest, measured so that they themselves hardly count.
///
/// The modified z-score 0.6745·(x − median)/MAD, where MAD is the median of the distances to the
/// median: B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers", ASQC (1993), who take
/// scores beyond 3.5 for outliers.
public struct AnomalyScore: Hashable, Sendable {
    public static let usualThreshold = 3.5
    private static let scale = 0.6745

    public let median: Double
    /// The median of the absolute distances to the median.
    public let deviation: Double

    /// - Returns: `nil` of nothing.
    public init?(_ numbers: [Double]) {
        guard let median = Quantile.of(0.5, sorted: numbers.sorted())?.finite else { return nil }
        let distances = numbers.map { abs($0 - median) }.sorted()
        guard let deviation = Quantile.of(0.5, sorted: distances)?.finite else { return nil }
        self.median = median
        self.deviation = deviation
    }

    /// The score of a number; `nil` where more than half of the numbers are the same, since there is
    /// then no measure of what is usual.
    public func score(_ number: Double) -> Double? {
        deviation > 0 ? (Self.scale * (number - median) / deviation).finite : nil
    }
}
