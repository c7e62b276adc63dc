import Glibc
import Text

/// Draws a track as a map that needs nothing else: no tiles, no scripts, no fonts.
///
/// SVG 1.1. The sheet shows all of the track with a red line of three pixels for each segment, a pin at
/// its start and one at its finish, meridians and parallels, and a bar of a round length. Without
/// points it is an empty sheet.
public enum SVGWriter {
    static let width = 800.0
    static let height = 600.0
    private static let margin = 60.0

    /// - Parameter record: what the track is of; its length is written under the map.
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
            lines += grid(map) + line(map) + pins(map) + [bar(map)]
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

    /// A drop whose tip is the place, with a hole.
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
            let told = degrees - 360 * (degrees / 360).rounded()
            return [
                path((x, 0), (x, height)),
                label(told, step, ("E", "W"), at: (x + 3, height - 40)),
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
        _ degrees: Double, _ step: Double, _ names: (String, String), at place: (Double, Double)
    ) -> String {
        // As many digits as tell one line from the next.
        let digits = max(0, Int((-log10(step)).rounded(.up)))
        let told = DecimalText(abs(degrees), digits: digits, isPadded: true)
        let side = degrees < 0 ? names.1 : names.0
        return
            ##"<text x="\##(number(place.0))" y="\##(number(place.1))" fill="#8a8578">\##(told)° \##(side)</text>"##
    }

    private static func bar(_ map: MapProjection) -> String {
        let metres = roundNumber(atMost: map.metresPerPixel * 160)
        let pixels = number(metres / map.metresPerPixel)
        let told =
            metres < 1000
            ? "\(DecimalText(metres, digits: 0)) m"
            : "\(DecimalText(metres / 1000, digits: 0)) km"
        return
            ##"<g id="scale" transform="translate(16 584)"><path d="M0 -5V0H\##(pixels)V-5" fill="none" stroke="#333"/><text y="-9" fill="#333">\##(told)</text></g>"##
    }

    /// The largest of 1, 2 and 5 times a power of ten that is not above a number.
    private static func roundNumber(atMost limit: Double) -> Double {
        let power = pow(10, log10(limit).rounded(.down))
        return power * ([5.0, 2].first { $0 * power <= limit } ?? 1)
    }

    /// At most as many as a map can hold.
    private static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
        let first = (range.lowerBound / step).rounded(.up)
        let last = (range.upperBound / step).rounded(.down)
        guard last >= first, last - first < 100 else { return [] }
        return stride(from: first, through: last, by: 1).map { $0 * step }
    }
}
