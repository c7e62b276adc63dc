/// Spread and common spread of pairs of numbers seen one at a time.
///
/// Welford's recurrence for the co-moment, merged after Chan, Golub and LeVeque (1979) as in
/// E. Schubert and M. Gertz, "Numerically Stable Parallel Computation of (Co-)Variance", SSDBM
/// 2018; on the distances from the first pair, as in `Moments`.
public struct Comoments: Hashable, Sendable {
    public private(set) var count = 0
    private var originX = 0.0
    private var originY = 0.0
    private var meanDistanceX = 0.0
    private var meanDistanceY = 0.0
    /// The sum of (x − mean)².
    public private(set) var squaresX = 0.0
    public private(set) var squaresY = 0.0
    /// The sum of (x − mean)(y − mean).
    public private(set) var products = 0.0

    public init() {}

    /// Pairs of the numbers at equal places, as many as the shorter has.
    public init(_ x: [Double], _ y: [Double]) {
        for (x, y) in zip(x, y) { insert(x, y) }
    }

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

    /// Adds what another collector saw, as if this one had seen it too.
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

    public var meanX: Double? { count > 0 ? (originX + meanDistanceX).finite : nil }
    public var meanY: Double? { count > 0 ? (originY + meanDistanceY).finite : nil }

    /// Covariance with divisor n−1; `nil` of fewer than two pairs.
    public var sampleCovariance: Double? {
        count > 1 ? (products / Double(count - 1)).finite : nil
    }

    /// Covariance with divisor n; `nil` of nothing.
    public var populationCovariance: Double? { count > 0 ? (products / Double(count)).finite : nil }

    /// Pearson's product-moment correlation, −1 to 1; `nil` where one side does not vary.
    public var correlation: Double? {
        // Roots before the product, which could leave the doubles.
        let scale = squaresX.squareRoot() * squaresY.squareRoot()
        guard count > 1, scale > 0, let ratio = (products / scale).finite else { return nil }
        return min(max(ratio, -1), 1)
    }
}
