import Samples
import Text

/// Reads the tracks and routes of a GPX file.
///
/// GPX 1.1, Topografix, http://www.topografix.com/GPX/1/1/, and the common part of 1.0. Files are
/// untrusted: ``MarkupReader`` rejects document types and entities. A point without a time gets the previous time plus
/// a second, from 1970 on, so that a file without times can be replayed. The accuracy of a point is
/// read from an `accuracy` in its extensions, as ``GPXWriter`` writes it.
///
/// ```swift
/// let tracks = try GPXReader.tracks(bytes)
/// ```
public struct GPXReader {
    /// Reads all tracks of a file.
    ///
    /// - Throws: ``TrackError`` `.malformed`, `.unsafe`, `.tooLarge`.
    public static func tracks(
        _ bytes: [UInt8], limits: TrackLimits = TrackLimits()
    ) throws(TrackError) -> [Track] {
        var reader = GPXReader(limits: limits)
        var markup = try MarkupReader(bytes, limits: limits)
        while let piece = try markup.next() { try reader.take(piece) }
        return reader.tracks
    }

    private let limits: TrackLimits
    private var tracks: [Track] = []
    /// The names of the open elements.
    private var path: [String] = []
    private var text = ""
    private var point: PointText?
    private var points = 0
    private var segments = 0
    private var lastTime: Timestamp?

    /// A point with the texts of its elements.
    private struct PointText {
        let position: Position
        var values: [String: String] = [:]
    }

    private init(limits: TrackLimits) {
        self.limits = limits
    }

    private mutating func take(_ piece: MarkupReader.Piece) throws(TrackError) {
        switch piece {
        case .open(let name, let attributes): try open(name, attributes)
        case .text(let part):
            guard text.utf8.count + part.utf8.count <= limits.text else {
                throw TrackError(.tooLarge, "A text in the file is too long.")
            }
            text += part
        case .close(let name):
            path.removeLast()
            try close(name)
            text = ""
        }
    }

    private mutating func open(
        _ name: String, _ attributes: [String: String]
    ) throws(TrackError) {
        guard !path.isEmpty || name == "gpx" else {
            throw TrackError(.malformed, "The file is not GPX.")
        }
        path.append(name)
        text = ""
        switch name {
        case "trk" where path.count == 2, "rte" where path.count == 2:
            tracks.append(Track())
            try count()
            if name == "rte" { tracks[tracks.count - 1].segments.append([]) }
        case "trkseg" where path == ["gpx", "trk", "trkseg"]:
            tracks[tracks.count - 1].segments.append([])
            try count()
        case "trkpt" where path == ["gpx", "trk", "trkseg", "trkpt"],
            "rtept" where path == ["gpx", "rte", "rtept"]:
            guard let latitude = attributes["lat"].flatMap({ Double(decimal: $0) }),
                let longitude = attributes["lon"].flatMap({ Double(decimal: $0) }),
                let position = Position(latitude: latitude, longitude: longitude)
            else { throw TrackError(.malformed, "A point of the file has invalid coordinates.") }
            point = PointText(position: position)
        default: break
        }
    }

    private mutating func count() throws(TrackError) {
        segments += 1
        guard segments <= limits.segments else {
            throw TrackError(.tooLarge, "The file has too many tracks or segments.")
        }
    }

    private mutating func close(_ name: String) throws(TrackError) {
        if name == "name" || name == "desc", path == ["gpx", "trk"] || path == ["gpx", "rte"] {
            if name == "name" { tracks[tracks.count - 1].name = text }
            if name == "desc" { tracks[tracks.count - 1].description = text }
        }
        guard point != nil else { return }
        if name == "trkpt" || name == "rtept" {
            try closePoint()
        } else if let index = path.lastIndex(where: { $0 == "trkpt" || $0 == "rtept" }) {
            let within = path[(index + 1)...]
            if within.isEmpty
                || within.allSatisfy({ $0 == "extensions" || $0.hasSuffix("Extension") })
            {
                point?.values[name] = text
            }
        }
    }

    private mutating func closePoint() throws(TrackError) {
        guard let point else { return }
        self.point = nil
        points += 1
        guard points <= limits.points else {
            throw TrackError(.tooLarge, "The file has too many points.")
        }
        func number(_ name: String) -> Double? {
            point.values[name].flatMap { Double(decimal: Self.trimmed($0)) }
        }
        var time = lastTime?.advanced(byMicroseconds: 1_000_000) ?? Timestamp(microseconds: 0)
        if let text = point.values["time"] {
            guard let parsed = Self.time(Self.trimmed(text)) else {
                throw TrackError(.malformed, "A point of the file has an invalid time.")
            }
            time = parsed
        }
        lastTime = time
        let fix = Fix(
            time: time, position: point.position, altitude: number("ele"),
            accuracy: number("accuracy"), speed: number("speed"), heading: number("course"))
        let track = tracks.count - 1
        tracks[track].segments[tracks[track].segments.count - 1].append(
            RoutePoint(
                fix, isPausePoint: point.values["type"].map { Self.trimmed($0) == "via" } ?? false))
    }

    /// `xsd:dateTime`: RFC 3339, or the same without an offset, which is UTC in GPX.
    private static func time(_ text: Substring) -> Timestamp? {
        Timestamp(rfc3339: String(text)) ?? Timestamp(rfc3339: text + "Z")
    }

    private static func trimmed(_ text: String) -> Substring {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
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
