public import Samples
public import Tracks

/// A finished session with its route, in a file of workouts.
public struct Workout: Hashable, Sendable {
    /// The identifier of the session; an import skips existing ones.
    public let id: String
    /// Its name, description and sensors.
    public let draft: SessionDraft
    /// When it was active: at least one span, in order of time, without overlaps.
    public let spans: [TimeRange]
    /// Its route.
    public let route: RouteRecord

    /// From 1970 to the year 9999: the dates that files can contain.
    static let times = Timestamp(microseconds: 0)...Timestamp(microseconds: 253_402_300_799_000_000)
    /// The maximum number of spans.
    static let spanLimit = 5000

    /// Creates a workout.
    ///
    /// - Throws: ``TrackError`` `.invalid` for an invalid identifier, for no or too many spans or
    ///   spans out of order, and for times before 1970 or after 9999.
    public init(
        id: String, _ draft: SessionDraft, spans: [TimeRange], route: RouteRecord
    ) throws(TrackError) {
        do {
            _ = try Session(id: id, draft, created: Self.times.lowerBound)
        } catch {
            throw TrackError(.invalid, error.message)
        }
        guard (1...Self.spanLimit).contains(spans.count),
            zip(spans, spans.dropFirst()).allSatisfy({ $0.to <= $1.from })
        else {
            throw TrackError(.invalid, "A workout has 1 to 5000 intervals in order of time.")
        }
        guard
            spans.allSatisfy({
                Self.times.contains($0.from) && Self.times.contains($0.to)
            }), route.points.allSatisfy({ Self.times.contains($0.fix.time) })
        else { throw TrackError(.invalid, "The times of a workout are between 1970 and 9999.") }
        (self.id, self.draft, self.spans, self.route) = (id, draft, spans, route)
    }

    /// Creates a workout from a track of another program, with a span for each segment.
    ///
    /// Its name and description are truncated to the limits of a session. The identifier is a hash
    /// of its points, so that the same track is the same workout.
    ///
    /// - Throws: ``TrackError`` `.invalid` for fewer than two points, and for times before 1970 or
    ///   after 9999.
    public init(_ track: Track) throws(TrackError) {
        let segments = track.segments.filter { !$0.isEmpty }
        guard segments.joined().dropFirst().first != nil else {
            throw TrackError(.invalid, "A track of the file has fewer than two points.")
        }
        var spans: [TimeRange] = []
        for times in segments.map({ $0.map(\.fix.time) }) {
            let from = max(times.min() ?? .distantPast, spans.last?.to ?? .distantPast)
            spans.append(TimeRange(from: from, to: times.max() ?? from))
        }
        let rules = RouteRules()
        let jumps = segments.contains { segment in
            zip(segment, segment.dropFirst()).contains {
                $0.fix.position.distance(to: $1.fix.position) > rules.jumpDistance
            }
        }
        try self.init(
            id: Self.id(of: segments.flatMap(\.self)),
            Self.draft(
                name: Self.cut(track.name, SessionDraft.limits.name) ?? "Track",
                description: Self.cut(track.description, SessionDraft.limits.description) ?? "",
                sensors: Self.sensors),
            spans: spans,
            route: RouteRecord(
                segments: segments, distance: track.distance, warnings: jumps ? [.jump] : []))
    }

    /// Creates workouts from the tracks of a file.
    ///
    /// - Returns: the workouts, and remarks about everything of the file that is not in them.
    /// - Throws: ``TrackError`` `.invalid` with the contents of the file if no track can be a workout.
    public static func workouts(
        of file: TrackFile
    ) throws(TrackError) -> (workouts: [Workout], remarks: [TrackRemark]) {
        var workouts: [Workout] = []
        var remarks = file.remarks
        for (index, track) in file.tracks.enumerated() {
            let points = track.segments.reduce(0) { $0 + $1.count }
            let name = cut(track.name, SessionDraft.limits.name) ?? "Track \(index + 1)"
            guard points > 1 else {
                remarks.append(TrackRemark(.tooShort, track: name, count: points))
                continue
            }
            do throws(TrackError) {
                let workout = try Workout(track)
                guard workout.spans.contains(where: { $0.to >= firstTime }) else {
                    throw TrackError(
                        .invalid, "Its times are in 1970, as of a device whose clock was not set.")
                }
                workouts.append(workout)
            } catch {
                remarks.append(
                    TrackRemark(.unusable, track: name, count: points, detail: error.message))
            }
        }
        guard !workouts.isEmpty else { throw nothing(remarks) }
        return (workouts, remarks.summarized)
    }

