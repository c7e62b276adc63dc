import Samples
import Text

/// Reads the tracks and lines of a KML file.
///
/// OGC KML 2.3, https://docs.ogc.org/is/12-007r2/12-007r2.html, and Google's extension for 2.2. `Track` elements
/// have a time for each point. The points of a `LineString` have none; if the `TimeSpan` of its placemark
/// has a begin and an end, they are those of its first and last point. In a file without either, the points
/// of each folder that have a `TimeStamp` are one track: some programs write tracks in this way.
struct KMLReader: MarkupTrackReader {
    /// The elements of a placemark.
    private struct Placemark {
        var name: String?
        var description: String?
        var begin: Timestamp?
        var end: Timestamp?
        var stamp: Timestamp?
        var lines: [[TrackBuilder.Point?]] = []
        var points: [TrackBuilder.Point?] = []
        /// The current `Track` element.
        var times: [Timestamp?] = []
        var coordinates: [TrackBuilder.Point?] = []
        var hasTrack = false
        var otherValues: Set<String> = []
    }

    /// Points with times of the placemarks in a folder.
    private struct Folder {
        var name: String?
        var points: [TrackBuilder.Point] = []
    }

    private var placemark: Placemark?
    /// The open folders and documents, the innermost last.
    private var containers: [Folder] = []
    /// Folders with at least two points, in the order of their ends.
    private var folders: [Folder] = []
    private var hasTimedTrack = false

    mutating func open(
        _ path: [String], _ attributes: [String: String], _ builder: inout TrackBuilder
    ) throws(TrackError) {
        switch path.last {
        case "kml", "Document", "Folder": containers.append(Folder())
        case "Placemark": placemark = Placemark()
        case "Track":
            placemark?.times = []
            placemark?.coordinates = []
        case "SimpleArrayData":
            if let name = Self.otherValues[attributes["name"] ?? ""] {
                placemark?.otherValues.insert(name)
            }
        default: break
        }
    }

    mutating func close(
        _ path: [String], _ text: String, _ builder: inout TrackBuilder
    ) throws(TrackError) {
        let parent = path.dropLast().last
        switch (path.last, parent) {
        case ("name", "Placemark"): placemark?.name = text
        case ("description", "Placemark"): placemark?.description = text
        case ("name", "Folder"), ("name", "Document"):
            if !containers.isEmpty { containers[containers.count - 1].name = text }
        case ("begin", "TimeSpan"): placemark?.begin = Timestamp(inFile: text)
        case ("end", "TimeSpan"): placemark?.end = Timestamp(inFile: text)
        case ("when", "TimeStamp"): placemark?.stamp = Timestamp(inFile: text)
        case ("when", "Track"): placemark?.times.append(Timestamp(inFile: text))
        case ("coord", "Track"):
            placemark?.coordinates.append(Self.point(text.split(whereSeparator: \.isWhitespace)))
            try checkCount(builder)
        case ("Track", _): closeTrack()
        case ("coordinates", "LineString"):
            placemark?.lines.append(Self.points(text))
            try checkCount(builder)
        case ("coordinates", "Point"): placemark?.points += Self.points(text)
        case ("Placemark", _): try closePlacemark(&builder)
        case ("Folder", _), ("Document", _), ("kml", _): try closeFolder(path, &builder)
        default: break
        }
    }

    /// Bounds what a placemark holds before its points are counted.
    private func checkCount(_ builder: TrackBuilder) throws(TrackError) {
        let count = (placemark?.coordinates.count ?? 0) + (placemark?.lines.last?.count ?? 0)
        guard count <= builder.limits.points else {
            throw TrackError(.tooLarge, "The file has too many points.")
        }
    }

    /// Pairs the times and coordinates, which are in the same order.
    private mutating func closeTrack() {
        guard var current = placemark else { return }
        var line = current.coordinates
        for (index, time) in current.times.enumerated() where line.indices.contains(index) {
            line[index]?.time = time
        }
        current.lines.append(line)
        current.hasTrack = true
        (current.times, current.coordinates) = ([], [])
        placemark = current
    }

    private mutating func closePlacemark(_ builder: inout TrackBuilder) throws(TrackError) {
        guard var current = placemark else { return }
        placemark = nil
        if !current.lines.isEmpty {
            if !current.hasTrack, let begin = current.begin, let end = current.end, begin < end {
                Self.span(&current.lines, begin, end)
            }
            try builder.beginTrack(
                name: current.name ?? containers.last?.name, description: current.description)
            for line in current.lines {
                try builder.beginSegment()
                for point in line {
                    if point?.time != nil { hasTimedTrack = true }
                    try builder.add(point)
                    builder.omit(current.otherValues)
                }
            }
        }
        for point in current.points {
            if var point, let time = current.stamp ?? current.begin, !containers.isEmpty {
                point.time = time
                containers[containers.count - 1].points.append(point)
            } else {
                builder.waypoints += 1
            }
        }
    }

    private mutating func closeFolder(
        _ path: [String], _ builder: inout TrackBuilder
    ) throws(TrackError) {
        if let folder = containers.popLast(), !folder.points.isEmpty { folders.append(folder) }
        guard path.count == 1 else { return }
        for folder in folders {
            guard !hasTimedTrack, folder.points.count > 1 else {
                builder.waypoints += folder.points.count
                continue
            }
            try builder.beginTrack(name: folder.name)
            for point in folder.points { try builder.add(point) }
        }
        folders = []
    }

    /// Gives times to the first and last point of a placemark's lines.
    private static func span(
        _ lines: inout [[TrackBuilder.Point?]], _ begin: Timestamp, _ end: Timestamp
    ) {
        let places = lines.indices.flatMap { line in
            lines[line].indices.filter { lines[line][$0] != nil }.map { (line, $0) }
        }
        guard places.count > 1, let first = places.first, let last = places.last else { return }
        lines[first.0][first.1]?.time = begin
        lines[last.0][last.1]?.time = end
    }

    /// Points of tuples `longitude,latitude,altitude` that whitespace separates.
    private static func points(_ text: String) -> [TrackBuilder.Point?] {
        text.split(whereSeparator: \.isWhitespace).map {
            point($0.split(separator: ",", omittingEmptySubsequences: false))
        }
    }

    private static func point(_ parts: [Substring]) -> TrackBuilder.Point? {
        guard parts.count >= 2, let longitude = Double(inFile: parts[0]),
            let latitude = Double(inFile: parts[1]),
            let position = Position(latitude: latitude, longitude: longitude)
        else { return nil }
        return TrackBuilder.Point(
            position: position, altitude: parts.count > 2 ? Double(inFile: parts[2]) : nil)
    }

    /// The names of arrays of a `Track` that programs write.
    private static let otherValues = [
        "heartrate": "heart rate", "heart_rate": "heart rate", "cadence": "cadence",
        "power": "power", "temperature": "temperature",
    ]
}
