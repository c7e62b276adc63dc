import Text

/// Writes a track as GPX 1.1.
///
/// Source: http://www.topografix.com/GPX/1/1/gpx.xsd, which also orders the elements. Degrees have
/// seven decimals, about a centimetre. A point at which the route was paused has the type `via`; the
/// accuracy stands in the extensions, since GPX knows none.
public enum GPXWriter {
    /// The namespace of what GPX does not know.
    static let namespace = "urn:nervous:gpx:1"

    /// - Parameter record: what the track is of; its length, where that comes from, and what to warn
    ///   of stand in the extensions.
    public static func text(_ track: Track, of record: RouteRecord? = nil) -> String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<gpx version="1.1" creator="Nervous" xmlns="http://www.topografix.com/GPX/1/1" xmlns:n="\#(namespace)">"#,
            "<trk>",
        ]
        if let name = track.name { lines.append("<name>\(XMLText(name))</name>") }
        if let text = track.description { lines.append("<desc>\(XMLText(text))</desc>") }
        if let record { lines.append("<extensions>\(extensions(record))</extensions>") }
        for segment in track.segments where !segment.isEmpty {
            lines.append("<trkseg>")
            lines += segment.map(line)
            lines.append("</trkseg>")
        }
        return lines.joined(separator: "\n") + "\n</trk>\n</gpx>\n"
    }

    private static func extensions(_ record: RouteRecord) -> String {
        let warnings = RouteRecord.Warning.allCases.filter(record.warnings.contains)
        return "<n:distance>\(DecimalText(record.distance, digits: 3))</n:distance>"
            + "<n:distanceSource>\(record.source.rawValue)</n:distanceSource>"
            + warnings.map { "<n:warning>\($0.rawValue)</n:warning>" }.joined()
    }

    private static func line(_ point: RoutePoint) -> String {
        let fix = point.fix
        let latitude = DecimalText(fix.position.latitude, digits: 7)
        let longitude = DecimalText(fix.position.longitude, digits: 7)
        var line = #"<trkpt lat="\#(latitude)" lon="\#(longitude)">"#
        if let altitude = fix.altitude { line += "<ele>\(DecimalText(altitude, digits: 3))</ele>" }
        line += "<time>\(fix.time)</time>"
        if point.isVia { line += "<type>via</type>" }
        let extras = [("accuracy", fix.accuracy), ("speed", fix.speed), ("course", fix.heading)]
            .compactMap { name, number in
                number.map { "<n:\(name)>\(DecimalText($0, digits: 3))</n:\(name)>" }
            }
        if !extras.isEmpty { line += "<extensions>\(extras.joined())</extensions>" }
        return line + "</trkpt>"
    }
}
