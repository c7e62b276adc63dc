import Foundation
import Samples
public import Tracks

/// Writes and reads workouts as an XML property list: an array with a dictionary for each.
///
/// The property lists of [phone
/// apps](https://developer.apple.com/documentation/foundation/propertylistencoder) can be read if
/// their dictionaries have `startTime` and `endTime`; everything else is optional.
///
/// ```swift
/// let workouts = try WorkoutList.workouts(bytes)
/// let text = WorkoutList.text(workouts)
/// ```
public enum WorkoutList {
    /// The maximum number of workouts of a file.
    public static let limit = 10_000

    /// The text of a file, for `application/x-plist`.
    public static func text(_ workouts: [Workout]) -> String {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        do {
            return String(
                decoding: try encoder.encode(workouts.map(WorkoutDocument.init)), as: UTF8.self)
        } catch {
            // Property lists can contain every text and number.
            preconditionFailure("a workout cannot be encoded: \(error)")
        }
    }

    /// Whether a file is a property list, whatever its name.
    public static func recognizes(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: Array("bplist".utf8))
            || String(decoding: bytes.prefix(1024), as: UTF8.self).contains("<plist")
    }

    /// Reads all workouts of a file.
    ///
    /// - Throws: ``TrackError`` `.malformed` if it is not a list of workouts, `.unsafe` for
    ///   document types and entities, `.tooLarge`, `.invalid` for an invalid workout.
    public static func workouts(
        _ bytes: [UInt8], limits: TrackLimits = TrackLimits()
    ) throws(TrackError) -> [Workout] {
        try PropertyListGuard(limits: limits).check(bytes)
        let documents: [WorkoutDocument]
        do {
            documents = try PropertyListDecoder().decode([WorkoutDocument].self, from: Data(bytes))
        } catch {
            throw TrackError(.malformed, "The file is not a property list of workouts.")
        }
        let points = documents.reduce(0) { sum, document in
            (document.segments ?? []).reduce(sum) { $0 + $1.count }
        }
        guard documents.count <= limit, points <= limits.points else {
            throw TrackError(.tooLarge, "The file has too many workouts or locations.")
        }
        var workouts: [Workout] = []
        for document in documents { workouts.append(try document.workout()) }
        guard Set(workouts.map(\.id)).count == workouts.count else {
            throw TrackError(.invalid, "Two workouts of the file have the same identifier.")
        }
        return workouts
    }
}

/// A workout in a property list.
///
/// Dates of property lists have whole seconds, so the times of spans and points are RFC 3339 texts.
private struct WorkoutDocument: Codable {
    struct Span: Codable {
        var from: String
        var to: String
    }

    struct Location: Codable {
        /// Degrees.
        var latitude: Double
        var longitude: Double
        /// Altitude and accuracy in metres, speed in m/s, heading in degrees from north.
        var altitude: Double?
        var accuracy: Double?
        var speed: Double?
        var heading: Double?
        var time: String?
        /// Whether the workout was paused here.
        var via: Bool?
    }

    var identifier: String?
    var name: String?
    var description: String?
    var sensors: [String]?
    var startTime: Date
    var endTime: Date
    /// Active seconds.
    var duration: Double?
    /// Metres.
    var distance: Double?
    var distanceSource: RouteRecord.Source?
    var warnings: [RouteRecord.Warning]?
    /// When it was active; by default from start to end.
    var spans: [Span]?
    /// The points between pauses.
    var segments: [[Location]]?
}

extension WorkoutDocument {
    init(_ workout: Workout) {
        identifier = workout.id
        name = workout.draft.name
        description = workout.draft.description
        sensors = workout.draft.sensors.map(\.description)
        startTime = Self.date(workout.spans.first?.from)
        endTime = Self.date(workout.spans.last?.to)
        duration =
            workout.spans.reduce(0.0) {
                $0 + Double($1.to.microseconds) - Double($1.from.microseconds)
            } / 1_000_000
        distance = workout.route.distance
        distanceSource = workout.route.source
        warnings = RouteRecord.Warning.allCases.filter(workout.route.warnings.contains)
        spans = workout.spans.map { Span(from: "\($0.from)", to: "\($0.to)") }
        segments = workout.route.segments.map { $0.map(Location.init) }
    }

    /// - Throws: ``TrackError`` `.malformed`, `.invalid`.
    func workout() throws(TrackError) -> Workout {
        let points = try points()
        let spans = try times()
        var names: [SensorID] = []
        for name in sensors ?? [] {
            guard let sensor = SensorID(name) else {
                throw TrackError(.malformed, "The file has an invalid name of a sensor.")
            }
            names.append(sensor)
        }
        let entered = points.isEmpty && distanceSource != .measured
        return try Workout(
            id: identifier ?? Workout.id(of: points.flatMap(\.self), spans),
            Workout.draft(
                name: name ?? "Workout", description: description ?? "",
                sensors: names.isEmpty ? Workout.sensors : names),
            spans: spans,
            route: RouteRecord(
                segments: points,
                distance: entered
                    ? distance ?? 0 : Track(segments: points).distance,
                source: entered && distance != nil ? .manual : .measured,
                warnings: Set(warnings ?? [])))
    }

