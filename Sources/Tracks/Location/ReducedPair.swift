import Glibc

/// Two places by their latitudes on the auxiliary sphere and their difference of longitudes.
///
/// Turned and mirrored so that the first is the farther from the equator and south of it or on it,
/// which changes no distance: C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87
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
