import Glibc

/// Lengths on the WGS 84 ellipsoid.
///
/// The inverse solution of T. Vincenty, "Direct and Inverse Solutions of Geodesics on the Ellipsoid
/// with Application of Nested Equations", Survey Review 23 (1975). It does not converge for nearly
/// antipodal positions; their distance is computed after Karney (2013).
///
/// ```swift
/// let metres = Geodesy.distance(from: zurich, to: boulder)
/// ```
public enum Geodesy {
    /// The equatorial radius in metres; NIMA TR8350.2, "Department of Defense World Geodetic
    /// System 1984" (2000), table 3.1.
    public static let equatorialRadius = 6_378_137.0
    /// The flattening, from the same table.
    public static let flattening = 1 / 298.257223563

    static let polarRadius = equatorialRadius * (1 - flattening)

    /// The length of the geodesic between two positions in metres, rounded to a micrometre.
    ///
    /// The error of the series is below half a millimetre. Rounding removes the noise of the
    /// arithmetic, so that lengths compare as expected.
    public static func distance(from start: Position, to end: Position) -> Double {
        let pair = ReducedPair(start, end)
        let metres = iterated(pair) ?? NearAntipodes(pair).distance
        return (metres * 1_000_000).rounded() / 1_000_000
    }

    /// The length in metres of the line through positions.
    public static func length(_ positions: some Sequence<Position>) -> Double {
        var sum = 0.0
        var last: Position?
        for position in positions {
            if let last { sum += distance(from: last, to: position) }
            last = position
        }
        return sum
    }

    /// Vincenty's iteration; `nil` if it does not converge.
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
            // On the equator the term of the middle latitude is zero.
            let middle =
                cosineSquared > 0 ? cosine - 2 * pair.sine1 * pair.sine2 / cosineSquared : 0
            let geodesic = GeodesicArc(
                arc: arc, sine: sine, cosine: cosine, cosineMiddle: middle,
                cosineSquaredAzimuth: cosineSquared)
            let next = pair.longitude + geodesic.lag * sineAzimuth
            // Beyond half a turn the fixed point is a longer geodesic.
            guard abs(next) <= Double.pi else { return nil }
            guard abs(next - lambda) > 1e-13 else { return geodesic.length }
            lambda = next
        }
        return nil
    }
}

/// Two positions by their latitudes on the auxiliary sphere and their difference of longitudes.
///
/// Swapped and mirrored, which does not change the distance, so that the first is farther from the
/// equator and not north of it: C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87
/// (2013), section 3.
struct ReducedPair {
    let sine1: Double
    let cosine1: Double
    let sine2: Double
    let cosine2: Double
    /// 0 to π.
    let longitude: Double

    init(_ start: Position, _ end: Position) {
        var (first, second) = (start.latitude, end.latitude)
        if abs(first) < abs(second) { swap(&first, &second) }
        if first > 0 { (first, second) = (-first, -second) }
        (sine1, cosine1) = Self.reduced(first)
        (sine2, cosine2) = Self.reduced(second)
        var degrees = abs(end.longitude - start.longitude)
        if degrees > 180 { degrees = 360 - degrees }
        longitude = degrees * Double.pi / 180
    }

    /// Sine and cosine of the latitude on the auxiliary sphere.
    private static func reduced(_ degrees: Double) -> (sine: Double, cosine: Double) {
        // The cosine of 90 degrees in binary is not zero, and a pole has one longitude only.
        guard abs(degrees) < 90 else { return (degrees < 0 ? -1 : 1, 0) }
        let radians = degrees * Double.pi / 180
        let (x, y) = (cos(radians), (1 - Geodesy.flattening) * sin(radians))
        let length = (x * x + y * y).squareRoot()
        return (y / length, x / length)
    }
}

/// A geodesic between two positions, on Vincenty's auxiliary sphere.
private struct GeodesicArc {
    /// The angle between the positions: σ, its sine and its cosine.
    let arc: Double
    let sine: Double
    let cosine: Double
    /// The cosine of twice the angle from the equator to the middle: cos 2σₘ.
    let cosineMiddle: Double
    /// The square of the cosine of the azimuth at the equator: cos² α.
    let cosineSquaredAzimuth: Double

    /// The difference between the longitudes on the sphere and on the ellipsoid, divided by sin α.
    var lag: Double {
        let f = Geodesy.flattening
        let squared = cosineSquaredAzimuth
        let c = f / 16 * squared * (4 + f * (4 - 3 * squared))
        let inner = cosineMiddle + c * cosine * (2 * cosineMiddle * cosineMiddle - 1)
        return (1 - c) * f * (arc + c * sine * inner)
    }

    /// In metres.
    var length: Double {
        let (a, b) = (Geodesy.equatorialRadius, Geodesy.polarRadius)
        let u2 = cosineSquaredAzimuth * (a * a - b * b) / (b * b)
        let scale = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
        let amount = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
        let twice = 2 * cosineMiddle * cosineMiddle - 1
        let inner =
            cosine * twice - amount / 6 * cosineMiddle * (4 * sine * sine - 3)
            * (4 * cosineMiddle * cosineMiddle - 3)
        let correction = amount * sine * (cosineMiddle + amount / 4 * inner)
        return b * scale * (arc - correction)
    }
}

/// The geodesic between nearly antipodal positions.
///
/// It must not be used for neighbouring positions on the equator, because only the azimuth due east
/// connects them.
///
/// Among the geodesics from the first position that reach the latitude of the second northward, the
/// difference of longitudes grows with the azimuth at the start, so bisection finds the right one:
/// C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87 (2013), section 4. Lengths
/// and longitudes are Vincenty's series.
struct NearAntipodes {
    /// In metres.
    let distance: Double

    init(_ pair: ReducedPair) {
        // The azimuth is between due north, which ends on the same meridian, and due south, which
        // ends on the opposite one.
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
