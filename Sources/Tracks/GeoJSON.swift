import Foundation
import Samples

/// Reads the lines of a GeoJSON file, of ``GeoJSONWriter`` or another program.
///
/// RFC 7946. A point without a time gets the previous time plus a second, from 1970 on.
public enum GeoJSONReader {
    /// Reads all tracks of a file.
    ///
    /// - Throws: ``TrackError`` `.malformed`, `.tooLarge`.
    public static func tracks(
        _ bytes: [UInt8], limits: TrackLimits = TrackLimits()
    ) throws(TrackError) -> [Track] {
        guard bytes.count <= limits.bytes else {
            throw TrackError(.tooLarge, "The file is too large.")
        }
        let document: GeoJSONDocument
        do {
            document = try JSONDecoder().decode(GeoJSONDocument.self, from: Data(bytes))
        } catch {
            throw TrackError(.malformed, "The file is not a GeoJSON collection of features.")
        }
        guard document.type == "FeatureCollection" else {
            throw TrackError(.malformed, "The file is not a GeoJSON collection of features.")
        }
        var (tracks, points, lines): ([Track], Int, Int) = ([], 0, 0)
        var last: Timestamp?
        for feature in document.features {
            guard let geometry = feature.geometry, !geometry.lines.isEmpty else { continue }
            points += geometry.lines.reduce(0) { $0 + $1.count }
            lines += geometry.lines.count
            guard points <= limits.points, lines <= limits.segments else {
                throw TrackError(.tooLarge, "The file has too many points or lines.")
            }
            var track = Track(
                name: feature.properties?.name, description: feature.properties?.description)
            for index in geometry.lines.indices {
                track.segments.append(try segment(feature, geometry.lines[index], index, &last))
            }
            tracks.append(track)
        }
        return tracks
    }

    private static func segment(
        _ feature: GeoJSONDocument.Feature, _ line: [[Double]], _ index: Int,
        _ last: inout Timestamp?
    ) throws(TrackError) -> [RoutePoint] {
        func item<Item>(_ lists: [[Item]]?, _ number: Int) -> Item? {
            guard let lists, lists.indices.contains(index), lists[index].indices.contains(number)
            else { return nil }
            return lists[index][number]
        }
        let properties = feature.properties
        let pauses =
            properties?.via.flatMap { $0.indices.contains(index) ? Set($0[index]) : nil } ?? []
        var points: [RoutePoint] = []
        for (number, numbers) in line.enumerated() {
            guard numbers.count >= 2,
                let position = Position(latitude: numbers[1], longitude: numbers[0])
            else { throw TrackError(.malformed, "A position of the file has invalid coordinates.") }
            var time = last?.advanced(byMicroseconds: 1_000_000) ?? Timestamp(microseconds: 0)
            if let text = item(properties?.times, number) {
                guard let parsed = Timestamp(rfc3339: text) else {
                    throw TrackError(
                        .malformed, "A position of the file has an invalid time.")
                }
                time = parsed
            }
            last = time
            points.append(
                RoutePoint(
                    Fix(
                        time: time, position: position,
                        altitude: numbers.count > 2 ? numbers[2] : nil,
                        accuracy: item(properties?.accuracies, number) ?? nil),
                    isPausePoint: pauses.contains(number)))
        }
        return points
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

/// The part of GeoJSON that tracks use; RFC 7946.
private struct GeoJSONDocument: Codable {
    struct Feature: Codable {
        var type = "Feature"
        var geometry: Geometry?
        var properties: Properties?
    }

    /// One or several lines; other geometries are read as no lines.
    struct Geometry: Codable {
        var type: String
        var lines: [[[Double]]]

        private enum CodingKeys: String, CodingKey { case type, coordinates }

        init(_ lines: [[[Double]]]) {
            self.lines = lines
            type = lines.count == 1 ? "LineString" : "MultiLineString"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            switch type {
            case "LineString":
                lines = [try container.decode([[Double]].self, forKey: .coordinates)]
            case "MultiLineString":
                lines = try container.decode([[[Double]]].self, forKey: .coordinates)
            default: lines = []
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(type, forKey: .type)
            if type == "LineString", let line = lines.first {
                try container.encode(line, forKey: .coordinates)
            } else {
                try container.encode(lines, forKey: .coordinates)
            }
        }
    }

    /// Lists with a list for each line, with an item for each position.
    struct Properties: Codable {
        var name: String?
        var description: String?
        /// RFC 3339.
        var times: [[String]]?
        /// Metres; `null` if unknown.
        var accuracies: [[Double?]]?
        /// The indices of the positions at which the route was paused.
        var via: [[Int]]?
    }

    var type = "FeatureCollection"
    var features: [Feature]
}
