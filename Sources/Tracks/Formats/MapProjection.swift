import Glibc

/// Places on the sheet of a map that shows all of a route.
///
/// The spherical Mercator projection of web maps (EPSG:3857): directions are true, and lengths are
/// true at the middle of the sheet. A route that crosses the antimeridian goes on beyond it.
struct MapProjection {
    /// A place on the sheet, in pixels from its upper left corner.
    struct Point: Hashable {
        var x: Double
        var y: Double
    }

    /// The least that a map shows, in metres, so that a walk around a table is no dot.
    static let leastExtent = 50.0
    /// Beyond it the projection has no end.
    static let latitudeLimit = 85.051_128_78

    /// In pixels.
    let width: Double
    let height: Double
    /// The segments of the route.
    let lines: [[Point]]
    /// Metres that a pixel shows at the middle of the sheet.
    let metresPerPixel: Double
    /// Degrees from the left to the right edge, beyond 180 where the route crosses the antimeridian,
    /// and from the lower to the upper one.
    let longitudes: ClosedRange<Double>
    let latitudes: ClosedRange<Double>

    private let scale: Double
    private let left: Double
    private let top: Double

    /// Zooms to the route.
    ///
    /// - Parameter margin: pixels around it.
    /// - Returns: `nil` where there is no place to show.
    init?(_ segments: [[Position]], width: Double, height: Double, margin: Double) {
        var last: Double?
        let unrolled = segments.map { segment in
            segment.map { position in
                let longitude = Self.unrolled(position.longitude, after: last)
                last = longitude
                return Point(x: radians(longitude), y: Self.northing(position.latitude))
            }
        }
        let points = unrolled.joined()
        guard let west = points.map(\.x).min(), let east = points.map(\.x).max(),
            let south = points.map(\.y).min(), let north = points.map(\.y).max()
        else { return nil }
        let middle = Point(x: (west + east) / 2, y: (south + north) / 2)
        let cosine = cos(Self.latitude(middle.y))
        let least = Self.leastExtent / (Geodesy.equatorialRadius * cosine)
        scale = min(
            (width - 2 * margin) / max(east - west, least),
            (height - 2 * margin) / max(north - south, least))
        left = middle.x - width / 2 / scale
        top = middle.y + height / 2 / scale
        metresPerPixel = Geodesy.equatorialRadius * cosine / scale
        (self.width, self.height) = (width, height)
        longitudes = degrees(left)...degrees(left + width / scale)
        latitudes =
            degrees(Self.latitude(top - height / scale))...degrees(Self.latitude(top))
        let (scale, left, top) = (scale, left, top)
        lines = unrolled.map { line in
            line.map { Point(x: ($0.x - left) * scale, y: (top - $0.y) * scale) }
        }
    }

    /// Where a meridian stands.
    func x(longitude: Double) -> Double { (radians(longitude) - left) * scale }

    /// Where a parallel stands.
    func y(latitude: Double) -> Double { (top - Self.northing(latitude)) * scale }

    /// The turn of a longitude that is nearest to the one before.
    private static func unrolled(_ longitude: Double, after last: Double?) -> Double {
        guard let last else { return longitude }
        return longitude + 360 * ((last - longitude) / 360).rounded()
    }

    private static func northing(_ latitude: Double) -> Double {
        let held = min(max(latitude, -latitudeLimit), latitudeLimit)
        return asinh(tan(radians(held)))
    }

    private static func latitude(_ northing: Double) -> Double { atan(sinh(northing)) }
}

private func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
private func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
