import Samples
import Text

/// Reads the tracks and routes of a GPX file.
///
/// GPX 1.1, Topografix, http://www.topografix.com/GPX/1/1/, and the common part of 1.0. The accuracy of a
/// point is read from an `accuracy` in its extensions, as ``GPXWriter`` writes it, and its speed also from
/// Garmin's `TrackPointExtension`.
struct GPXReader: MarkupTrackReader {
    /// The attributes and texts of the current point.
    private var point: (position: Position?, values: [String: String])?

    mutating func open(
        _ path: [String], _ attributes: [String: String], _ builder: inout TrackBuilder
    ) throws(TrackError) {
        switch path.last {
        case "trk" where path.count == 2: try builder.beginTrack()
        case "rte" where path.count == 2:
            try builder.beginTrack(isPlanned: true)
            try builder.beginSegment()
        case "wpt" where path.count == 2: builder.waypoints += 1
        case "trkseg" where path == ["gpx", "trk", "trkseg"]: try builder.beginSegment()
        case "trkpt" where path == ["gpx", "trk", "trkseg", "trkpt"],
            "rtept" where path == ["gpx", "rte", "rtept"]:
            point = (
                Position(latitude: attributes["lat"], longitude: attributes["lon"]), [:]
            )
        default: break
        }
    }

    mutating func close(
        _ path: [String], _ text: String, _ builder: inout TrackBuilder
    ) throws(TrackError) {
        let name = path.last ?? ""
        guard point == nil else {
            if name == "trkpt" || name == "rtept" {
                try closePoint(&builder)
            } else if let index = path.lastIndex(where: { $0 == "trkpt" || $0 == "rtept" }),
                path[(index + 1)...].dropLast().allSatisfy({
                    $0 == "extensions" || $0.hasSuffix("Extension")
                })
            {
                point?.values[name] = text
            }
            return
        }
        let parent = path.dropLast()
        if parent == ["gpx", "trk"] || parent == ["gpx", "rte"] {
            if name == "name" { builder.name(text) }
            if name == "desc" { builder.describe(text) }
        }
    }

    private mutating func closePoint(_ builder: inout TrackBuilder) throws(TrackError) {
        guard let (position, values) = point else { return }
        point = nil
        builder.omit(Set(Self.otherValues.compactMap { values[$0.key] == nil ? nil : $0.value }))
        guard let position else { return try builder.add(nil) }
        func number(_ name: String) -> Double? { values[name].flatMap { Double(inFile: $0) } }
        try builder.add(
            TrackBuilder.Point(
                time: values["time"].flatMap { Timestamp(inFile: $0) }, position: position,
                altitude: number("ele"), accuracy: number("accuracy"), speed: number("speed"),
                heading: number("course"),
                isPausePoint: values["type"].map { $0.trimmed == "via" } ?? false))
    }

    /// Elements of extensions that are in use, of Garmin and others.
    private static let otherValues = [
        "hr": "heart rate", "heartrate": "heart rate", "cad": "cadence", "cadence": "cadence",
        "atemp": "temperature", "temp": "temperature", "power": "power",
        "PowerInWatts": "power",
    ]
}

/// Writes a track as GPX 1.1.
///
/// Source: http://www.topografix.com/GPX/1/1/gpx.xsd, which also defines the order of elements. Degrees
/// have seven decimals, about a centimetre. A point at which the route was paused has the type `via`.
/// The accuracy is an extension, as GPX has none.
public enum GPXWriter {
    /// The namespace of the extensions.
    static let namespace = "urn:nervous:gpx:1"

    /// The text of a file.
    ///
    /// - Parameter record: the route of the track; its length and warnings are written as extensions.
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
        if point.isPausePoint { line += "<type>via</type>" }
        let extras = [("accuracy", fix.accuracy), ("speed", fix.speed), ("course", fix.heading)]
            .compactMap { name, number in
                number.map { "<n:\(name)>\(DecimalText($0, digits: 3))</n:\(name)>" }
            }
        if !extras.isEmpty { line += "<extensions>\(extras.joined())</extensions>" }
        return line + "</trkpt>"
    }
}
