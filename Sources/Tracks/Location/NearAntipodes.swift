import Glibc

/// The shortest way between places that lie almost opposite each other.
///
/// Not for places on the equator that are near each other: every azimuth but due east leads away.
///
/// Among the geodesics from the first place that come to the second's latitude northward, the
/// difference of longitudes grows with the azimuth at the start, so halving an interval finds the one
/// that is wanted: C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), section
/// 4. Lengths and longitudes are Vincenty's series.
struct NearAntipodes {
    /// In metres.
    let distance: Double

    init(_ pair: ReducedPair) {
        // From due north, which ends on the same meridian, to due south, which ends on the opposite.
        var (low, high) = (0.0, Double.pi)
        var best = Self.arc(pair, azimuth: high)
        for _ in 0..<80 {
            let middle = (low + high) / 2
            best = Self.arc(pair, azimuth: middle)
            if best.longitude < pair.longitude { low = middle } else { high = middle }
        }
        distance = best.arc.length
    }

    private static func arc(
        _ pair: ReducedPair, azimuth: Double
    ) -> (arc: GeodesicArc, longitude: Double) {
        let sineAzimuth = sin(azimuth) * pair.cosine1
        let cosine1 = cos(azimuth) * pair.cosine1
        // Clairaut's relation; the difference of squares without losing digits.
        let rest = (pair.sine1 - pair.sine2) * (pair.sine1 + pair.sine2)
        let cosine2 = max(0, cosine1 * cosine1 + rest).squareRoot()
        // The point on the sphere: angle from the equator, and longitude from there.
        let sigma1 = (sine: pair.sine1, cosine: cosine1)
        let sigma2 = (sine: pair.sine2, cosine: cosine2)
        let omega1 = (sine: sineAzimuth * pair.sine1, cosine: cosine1)
        let omega2 = (sine: sineAzimuth * pair.sine2, cosine: cosine2)
        let (sine, cosine) = normalized(difference(sigma2, sigma1))
        let turn = difference(omega2, omega1)
        let squared = max(0, 1 - sineAzimuth * sineAzimuth)
        let sum = normalized(
            (
                sine: sigma1.sine * sigma2.cosine + sigma1.cosine * sigma2.sine,
                cosine: sigma1.cosine * sigma2.cosine - sigma1.sine * sigma2.sine
            ))
        let found = GeodesicArc(
            arc: atan2(sine, cosine), sine: sine, cosine: cosine, cosineMiddle: sum.cosine,
            cosineSquaredAzimuth: squared)
        let longitude = atan2(turn.sine, turn.cosine) - found.lag * sineAzimuth
        return (found, longitude)
    }

    /// The angle from one direction to another, 0 to π.
    private static func difference(
        _ end: (sine: Double, cosine: Double), _ start: (sine: Double, cosine: Double)
    ) -> (sine: Double, cosine: Double) {
        (
            // Minus zero would turn half a circle the other way.
            max(0, end.sine * start.cosine - end.cosine * start.sine) + 0,
            end.cosine * start.cosine + end.sine * start.sine
        )
    }

    private static func normalized(
        _ direction: (sine: Double, cosine: Double)
    ) -> (sine: Double, cosine: Double) {
        let length = (direction.sine * direction.sine + direction.cosine * direction.cosine)
            .squareRoot()
        guard length > 0 else { return (0, 1) }
        return (direction.sine / length, direction.cosine / length)
    }
}
