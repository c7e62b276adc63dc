import Foundation
import Samples
import Tracks

/// A workout as a property list holds it.
///
/// Dates of property lists have whole seconds, so spans and points tell their times in RFC 3339.
struct WorkoutDocument: Codable {
    struct Span: Codable {
        var from: String
        var to: String
    }

    struct Location: Codable {
        /// Degrees.
        var latitude: Double
        var longitude: Double
        /// Metres, metres, m/s, degrees from north.
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
    /// Seconds of activity.
    var duration: Double?
    /// Metres.
    var distance: Double?
    var distanceSource: RouteRecord.Source?
    var warnings: [RouteRecord.Warning]?
    /// When it was active; from start to end where it does not say.
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
                throw TrackError(.malformed, "A sensor of the file has no name that is one.")
            }
            names.append(sensor)
        }
        let entered = points.isEmpty && distanceSource != .measured
        return try Workout(
            id: identifier ?? Workout.id(of: points.flatMap(\.self), spans),
            SessionDraft(
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
            else { throw TrackError(.malformed, "A workout has a date that is none.") }
            return [TimeRange(from: from, to: to)]
        }
        var ranges: [TimeRange] = []
        for span in spans {
            guard let from = Timestamp(rfc3339: span.from), let to = Timestamp(rfc3339: span.to)
            else { throw TrackError(.malformed, "A span of a workout has no times.") }
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

    /// Without its fraction of a second.
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
        via = point.isVia ? true : nil
    }

    /// - Parameter last: the time of the point before; a second later it is where it does not say.
    fileprivate func point(after last: Timestamp?) throws(TrackError) -> RoutePoint {
        guard let position = Position(latitude: latitude, longitude: longitude) else {
            throw TrackError(.malformed, "A location of the file is not on Earth.")
        }
        let read = time.map { Timestamp(rfc3339: $0) } ?? last?.advanced(byMicroseconds: 1_000_000)
        guard let moment = read else {
            throw TrackError(.malformed, "A location of the file has no time that is one.")
        }
        return RoutePoint(
            Fix(
                time: moment, position: position, altitude: altitude, accuracy: accuracy,
                speed: speed, heading: heading), isVia: via ?? false)
    }
}