    /// 1971-01-01T00:00:00Z: a clock that was not set counts from 1970.
    private static let firstTime = Timestamp(microseconds: 31_536_000_000_000)

    /// The error for a file of which nothing remains.
    private static func nothing(_ remarks: [TrackRemark]) -> TrackError {
        func tracks(_ kind: TrackRemark.Kind) -> Int {
            remarks.count { $0.kind == kind }
        }
        func points(_ kind: TrackRemark.Kind) -> Int {
            remarks.reduce(0) { $0 + ($1.kind == kind ? $1.count : 0) }
        }
        let untimed = tracks(.noTimes)
        let parts = [
            (untimed, "track", " without times"),
            (tracks(.tooShort), "track", " with fewer than two valid points"),
            (tracks(.unusable), "track", " that cannot be a session"),
            (points(.invalidPosition), "point", " without a valid position"),
            (points(.waypoint), "waypoint", ""),
        ].filter { $0.0 > 0 }.map { TrackRemark.counted($0.0, $0.1) + $0.2 }
        let reason = remarks.first { $0.kind == .unusable }.map { " \($0)" } ?? ""
        let contents =
            parts.isEmpty
            ? "no tracks, routes or waypoints" : "only " + parts.joined(separator: ", ")
        return TrackError(
            .invalid, "The file has nothing to import: \(contents).\(reason)",
            hint: untimed > 0
                ? "Say when the first track begins: --start, or the parameter start of the API."
                : points(.invalidPosition) > 1
                    ? "A session needs positions. An activity that was recorded indoors has none."
                    : "A session needs a track or route of at least two points.")
    }

    /// The draft of a workout.
    ///
    /// - Throws: ``TrackError`` `.invalid`.
    static func draft(
        name: String, description: String, sensors: [SensorID]
    ) throws(TrackError) -> SessionDraft {
        do {
            return try SessionDraft(name: name, description: description, sensors: sensors)
        } catch {
            throw TrackError(.invalid, error.message)
        }
    }

    /// The sensors of a workout that names none.
    static let sensors: [SensorID] = ["location"]

    /// Its route as a track.
    public var track: Track {
        Track(route, name: draft.name, description: draft.description)
    }

    /// The first characters of a text without control characters; `nil` if none are left.
    static func cut(_ text: String?, _ count: Int) -> String? {
        guard let text else { return nil }
        let plain = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        var cut = plain.drop(while: \.isWhitespace).prefix(count)
        while cut.last?.isWhitespace == true || cut.utf8.count > count * 8 { cut.removeLast() }
        return cut.isEmpty ? nil : String(cut)
    }

    /// FNV-1a of 64 bits (Fowler, Noll and Vo) over times and positions.
    static func id(of points: [RoutePoint], _ spans: [TimeRange] = []) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ number: UInt64) {
            for shift in stride(from: 0, to: 64, by: 8) {
                hash = (hash ^ (number >> UInt64(shift) & 0xff)) &* 0x100_0000_01b3
            }
        }
        for span in spans {
            add(UInt64(bitPattern: span.from.microseconds))
            add(UInt64(bitPattern: span.to.microseconds))
        }
        for point in points {
            add(UInt64(bitPattern: point.fix.time.microseconds))
            add(point.fix.position.latitude.bitPattern)
            add(point.fix.position.longitude.bitPattern)
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
