import Samples

/// Streaming variance and covariance of pairs of numbers.
///
/// Welford's recurrence for the co-moment, merged after Chan, Golub and LeVeque (1979) as in
/// E. Schubert and M. Gertz, "Numerically Stable Parallel Computation of (Co-)Variance", SSDBM
/// 2018; computed on the differences from the first pair, as in ``Moments``.
///
/// ```swift
/// Comoments([1, 2, 3], [2, 4, 6]).correlation  // 1.0
/// ```
public struct Comoments: Hashable, Sendable {
    /// The number of pairs.
    public private(set) var count = 0
    private var originX = 0.0
    private var originY = 0.0
    private var meanDistanceX = 0.0
    private var meanDistanceY = 0.0
    /// Σ(x − x̄)².
    private(set) var squaresX = 0.0
    /// Σ(y − ȳ)².
    private(set) var squaresY = 0.0
    /// Σ(x − x̄)(y − ȳ).
    private(set) var products = 0.0

    /// No pairs yet.
    public init() {}

    /// Pairs numbers by index, up to the length of the shorter array.
    public init(_ x: [Double], _ y: [Double]) {
        for (x, y) in zip(x, y) { insert(x, y) }
    }

    /// Adds a pair.
    public mutating func insert(_ x: Double, _ y: Double) {
        if count == 0 { (originX, originY) = (x, y) }
        count += 1
        let (distanceX, distanceY) = (x - originX, y - originY)
        let (deltaX, deltaY) = (distanceX - meanDistanceX, distanceY - meanDistanceY)
        meanDistanceX += deltaX / Double(count)
        meanDistanceY += deltaY / Double(count)
        squaresX += deltaX * (distanceX - meanDistanceX)
        squaresY += deltaY * (distanceY - meanDistanceY)
        products += deltaX * (distanceY - meanDistanceY)
    }

    /// Adds the pairs of another `Comoments`.
    public mutating func merge(_ other: Comoments) {
        guard other.count > 0 else { return }
        guard count > 0 else {
            self = other
            return
        }
        let total = Double(count + other.count)
        let share = Double(other.count) / total
        let weight = Double(count) * share
        let deltaX = (other.originX - originX) + (other.meanDistanceX - meanDistanceX)
        let deltaY = (other.originY - originY) + (other.meanDistanceY - meanDistanceY)
        squaresX += other.squaresX + deltaX * deltaX * weight
        squaresY += other.squaresY + deltaY * deltaY * weight
        products += other.products + deltaX * deltaY * weight
        meanDistanceX += deltaX * share
        meanDistanceY += deltaY * share
        count += other.count
    }

    /// The mean of the x values; `nil` without pairs.
    public var meanX: Double? { count > 0 ? (originX + meanDistanceX).finite : nil }
    /// The mean of the y values; `nil` without pairs.
    public var meanY: Double? { count > 0 ? (originY + meanDistanceY).finite : nil }

    /// The covariance with divisor n − 1; `nil` for fewer than two pairs.
    public var sampleCovariance: Double? {
        count > 1 ? (products / Double(count - 1)).finite : nil
    }

    /// The covariance with divisor n; `nil` without pairs.
    public var populationCovariance: Double? { count > 0 ? (products / Double(count)).finite : nil }

    /// Pearson's product-moment correlation, −1 to 1; `nil` when one side is constant.
    public var correlation: Double? {
        // The product of the sums of squares could overflow; that of their roots does not.
        let scale = squaresX.squareRoot() * squaresY.squareRoot()
        guard count > 1, scale > 0, let ratio = (products / scale).finite else { return nil }
        return min(max(ratio, -1), 1)
    }
}

/// The least-squares line through a time series.
///
/// Simple linear regression as in N. R. Draper and H. Smith, "Applied Regression Analysis"
/// (1998), chapter 1.
public struct LinearTrend: Hashable, Sendable {
    /// The slope, in units per second.
    public let slope: Double
    /// The line's value at the time of the first value, in the unit of the values.
    public let intercept: Double
    /// The coefficient of determination R², 0 to 1; `nil` for constant values.
    public let rSquared: Double?
    /// The standard error of the slope, in units per second; `nil` for fewer than three values.
    public let standardError: Double?

    /// Fits a line.
    ///
    /// - Returns: `nil` without two different times, or when a result is not finite.
    public init?(_ series: Series) {
        guard let start = series.times.first else { return nil }
        let seconds = series.times.map { Series.seconds(from: start, to: $0) }
        self.init(seconds, series.values)
    }

    /// Fits a line through pairs of numbers.
    ///
    /// - Parameter x: in seconds; ``intercept`` is then the line's value at 0.
    public init?(_ x: [Double], _ y: [Double]) {
        let moments = Comoments(x, y)
        guard moments.squaresX > 0, let meanX = moments.meanX, let meanY = moments.meanY,
            let slope = (moments.products / moments.squaresX).finite,
            let intercept = (meanY - slope * meanX).finite
        else { return nil }
        self.slope = slope
        self.intercept = intercept
        // Computed from the residuals: 1 − r² would lose its digits to cancellation when the fit is
        // close.
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
