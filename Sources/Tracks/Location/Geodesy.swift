import Glibc

/// Lengths on the WGS 84 ellipsoid.
///
/// The inverse solution of T. Vincenty, "Direct and Inverse Solutions of Geodesics on the Ellipsoid
/// with Application of Nested Equations", Survey Review 23 (1975). It does not converge for places
/// that lie almost opposite each other; those are solved by ``NearAntipodes``.
public enum Geodesy {
    /// The radius of the equator in metres; NIMA TR8350.2, "Department of Defense World Geodetic
    /// System 1984" (2000), table 3.1.
    public static let equatorialRadius = 6_378_137.0
    /// From the same table.
    public static let flattening = 1 / 298.257223563

    static let polarRadius = equatorialRadius * (1 - flattening)

    /// Metres along the shortest way over the ellipsoid, to the nearest micrometre.
    ///
    /// The series leave off less than half a millimetre. What is finer than a micrometre is noise of
    /// the arithmetic, and is rounded away, so that ten metres compare as ten metres.
    public static func distance(from start: Position, to end: Position) -> Double {
        let pair = ReducedPair(start, end)
        let metres = iterated(pair) ?? NearAntipodes(pair).distance
        return (metres * 1_000_000).rounded() / 1_000_000
    }

    /// The metres along all places, each to the next.
    public static func length(_ places: some Sequence<Position>) -> Double {
        var sum = 0.0
        var last: Position?
        for place in places {
            if let last { sum += distance(from: last, to: place) }
            last = place
        }
        return sum
    }

    /// Vincenty's fixed point; `nil` where it is not reached.
    private static func iterated(_ pair: ReducedPair) -> Double? {
        var lambda = pair.longitude
        for _ in 0..<24 {
            let along = pair.cosine2 * sin(lambda)
            let across = pair.cosine1 * pair.sine2 - pair.sine1 * pair.cosine2 * cos(lambda)
            let sine = (along * along + across * across).squareRoot()
            let cosine = pair.sine1 * pair.sine2 + pair.cosine1 * pair.cosine2 * cos(lambda)
            guard sine > 0 else { return cosine > 0 ? 0 : nil }
            let arc = atan2(sine, cosine)
            let sineAzimuth = pair.cosine1 * pair.cosine2 * sin(lambda) / sine
            let cosineSquared = max(0, 1 - sineAzimuth * sineAzimuth)
            // On the equator there is no middle latitude.
            let middle =
                cosineSquared > 0 ? cosine - 2 * pair.sine1 * pair.sine2 / cosineSquared : 0
            let geodesic = GeodesicArc(
                arc: arc, sine: sine, cosine: cosine, cosineMiddle: middle,
                cosineSquaredAzimuth: cosineSquared)
            let next = pair.longitude + geodesic.lag * sineAzimuth
            // Beyond half a turn the fixed point is another, longer way.
            guard abs(next) <= Double.pi else { return nil }
            guard abs(next - lambda) > 1e-13 else { return geodesic.length }
            lambda = next
        }
        return nil
    }
}
