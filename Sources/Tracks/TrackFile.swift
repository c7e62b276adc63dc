public import Samples

/// A format of files with tracks.
public enum TrackFormat: String, Hashable, Sendable, CaseIterable {
    /// GPX 1.0 and 1.1.
    case gpx
    /// GeoJSON, RFC 7946.
    case geoJSON = "geojson"
    /// TCX, the Training Center XML of Garmin, which Strava also writes.
    case tcx
    /// KML, the Keyhole Markup Language of Google Earth.
    case kml
    /// FIT, the binary format of Garmin and others.
    case fit

    /// The usual name.
    public var name: String {
        switch self {
        case .gpx: "GPX"
        case .geoJSON: "GeoJSON"
        case .tcx: "TCX"
        case .kml: "KML"
        case .fit: "FIT"
        }
    }

    /// The media type.
    public var mediaType: String {
        switch self {
        case .gpx: "application/gpx+xml"
        case .geoJSON: "application/geo+json"
        case .tcx: "application/vnd.garmin.tcx+xml"
        case .kml: "application/vnd.google-earth.kml+xml"
        case .fit: "application/vnd.ant.fit"
        }
    }

    /// Recognises a format by its content, whatever the name of the file.
    ///
    /// - Returns: `nil` for anything else, including files that are compressed.
    public init?(recognizing bytes: [UInt8]) {
        let head = bytes.prefix(Self.headBytes)
        if FITReader.recognizes(head) {
            self = .fit
            return
        }
        guard let text = try? TextEncoding.utf8(head), let format = Self(text: text) else {
            return nil
        }
        self = format
    }

    /// The format of a text in UTF-8, of which the beginning suffices.
    init?(text: ArraySlice<UInt8>) {
        let start = text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch start.first {
        case UInt8(ascii: "{"): self = .geoJSON
        case UInt8(ascii: "<"):
            var limits = TrackLimits()
            limits.text = limits.bytes
            guard var markup = try? MarkupReader(start, limits: limits),
                case .open(let name, _) = try? markup.next(),
                let format = Self.allCases.first(where: { $0.root == name })
            else { return nil }
            self = format
        default: return nil
        }
    }

    /// The name of the root element.
    var root: String? {
        switch self {
        case .gpx: "gpx"
        case .geoJSON, .fit: nil
        case .tcx: "TrainingCenterDatabase"
        case .kml: "kml"
        }
    }

    /// The bytes in which the first tag has to be.
    private static let headBytes = 65_536
}

/// The times of tracks of which no point has one, such as routes that were drawn.
public enum MissingTimes: Hashable, Sendable {
    /// Such tracks are left out.
    case omitted
    /// The first track begins at a time, and each is travelled at a speed in m/s above zero; the next one
    /// begins where the previous ends.
    case assumed(start: Timestamp, speed: Double)
    /// Each point is a second later than the one before, from 1970 on: enough to replay a track.
    case everySecond
}

/// The tracks of a file, and what of the file is not in them.
///
/// A defect of one point or track leaves the others usable: it is a remark. Between points with times, the
/// times of others are interpolated by distance; points without a time at an end of a track are left out.
/// In a planned route, times count only if each point has one.
/// Files are untrusted: their size, points, segments and nesting are limited, and nothing in them is
/// expanded or fetched.
///
/// ```swift
/// let file = try TrackFile(bytes)
/// for remark in file.remarks { print(remark) }
/// let fixes = file.tracks.flatMap(\.fixes)
/// ```
public struct TrackFile: Hashable, Sendable {
    /// The format of the file.
    public let format: TrackFormat
    /// The tracks, in the order of the file; also those without points.
    public let tracks: [Track]
    /// What was left out or added, in the order of the tracks.
    public let remarks: [TrackRemark]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - format: the expected format; by default recognised by the content.
    ///   - missingTimes: what happens to tracks without times.
    /// - Throws: ``TrackError`` `.malformed` for another format, or a file that is damaged before its first
    ///   point; `.unsafe`, `.tooLarge`.
    public init(
        _ bytes: [UInt8], as format: TrackFormat? = nil,
        missingTimes: MissingTimes = .omitted, limits: TrackLimits = TrackLimits()
    ) throws(TrackError) {
        guard bytes.count <= limits.bytes else {
            throw TrackError(.tooLarge, "The file is too large.")
        }
        var builder = TrackBuilder(limits: limits)
        if format == .fit || (format == nil && FITReader.recognizes(bytes[...])) {
            try FITReader.read(bytes[...], into: &builder)
            self.format = .fit
            (tracks, remarks) = builder.finish(missingTimes)
            return
        }
        let text = try TextEncoding.utf8(bytes[...])
        guard let format = format ?? TrackFormat(text: text) else {
            throw TrackError(.malformed, "The file is not \(Self.formatNames).")
        }
        switch format {
        case .gpx:
            var reader = GPXReader()
            try builder.read(text, format, with: &reader)
        case .tcx:
            var reader = TCXReader()
            try builder.read(text, format, with: &reader)
        case .kml:
            var reader = KMLReader()
            try builder.read(text, format, with: &reader)
        case .geoJSON: try GeoJSONReader.read(text, into: &builder)
        case .fit: throw TrackError(.malformed, "The file is not FIT.")
        }
        self.format = format
        (tracks, remarks) = builder.finish(missingTimes)
    }

