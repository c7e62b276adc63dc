public import Samples
public import Tracks

/// A session that has ended, with its route, as a file of workouts holds it.
public struct Workout: Hashable, Sendable {
    /// Of the session that it was; tells whether it is there already.
    public let id: String
    public let draft: SessionDraft
    /// When it was active, in the order of time; one at least, and none overlaps another.
    public let spans: [TimeRange]
    public let route: RouteRecord

    /// Whole seconds of 1970 and of the year 9999: what dates of files can hold.
    static let times = Timestamp(microseconds: 0)...Timestamp(microseconds: 253_402_300_799_000_000)
    /// The most spans.
    static let spanLimit = 5000

    /// - Throws: ``TrackError`` `.invalid` for an identifier that is none, for no spans, too many or
    ///   such as are not in order, and for times before 1970 or after 9999.
    public init(
        id: String, _ draft: SessionDraft, spans: [TimeRange], route: RouteRecord
    ) throws(TrackError) {
        _ = try Session(id: id, draft, created: Self.times.lowerBound)
        guard (1...Self.spanLimit).contains(spans.count),
            zip(spans, spans.dropFirst()).allSatisfy({ $0.to <= $1.from })
        else {
            throw TrackError(.invalid, "A workout has 1 to 5000 spans of time, in their order.")
        }
        guard
            spans.allSatisfy({
                Self.times.contains($0.from) && Self.times.contains($0.to)
            }), route.points.allSatisfy({ Self.times.contains($0.fix.time) })
        else { throw TrackError(.invalid, "A workout is between the years 1970 and 9999.") }
        (self.id, self.draft, self.spans, self.route) = (id, draft, spans, route)
    }

    /// A track of another program, active along each of its segments.
    ///
    /// Its words are cut to what a session may have. It is called by a number that follows from its
    /// points, so that the same track is the same workout.
    /// - Throws: ``TrackError`` `.invalid` for fewer than two points, and for times as above.
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
            SessionDraft(
                name: Self.cut(track.name, SessionDraft.limits.name) ?? "Track",
                description: Self.cut(track.description, SessionDraft.limits.description) ?? "",
                sensors: Self.sensors),
            spans: spans,
            route: RouteRecord(
                segments: segments, distance: track.distance, warnings: jumps ? [.jump] : []))
    }

    /// Of a workout that names none.
    static let sensors: [SensorID] = ["location"]

    /// Its route in the words of files of routes.
    public var track: Track {
        Track(route, name: draft.name, description: draft.description)
    }

    /// The first characters of a text without control characters; `nil` where nothing is left.
    static func cut(_ text: String?, _ count: Int) -> String? {
        guard let text else { return nil }
        let plain = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        var cut = plain.drop(while: \.isWhitespace).prefix(count)
        while cut.last?.isWhitespace == true || cut.utf8.count > count * 8 { cut.removeLast() }
        return cut.isEmpty ? nil : String(cut)
    }

    /// FNV-1a of 64 bits (Fowler, Noll and Vo) over times and places.
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
