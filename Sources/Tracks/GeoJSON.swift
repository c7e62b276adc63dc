import Foundation
import Samples
import Text

/// Reads the lines of a GeoJSON file, of ``GeoJSONWriter`` or another program: each feature with lines is a
/// track, and each line a segment.
///
/// RFC 7946, which has no place for times. They are read from the properties `times` and `coordTimes` of a
/// feature and of its `coordinateProperties`, where togeojson and other converters write them: a list for
/// a line, or a list of such lists for several; RFC 3339 or milliseconds since 1970.
enum GeoJSONReader {
    static func read(
        _ text: ArraySlice<UInt8>, into builder: inout TrackBuilder
    ) throws(TrackError) {
        let document: JSONValue
        do throws(JSONSyntaxError) {
            document = try StrictJSON(
                maximumBytes: builder.limits.bytes, maximumDepth: builder.limits.depth
            ).parse(Array(text))
        } catch {
            throw TrackError(
                .malformed,
                "The file is not valid JSON at line \(error.line), column \(error.column).")
        }
        switch document["type"]?.string {
        case "FeatureCollection":
            for feature in document["features"]?.array ?? [] { try add(feature, to: &builder) }
        case "Feature": try add(document, to: &builder)
        case .some(let type) where geometryTypes.contains(type):
            try add(lines(of: document, &builder), [:], to: &builder)
        default: throw TrackError(.malformed, "The file is not GeoJSON.")
        }
    }

    private static let geometryTypes: Set = [
        "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
        "GeometryCollection",
    ]

    private static func add(
        _ feature: JSONValue, to builder: inout TrackBuilder
    ) throws(TrackError) {
        guard let geometry = feature["geometry"] else { return }
        var properties: [String: JSONValue] = [:]
        let members = feature["properties"]?.object ?? []
        let inner = members.first { $0.key == "coordinateProperties" }?.value.object ?? []
        for member in members + inner { properties[member.key] = member.value }
        try add(lines(of: geometry, &builder), properties, to: &builder)
    }

    /// The lines of a geometry and of the geometries in it; points are counted.
    private static func lines(
        of geometry: JSONValue, _ builder: inout TrackBuilder
    ) -> [[JSONValue]] {
        let coordinates = geometry["coordinates"]?.array ?? []
        switch geometry["type"]?.string {
        case "LineString": return [coordinates]
        case "MultiLineString": return coordinates.map { $0.array ?? [] }
        case "GeometryCollection":
            // The parser limits the nesting.
            return (geometry["geometries"]?.array ?? []).flatMap { lines(of: $0, &builder) }
        case "Point": builder.waypoints += 1
        case "MultiPoint": builder.waypoints += coordinates.count
        default: break
        }
        return []
    }

    private static func add(
        _ lines: [[JSONValue]], _ properties: [String: JSONValue], to builder: inout TrackBuilder
    ) throws(TrackError) {
        guard !lines.isEmpty else { return }
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { properties[$0]?.string }.first
        }
        try builder.beginTrack(name: text("name"), description: text("description", "desc"))
        for (index, line) in lines.enumerated() {
            try builder.beginSegment()
            /// The values of the line's positions.
            func values(_ names: String...) -> [JSONValue] {
                guard let all = names.lazy.compactMap({ properties[$0]?.array }).first else {
                    return []
                }
                if all.contains(where: { $0.array != nil }) {
                    return all.indices.contains(index) ? all[index].array ?? [] : []
                }
                return lines.count == 1 ? all : []
            }
            let times = values("times", "coordTimes")
            let accuracies = values("accuracies")
            let pauses = Set(values("via").compactMap { $0.number?.int64 })
            for (number, coordinates) in line.enumerated() {
                guard var point = point(coordinates) else {
                    try builder.add(nil)
                    continue
                }
                point.time = times.indices.contains(number) ? time(times[number]) : nil
                point.accuracy =
                    accuracies.indices.contains(number) ? accuracies[number].number?.double : nil
                point.isPausePoint = pauses.contains(Int64(number))
                try builder.add(point)
            }
        }
    }

    private static func point(_ coordinates: JSONValue) -> TrackBuilder.Point? {
        let numbers = (coordinates.array ?? []).map { $0.number?.double }
        guard numbers.count >= 2, let longitude = numbers[0], let latitude = numbers[1],
            let position = Position(latitude: latitude, longitude: longitude)
        else { return nil }
        return TrackBuilder.Point(
            position: position, altitude: numbers.count > 2 ? numbers[2] : nil)
    }

    private static func time(_ value: JSONValue) -> Timestamp? {
        value.string.flatMap { Timestamp(inFile: $0) }
            ?? value.number.flatMap { Timestamp(milliseconds: $0.double) }
    }
}

