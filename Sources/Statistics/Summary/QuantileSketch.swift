/// Quantiles of any number of finite doubles, each to one per cent, in bounded memory.
///
/// DDSketch (C. Masson, J. E. Rim, H. K. Lee, "DDSketch: A Fast and Fully-Mergeable Quantile Sketch with
/// Relative-Error Guarantees", PVLDB 12, 2019): the numbers are counted in buckets that each span at
/// most a factor of e^0.02, so that every number of a bucket is within one per cent of one of them.
/// What a sketch holds depends on the numbers alone, not on their order or on how sketches were merged.
///
/// Memory: 4 bytes for each bucket of every 16 neighbours that hold a number, so some hundred bytes for
/// few numbers and 1 to 3 kB for those of a sensor. All buckets of all doubles together are less than
/// 750 kB, which nothing exceeds but bytes that claim more than 2³² numbers in many buckets.
public struct QuantileSketch: Hashable, Sendable {
    /// Each order statistic is found within this part of itself.
    ///
    /// Below 10⁻³⁰⁶, where doubles are spaced evenly, within that and half a spacing.
    public static let relativeAccuracy = 0.01

    /// How many finite numbers were inserted.
    public internal(set) var count = 0
    var zeros = 0
    var positives = BucketCounts()
    /// By their distance from zero.
    var negatives = BucketCounts()

    /// A sketch of nothing.
    public init() {}

    /// A sketch of these numbers.
    public init(_ numbers: some Sequence<Double>) {
        for number in numbers { insert(number) }
    }

    /// Counts a number; what is not finite is passed over.
    public mutating func insert(_ number: Double) {
        guard number.isFinite else { return }
        count += 1
        if number == 0 {
            zeros += 1
        } else if number > 0 {
            positives.add(1, to: LogarithmicBucket(of: number))
        } else {
            negatives.add(1, to: LogarithmicBucket(of: -number))
        }
    }

    /// A number as a sketch knows it: within ``relativeAccuracy`` of itself, the same for its whole bucket.
    ///
    /// What is not finite stays as it is.
    public static func rounded(_ number: Double) -> Double {
        guard number.isFinite, number != 0 else { return number }
        let middle = LogarithmicBucket(of: number.magnitude).middle
        return number < 0 ? -middle : middle
    }

    /// Adds what another sketch saw, as if this one had seen it too.
    public mutating func merge(_ other: QuantileSketch) {
        count += other.count
        zeros += other.zeros
        other.positives.forEach { positives.add($1, to: $0) }
        other.negatives.forEach { negatives.add($1, to: $0) }
    }

    /// The number below which this part of the numbers lies.
    ///
    /// Definition 7 of Hyndman and Fan (1996): at the place (count − 1) · fraction among the sorted
    /// numbers, which count from 0, in a straight line between the two order statistics beside it. Each
    /// of the two is within ``relativeAccuracy`` of the exact one, and so is what lies between them when
    /// they have one sign.
    ///
    /// - Parameters:
    ///   - fraction: 0 for the smallest, 0.5 for the median, 1 for the largest; nearest beyond.
    ///   - ends: the smallest and the greatest number, where they are known. They are then given
    ///     exactly, and nothing outside of them.
    /// - Returns: `nil` of nothing, and for a fraction that is not a number.
    public func quantile(_ fraction: Double, within ends: ClosedRange<Double>? = nil) -> Double? {
        guard count > 0, !fraction.isNaN else { return nil }
        let place = min(max(fraction, 0), 1) * Double(count - 1)
        let rank = min(Int(place), count - 1)
        let weight = place - Double(rank)
        let below = value(ofRank: rank, within: ends)
        guard weight > 0, rank + 1 < count else { return below }
        let above = value(ofRank: rank + 1, within: ends)
        let distance = above - below
        guard distance.isFinite else { return below * (1 - weight) + above * weight }
        return weight < 0.5 ? below + distance * weight : above - distance * (1 - weight)
    }

    /// The interval that holds the number of a rank for certain.
    ///
    /// It is the bucket's, wider by 10⁻⁹ of itself at either end, which is more than rounding ever moves
    /// a number between neighbouring buckets.
    ///
    /// - Parameter rank: 0 for the smallest number, less than ``count``; traps otherwise.
    public func bounds(ofRank rank: Int) -> ClosedRange<Double> {
        switch place(ofRank: rank) {
        case .negative(let bucket): -bucket.bounds.upperBound ... -bucket.bounds.lowerBound
        case .zero: 0...0
        case .positive(let bucket): bucket.bounds
        }
    }

    private func value(ofRank rank: Int, within ends: ClosedRange<Double>?) -> Double {
        if let ends, rank == 0 { return ends.lowerBound }
        if let ends, rank == count - 1 { return ends.upperBound }
        let value =
            switch place(ofRank: rank) {
            case .negative(let bucket): -bucket.middle
            case .zero: 0.0
            case .positive(let bucket): bucket.middle
            }
        guard let ends else { return value }
        return min(max(value, ends.lowerBound), ends.upperBound)
    }

    private enum Place {
        case negative(LogarithmicBucket)
        case zero
        case positive(LogarithmicBucket)
    }

    private func place(ofRank rank: Int) -> Place {
        precondition((0..<count).contains(rank), "no number has this rank")
        let negative = count - zeros - positives.total
        if rank < negative, let bucket = negatives.bucket(ofRank: negative - 1 - rank) {
            return .negative(bucket)
        }
        if rank >= negative + zeros, let bucket = positives.bucket(ofRank: rank - negative - zeros)
        {
            return .positive(bucket)
        }
        return .zero
    }
}
