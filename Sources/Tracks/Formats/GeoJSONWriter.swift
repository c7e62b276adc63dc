import Foundation
import Samples

/// Writes a track as GeoJSON: a collection with one line or several, or with nothing.
///
/// RFC 7946. Degrees have seven decimals, east first; the third number is the altitude, of all points
/// or of none. A line that crosses the antimeridian is cut there, as section 3.1.9 asks. Times,
/// accuracies and pauses are properties with a list for each line.
public enum GeoJSONWriter {
    /// A segment of one point is left out, since it is no line.
    ///
    /// - Parameter record: what the track is of; its length, where that comes from, and what to warn
    ///   of stand beside the features, as section 6.1 allows.
    public static func text(_ track: Track, of record: RouteRecord? = nil) -> String {
        let collection = Collection(features: features(track), record)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(collection), as: UTF8.self) + "\n"
        } catch {
            // The encoder fails for numbers that are not finite, and there are none: `Position` and `Fix`
            // hold no others, nor does a `RouteRecord`, and `rounded` makes none.
            preconditionFailure("a track that is no GeoJSON: \(error)")
        }
    }

    /// What is written, and never read: others may give such names to what they like.
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
                via: lines.map { line in line.indices.filter { line[$0].isVia } }))
        return [feature]
    }

    private static func coordinates(_ fix: Fix, _ hasAltitude: Bool) -> [Double] {
        let place = [rounded(fix.position.longitude, 1e7), rounded(fix.position.latitude, 1e7)]
        return hasAltitude ? place + [rounded(fix.altitude ?? 0, 1000)] : place
    }

    private static func rounded(_ number: Double, _ scale: Double) -> Double {
        let scaled = (number * scale).rounded() / scale
        return scaled.isFinite ? scaled : number
    }

    /// The parts of a line on either side of the antimeridian, each of which reaches it.
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

    /// The point on the antimeridian between two fixes, seen from each side.
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
    /// The nearest whole number, held at the ends; 0 of NaN.
    fileprivate init(clamping number: Double) {
        self = Int64(exactly: number.rounded()) ?? (number > 0 ? .max : number < 0 ? .min : 0)
    }
}
