import Samples

/// The straight line that fits numbers over time best, by least squares.
///
/// Simple linear regression as in N. R. Draper and H. Smith, "Applied Regression Analysis"
/// (1998), chapter 1.
public struct LinearTrend: Hashable, Sendable {
    /// Per second.
    public let slope: Double
    /// The line's value at the time of the first number.
    public let intercept: Double
    /// The share of the variance that the line explains, 0 to 1; `nil` where nothing varies.
    public let rSquared: Double?
    /// Of the slope, per second; `nil` of fewer than three numbers.
    public let standardError: Double?

    /// - Returns: `nil` when there are not two different times, or a result is not finite.
    public init?(_ series: Series) {
        guard let start = series.times.first else { return nil }
        let seconds = series.times.map { Series.seconds(from: start, to: $0) }
        self.init(seconds, series.values)
    }

    /// - Parameter x: seconds; the intercept is the line's value at 0.
    public init?(_ x: [Double], _ y: [Double]) {
        let moments = Comoments(x, y)
        guard moments.squaresX > 0, let meanX = moments.meanX, let meanY = moments.meanY,
            let slope = (moments.products / moments.squaresX).finite,
            let intercept = (meanY - slope * meanX).finite
        else { return nil }
        self.slope = slope
        self.intercept = intercept
        // From the residuals themselves: 1 − r² has no digits left where the fit is close.
        var residuals = Moments()
        for (x, y) in zip(x, y) { residuals.insert((y - meanY) - slope * (x - meanX)) }
        let unexplained = (residuals.populationVariance ?? 0) * Double(moments.count)
        let explained = moments.squaresY > 0 ? 1 - unexplained / moments.squaresY : nil
        rSquared = explained?.finite.map { min(max($0, 0), 1) }
        standardError =
            moments.count > 2
            ? (unexplained / Double(moments.count - 2) / moments.squaresX).squareRoot().finite : nil
    }
}