    private func times() throws(TrackError) -> [TimeRange] {
        guard let spans else {
            guard let from = Timestamp(milliseconds: startTime.timeIntervalSince1970 * 1000),
                let to = Timestamp(milliseconds: endTime.timeIntervalSince1970 * 1000)
            else { throw TrackError(.malformed, "A workout has an invalid date.") }
            return [TimeRange(from: from, to: to)]
        }
        var ranges: [TimeRange] = []
        for span in spans {
            guard let from = Timestamp(rfc3339: span.from), let to = Timestamp(rfc3339: span.to)
            else { throw TrackError(.malformed, "An interval of a workout has invalid times.") }
            ranges.append(TimeRange(from: from, to: to))
        }
        return ranges
    }

    private func points() throws(TrackError) -> [[RoutePoint]] {
        var last = Timestamp(milliseconds: startTime.timeIntervalSince1970 * 1000)
        var lines: [[RoutePoint]] = []
        for segment in segments ?? [] {
            var line: [RoutePoint] = []
            for location in segment {
                line.append(try location.point(after: last))
                last = line.last?.fix.time
            }
            lines.append(line)
        }
        return lines.filter { !$0.isEmpty }
    }

    /// Truncated to whole seconds.
    private static func date(_ time: Timestamp?) -> Date {
        Date(timeIntervalSince1970: Double((time?.microseconds ?? 0) / 1_000_000))
    }
}

extension WorkoutDocument.Location {
    init(_ point: RoutePoint) {
        let fix = point.fix
        (latitude, longitude) = (fix.position.latitude, fix.position.longitude)
        (altitude, accuracy) = (fix.altitude, fix.accuracy)
        (speed, heading) = (fix.speed, fix.heading)
        time = "\(fix.time)"
        via = point.isPausePoint ? true : nil
    }

    /// - Parameter last: the time of the previous point; a point without a time gets this time plus
    ///   a second.
    fileprivate func point(after last: Timestamp?) throws(TrackError) -> RoutePoint {
        guard let position = Position(latitude: latitude, longitude: longitude) else {
            throw TrackError(.malformed, "A location of the file has invalid coordinates.")
        }
        let read = time.map { Timestamp(rfc3339: $0) } ?? last?.advanced(byMicroseconds: 1_000_000)
        guard let moment = read else {
            throw TrackError(.malformed, "A location of the file has an invalid time.")
        }
        return RoutePoint(
            Fix(
                time: moment, position: position, altitude: altitude, accuracy: accuracy,
                speed: speed, heading: heading), isPausePoint: via ?? false)
    }
}

/// Checks an XML property list before Foundation reads it.
///
/// Foundation's decoder recurses without a limit: a file of a megabyte would overflow the stack. It
/// also reads two other forms of property lists and computes with unchecked years. Only XML passes,
/// nested no deeper than a list of workouts, without declarations, and with years of four digits.
private struct PropertyListGuard {
    let limits: TrackLimits

    /// - Throws: ``TrackError`` `.malformed`, `.unsafe`, `.tooLarge`.
    func check(_ bytes: [UInt8]) throws(TrackError) {
        guard bytes.count <= limits.bytes else {
            throw TrackError(.tooLarge, "The file is too large.")
        }
        let start = bytes.starts(with: Self.mark) ? Self.mark.count : 0
        guard bytes.dropFirst(start).first(where: { !Self.blanks.contains($0) }) == Self.open else {
            throw TrackError(.malformed, "The file is not an XML property list.")
        }
        var (index, depth) = (start, 0)
        while let tag = bytes[index...].firstIndex(of: Self.open) {
            guard let last = bytes[tag...].firstIndex(of: Self.close),
                !bytes[(tag + 1)..<last].contains(Self.open)
            else { throw TrackError(.malformed, "The file has a tag that does not end.") }
            index = last + 1
            switch bytes[tag + 1] {
            case UInt8(ascii: "?") where bytes[last - 1] == UInt8(ascii: "?"): break
            case UInt8(ascii: "?"), UInt8(ascii: "!"):
                // Only the document type of property lists passes, without entities.
                guard depth == 0, bytes[tag...].starts(with: Self.documentType),
                    !bytes[tag...last].contains(UInt8(ascii: "["))
                else {
                    throw TrackError(
                        .unsafe, "The file has declarations, comments or CDATA sections of XML.")
                }
            case UInt8(ascii: "/"): depth -= 1
            default:
                if bytes[last - 1] != UInt8(ascii: "/") { depth += 1 }
                if bytes[(tag + 1)..<last].starts(with: Self.date) {
                    try checkDate(bytes[index...])
                }
            }
            guard depth >= 0 else {
                throw TrackError(.malformed, "The file has an unexpected end tag.")
            }
            guard depth <= limits.depth else {
                throw TrackError(.tooLarge, "The elements of the file are nested too deeply.")
            }
        }
    }

    /// - Parameter rest: the bytes after the start tag of a date.
    private func checkDate(_ rest: ArraySlice<UInt8>) throws(TrackError) {
        let text = rest.prefix(Self.dateForm.count + 1)
        let isDate =
            text.last == Self.open && text.count == Self.dateForm.count + 1
            && zip(text, Self.dateForm).allSatisfy { byte, form in
                form == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == form
            }
        guard isDate else { throw TrackError(.malformed, "The file has an invalid date.") }
    }

    private static let date = Array("date".utf8)
    private static let dateForm = Array("0000-00-00T00:00:00Z".utf8)
    private static let open = UInt8(ascii: "<")
    private static let close = UInt8(ascii: ">")
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let blanks = Array(" \t\r\n".utf8)
    private static let documentType = Array("<!DOCTYPE plist".utf8)
}
