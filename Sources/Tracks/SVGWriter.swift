import Glibc
import Text

/// Draws a track as a self-contained map, without tiles, scripts or fonts.
///
/// SVG 1.1. The map shows the whole track with a red line of three pixels for each segment, pins at
/// its start and finish, meridians and parallels, and a scale bar. Without points it is empty.
public enum SVGWriter {
    static let width = 800.0
    static let height = 600.0
    private static let margin = 60.0

    /// The text of a file.
    ///
    /// - Parameter record: the route of the track; its length is written under the map.
    public static func text(_ track: Track, of record: RouteRecord? = nil) -> String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="800" height="600" viewBox="0 0 800 600" font-family="sans-serif" font-size="12">"#,
            "<title>\(XMLText(track.name ?? "Route"))</title>",
        ]
        if let text = track.description { lines.append("<desc>\(XMLText(text))</desc>") }
        lines.append(##"<rect width="800" height="600" fill="#f7f5f0"/>"##)
        let segments = track.segments.map { $0.map(\.fix.position) }
        if let map = MapProjection(segments, width: width, height: height, margin: margin) {
            lines += grid(map) + line(map) + pins(map) + [scaleBar(map)]
        } else {
            lines.append(
                ##"<text x="400" y="300" text-anchor="middle" fill="#666">No route</text>"##)
        }
        if let record {
            let metres = DecimalText(record.distance, digits: 0)
            lines.append(
                ##"<text id="distance" x="784" y="584" text-anchor="end" fill="#333">\##(metres) m</text>"##
            )
        }
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    // MARK: - Private

    private static func number(_ value: Double) -> String { "\(DecimalText(value, digits: 2))" }

    private static func line(_ map: MapProjection) -> [String] {
        map.lines.filter { $0.count > 1 }.map { line in
            let points = line.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
            return
                ##"<polyline class="route" points="\##(points)" fill="none" stroke="#e00000" stroke-width="3" stroke-linejoin="round" stroke-linecap="round"/>"##
        }
    }

    private static func pins(_ map: MapProjection) -> [String] {
        guard let start = map.lines.joined().first(where: { _ in true }),
            let finish = map.lines.last(where: { !$0.isEmpty })?.last
        else { return [] }
        return [
            pin("start", "Start", "#1a8f3c", start), pin("finish", "Finish", "#222222", finish),
        ]
    }

    /// A pin whose tip is the position.
    private static func pin(
        _ id: String, _ title: String, _ colour: String, _ point: MapProjection.Point
    ) -> String {
        """
        <g id="\(id)" transform="translate(\(number(point.x)) \(number(point.y)))"><title>\(title)</title>\
        <path d="M0 0C-3 -9 -9 -13 -9 -20A9 9 0 1 1 9 -20C9 -13 3 -9 0 0Z" fill="\(colour)" \
        stroke="#ffffff"/><circle cy="-20" r="3.5" fill="#ffffff"/>\
        <text x="12" y="-18" fill="\(colour)" stroke="#f7f5f0" stroke-width="3" \
        paint-order="stroke">\(title)</text></g>
        """
    }

    /// Meridians and parallels at round degrees.
    private static func grid(_ map: MapProjection) -> [String] {
        let path = { (from: (Double, Double), to: (Double, Double)) in
            ##"<path d="M\##(number(from.0)) \##(number(from.1))L\##(number(to.0)) \##(number(to.1))" stroke="#dcd7cb" fill="none"/>"##
        }
        let span = map.longitudes.upperBound - map.longitudes.lowerBound
        let step = roundNumber(atMost: span / 3)
        let meridians = multiples(of: step, in: map.longitudes).flatMap { degrees in
            let x = map.x(longitude: degrees)
            let shown = degrees - 360 * (degrees / 360).rounded()
            return [
                path((x, 0), (x, height)),
                label(shown, step, ("E", "W"), at: (x + 3, height - 40)),
            ]
        }
        let parallels = multiples(of: step, in: map.latitudes).flatMap { degrees in
            let y = map.y(latitude: degrees)
            return [
                path((0, y), (width, y)), label(degrees, step, ("N", "S"), at: (4, y - 3)),
            ]
        }
        return meridians + parallels
    }

    private static func label(
        _ degrees: Double, _ step: Double, _ names: (String, String), at point: (Double, Double)
    ) -> String {
        // As many digits as distinguish neighbouring lines.
        let digits = max(0, Int((-log10(step)).rounded(.up)))
        let shown = DecimalText(abs(degrees), digits: digits, isPadded: true)
        let side = degrees < 0 ? names.1 : names.0
        return
            ##"<text x="\##(number(point.0))" y="\##(number(point.1))" fill="#8a8578">\##(shown)° \##(side)</text>"##
    }

    private static func scaleBar(_ map: MapProjection) -> String {
        let metres = roundNumber(atMost: map.metresPerPixel * 160)
        let pixels = number(metres / map.metresPerPixel)
        let shown =
            metres < 1000
            ? "\(DecimalText(metres, digits: 0)) m"
            : "\(DecimalText(metres / 1000, digits: 0)) km"
        return
            ##"<g id="scale" transform="translate(16 584)"><path d="M0 -5V0H\##(pixels)V-5" fill="none" stroke="#333"/><text y="-9" fill="#333">\##(shown)</text></g>"##
    }

    /// The largest of 1, 2 and 5 times a power of ten up to a limit.
    private static func roundNumber(atMost limit: Double) -> Double {
        let power = pow(10, log10(limit).rounded(.down))
        return power * ([5.0, 2].first { $0 * power <= limit } ?? 1)
    }

    /// The multiples of a step in a range; none if there are 100 or more.
    private static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
        let first = (range.lowerBound / step).rounded(.up)
        let last = (range.upperBound / step).rounded(.down)
        guard last >= first, last - first < 100 else { return [] }
        return stride(from: first, through: last, by: 1).map { $0 * step }
    }
}

/// A map projection that fits a route.
///
/// The spherical Mercator projection of web maps (EPSG:3857): directions are exact, lengths are
/// exact in the middle of the map. A route that crosses the antimeridian continues beyond it.
private struct MapProjection {
    /// A point of the map, in pixels from its upper left corner.
    struct Point: Hashable {
        var x: Double
        var y: Double
    }

    /// The smallest extent of a map in metres, so that a very short route is not a dot.
    static let leastExtent = 50.0
    /// The projection is infinite at the poles.
    static let latitudeLimit = 85.051_128_78

    /// In pixels.
    let width: Double
    let height: Double
    /// The segments of the route.
    let lines: [[Point]]
    /// Metres per pixel in the middle of the map.
    let metresPerPixel: Double
    /// Degrees from the left to the right edge, beyond 180 if the route crosses the antimeridian,
    /// and from the lower to the upper edge.
    let longitudes: ClosedRange<Double>
    let latitudes: ClosedRange<Double>

    private let scale: Double
    private let left: Double
    private let top: Double

    /// Fits a map to a route.
    ///
    /// - Parameter margin: pixels around the route.
    /// - Returns: `nil` for no positions.
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

    /// The horizontal position of a meridian.
    func x(longitude: Double) -> Double { (radians(longitude) - left) * scale }

    /// The vertical position of a parallel.
    func y(latitude: Double) -> Double { (top - Self.northing(latitude)) * scale }

    /// The longitude, plus whole turns, that is nearest to the previous one.
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