/// Writes a track as GeoJSON: a collection with at most one feature of one or several lines.
///
/// RFC 7946. Degrees have seven decimals, longitude first; the third number is the altitude, of all
/// points or of none. Lines are cut at the antimeridian, as in section 3.1.9. Times, accuracies and
/// pauses are properties with a list for each line.
public enum GeoJSONWriter {
    /// The text of a file, without segments of a single point.
    ///
    /// - Parameter record: the route of the track; its length and warnings are foreign members of the
    ///   collection, as section 6.1 allows.
    public static func text(_ track: Track, of record: RouteRecord? = nil) -> String {
        let collection = Collection(features: features(track), record)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(collection), as: UTF8.self) + "\n"
        } catch {
            // The encoder fails only for numbers that are not finite, which `Position`, `Fix` and
            // `RouteRecord` exclude.
            preconditionFailure("a track cannot be encoded: \(error)")
        }
    }

    /// Written and never read: in files of other programs these names can have another meaning.
    private struct Collection: Encodable {
        let type = "FeatureCollection"
        let features: [GeoJSONDocument.Feature]
        /// In metres.
        let distance: Double?
        let distanceSource: RouteRecord.Source?
        let warnings: [RouteRecord.Warning]?

        init(features: [GeoJSONDocument.Feature], _ record: RouteRecord?) {
            self.features = features
            distance = record.map { rounded($0.distance, 1000) }
            distanceSource = record?.source
            warnings = record.map { record in
                RouteRecord.Warning.allCases.filter(record.warnings.contains)
            }
        }
    }

    private static func features(_ track: Track) -> [GeoJSONDocument.Feature] {
        let lines = track.segments.flatMap(cut).filter { $0.count > 1 }
        guard !lines.isEmpty else { return [] }
        let hasAltitude = lines.joined().allSatisfy { $0.fix.altitude != nil }
        let feature = GeoJSONDocument.Feature(
            geometry: .init(lines.map { $0.map { coordinates($0.fix, hasAltitude) } }),
            properties: .init(
                name: track.name, description: track.description,
                times: lines.map { $0.map { "\($0.fix.time)" } },
                accuracies: lines.map { $0.map { $0.fix.accuracy.map { rounded($0, 1000) } } },
                via: lines.map { line in line.indices.filter { line[$0].isPausePoint } }))
        return [feature]
    }

    private static func coordinates(_ fix: Fix, _ hasAltitude: Bool) -> [Double] {
        let pair = [rounded(fix.position.longitude, 1e7), rounded(fix.position.latitude, 1e7)]
        return hasAltitude ? pair + [rounded(fix.altitude ?? 0, 1000)] : pair
    }

    private static func rounded(_ number: Double, _ scale: Double) -> Double {
        let scaled = (number * scale).rounded() / scale
        return scaled.isFinite ? scaled : number
    }

    /// The parts of a line on either side of the antimeridian, each up to it.
    private static func cut(_ line: [RoutePoint]) -> [[RoutePoint]] {
        var parts: [[RoutePoint]] = []
        var part: [RoutePoint] = []
        for point in line {
            if let last = part.last?.fix,
                abs(point.fix.position.longitude - last.position.longitude) > 180,
                let (here, there) = crossing(last, point.fix)
            {
                parts.append(part + [RoutePoint(here)])
                part = [RoutePoint(there)]
            }
            part.append(point)
        }
        return parts + [part]
    }

    /// The point on the antimeridian between two fixes, on each side.
    private static func crossing(_ start: Fix, _ end: Fix) -> (here: Fix, there: Fix)? {
        let (a, b) = (start.position, end.position)
        let east = a.longitude > 0 ? 180.0 : -180.0
        // Degrees from the start to the antimeridian, and from there to the end.
        let (before, after) = (abs(east - a.longitude), abs(-east - b.longitude))
        let share = before + after > 0 ? before / (before + after) : 0
        func between(_ x: Double, _ y: Double) -> Double { x + share * (y - x) }
        let microseconds = Double(end.time.microseconds) - Double(start.time.microseconds)
        let time = start.time.advanced(byMicroseconds: Int64(clamping: share * microseconds))
        let altitude = start.altitude.flatMap { low in end.altitude.map { between(low, $0) } }
        let latitude = between(a.latitude, b.latitude)
        guard let here = Position(latitude: latitude, longitude: east),
            let there = Position(latitude: latitude, longitude: -east)
        else { return nil }
        return (
            Fix(time: time, position: here, altitude: altitude),
            Fix(time: time, position: there, altitude: altitude)
        )
    }
}

extension Int64 {
    /// The nearest integer, limited to the range; 0 for NaN.
    fileprivate init(clamping number: Double) {
        self = Int64(exactly: number.rounded()) ?? (number > 0 ? .max : number < 0 ? .min : 0)
    }
}

/// What ``GeoJSONWriter`` writes; RFC 7946.
private struct GeoJSONDocument {
    struct Feature: Encodable {
        let type = "Feature"
        let geometry: Geometry
        let properties: Properties
    }

    /// One or several lines.
    struct Geometry: Encodable {
        private let lines: [[[Double]]]

        private enum CodingKeys: String, CodingKey { case type, coordinates }

        init(_ lines: [[[Double]]]) {
            self.lines = lines
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if lines.count == 1, let line = lines.first {
                try container.encode("LineString", forKey: .type)
                try container.encode(line, forKey: .coordinates)
            } else {
                try container.encode("MultiLineString", forKey: .type)
                try container.encode(lines, forKey: .coordinates)
            }
        }
    }

    /// Lists with a list for each line, with an item for each position.
    struct Properties: Encodable {
        let name: String?
        let description: String?
        /// RFC 3339.
        let times: [[String]]
        /// Metres; `null` if unknown.
        let accuracies: [[Double?]]
        /// The indices of the positions at which the route was paused.
        let via: [[Int]]
    }
}