    /// Such as `GPX or GeoJSON`.
    public static var formatNames: String {
        let names = TrackFormat.allCases.map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}

/// Something in a file of tracks that is not in its tracks as it was in the file.
public struct TrackRemark: Hashable, Sendable, CustomStringConvertible {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        /// Points without valid coordinates were left out.
        case invalidPosition
        /// Points without a time at an end of a track were left out.
        case noTime
        /// Times of points were interpolated.
        case interpolatedTime
        /// A track was left out because none of its points has a time.
        case noTimes
        /// A track was left out because it has fewer than two points.
        case tooShort
        /// A track was left out for another reason.
        case unusable
        /// Points outside of tracks were left out.
        case waypoint
        /// Values of other sensors were left out.
        case otherValues
        /// The rest of a damaged file was left out.
        case damaged
        /// The checksum of a file does not match, so some of its points may be wrong.
        case wrongChecksum
    }

    /// What happened.
    public let kind: Kind
    /// The name of the track, or its number such as `Track 3`; `nil` for the whole file.
    public let track: String?
    /// The number of points that this concerns.
    public let count: Int
    /// A reason, or the names of values.
    let detail: String?

    /// Creates a remark.
    public init(_ kind: Kind, track: String?, count: Int, detail: String? = nil) {
        (self.kind, self.track, self.count, self.detail) = (kind, track, count, detail)
    }

    /// Such as `Tour: 3 points without a valid position were left out`, with a full stop.
    public var description: String {
        let points = Self.counted(count, "point")
        let (were, have) = count == 1 ? ("was", "has") : ("were", "have")
        let text =
            switch kind {
            case .invalidPosition: "\(points) without a valid position \(were) left out."
            case .noTime: "\(points) without a time at the start or end \(were) left out."
            case .interpolatedTime: "the times of \(points) were interpolated."
            case .noTimes: "left out: it has \(points) and no times."
            case .tooShort: "left out: fewer than two points."
            case .unusable: "left out: \(detail ?? "it cannot be used.")"
            case .waypoint: "\(Self.counted(count, "waypoint")) \(were) left out."
            case .otherValues:
                "\(points) also \(have) \(detail ?? "other values"): a session keeps positions only."
            case .wrongChecksum: "the checksum is wrong, so some of \(points) may be wrong."
            case .damaged: "only the first \(points) \(have) been read. \(detail ?? "")"
            }
        return track.map { "\($0): \(text)" } ?? (text.prefix(1).uppercased() + text.dropFirst())
    }

    /// Such as `1 point` and `2 points`.
    public static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

extension [TrackRemark] {
    /// The remarks with at most 50 of each kind about single tracks; one about the other tracks follows.
    public var summarized: [TrackRemark] {
        var counts: [TrackRemark.Kind: Int] = [:]
        var (shown, rest): ([TrackRemark], [TrackRemark]) = ([], [])
        for remark in self {
            counts[remark.kind, default: 0] += 1
            if counts[remark.kind, default: 0] <= 50 {
                shown.append(remark)
            } else if let index = rest.firstIndex(where: { $0.kind == remark.kind }) {
                rest[index] = TrackRemark(
                    remark.kind, track: nil, count: rest[index].count + remark.count,
                    detail: rest[index].detail)
            } else {
                rest.append(
                    TrackRemark(
                        remark.kind, track: nil, count: remark.count, detail: remark.detail))
            }
        }
        return shown
            + rest.map { remark in
                let tracks = TrackRemark.counted(
                    counts[remark.kind, default: 0] - 50, "other track")
                return TrackRemark(
                    remark.kind, track: tracks, count: remark.count, detail: remark.detail)
            }
    }
}
