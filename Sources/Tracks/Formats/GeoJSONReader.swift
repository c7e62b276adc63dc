import Foundation
import Samples

/// Reads the lines of a GeoJSON file: what ``GeoJSONWriter`` writes, and lines of others.
///
/// RFC 7946. Points without a time get the one before's plus a second, from 1970 on.
public enum GeoJSONReader {
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
            for place in geometry.lines.indices {
                track.segments.append(try segment(feature, geometry.lines[place], place, &last))
            }
            tracks.append(track)
        }
        return tracks
    }

    private static func segment(
        _ feature: GeoJSONDocument.Feature, _ line: [[Double]], _ place: Int,
        _ last: inout Timestamp?
    ) throws(TrackError) -> [RoutePoint] {
        func item<Item>(_ lists: [[Item]]?, _ number: Int) -> Item? {
            guard let lists, lists.indices.contains(place), lists[place].indices.contains(number)
            else { return nil }
            return lists[place][number]
        }
        let properties = feature.properties
        let pauses =
            properties?.via.flatMap { $0.indices.contains(place) ? Set($0[place]) : nil } ?? []
        var points: [RoutePoint] = []
        for (number, numbers) in line.enumerated() {
            guard numbers.count >= 2,
                let position = Position(latitude: numbers[1], longitude: numbers[0])
            else { throw TrackError(.malformed, "A position of the file is not on Earth.") }
            var time = last?.advanced(byMicroseconds: 1_000_000) ?? Timestamp(microseconds: 0)
            if let text = item(properties?.times, number) {
                guard let told = Timestamp(rfc3339: text) else {
                    throw TrackError(
                        .malformed, "A position of the file has no time that is one.")
                }
                time = told
            }
            last = time
            points.append(
                RoutePoint(
                    Fix(
                        time: time, position: position,
                        altitude: numbers.count > 2 ? numbers[2] : nil,
                        accuracy: item(properties?.accuracies, number) ?? nil),
                    isVia: pauses.contains(number)))
        }
        return points
    }
}
