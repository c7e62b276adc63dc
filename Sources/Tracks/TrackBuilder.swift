import Samples

/// Collects the tracks of a file while it is read, and records what is left out.
struct TrackBuilder {
    /// A point as it is in a file.
    struct Point {
        var time: Timestamp?
        var position: Position
        /// Metres above mean sea level.
        var altitude: Double?
        /// Metres.
        var accuracy: Double?
        /// Metres per second.
        var speed: Double?
        /// Degrees clockwise from north.
        var heading: Double?
        var isPausePoint = false
    }

    /// A track as it is in a file.
    private struct Draft {
        var name: String?
        var description: String?
        /// Whether it was planned instead of recorded.
        let isPlanned: Bool
        var segments: [[Point]] = []
        var invalidPositions = 0

        /// Whether its points have times of a journey.
        ///
        /// Some programs give single points of a planned route the time at which the place was marked.
        var hasTimes: Bool {
            let points = segments.joined().lazy
            return isPlanned
                ? points.allSatisfy { $0.time != nil } : points.contains { $0.time != nil }
        }
    }

    let limits: TrackLimits
    /// Points outside of tracks.
    var waypoints = 0
    /// Whether the checksum of a file does not match.
    var hasWrongChecksum = false
    private var drafts: [Draft] = []
    private(set) var points = 0
    private var segments = 0
    private var damage: String?
    /// Kinds of other values, and the number of points with one.
    private var otherValues: (names: Set<String>, points: Int) = ([], 0)

    init(limits: TrackLimits) {
        self.limits = limits
    }

    // MARK: - Tracks

    /// - Parameter isPlanned: whether it is a route that was planned instead of recorded.
    mutating func beginTrack(
        name: String? = nil, description: String? = nil, isPlanned: Bool = false
    ) throws(TrackError) {
        drafts.append(Draft(name: name, description: description, isPlanned: isPlanned))
        try count()
    }

    mutating func beginSegment() throws(TrackError) {
        if drafts.isEmpty { try beginTrack() }
        drafts[drafts.count - 1].segments.append([])
        try count()
    }

    private mutating func count() throws(TrackError) {
        segments += 1
        guard segments <= limits.segments else {
            throw TrackError(.tooLarge, "The file has too many tracks or segments.")
        }
    }

    /// Names the last track.
    mutating func name(_ name: String) {
        guard !drafts.isEmpty else { return }
        drafts[drafts.count - 1].name = name
    }

    /// Describes the last track.
    mutating func describe(_ text: String) {
        guard !drafts.isEmpty else { return }
        drafts[drafts.count - 1].description = text
    }

    /// Adds a point to the last segment, or counts one without valid coordinates, which is `nil`.
    mutating func add(_ point: Point?) throws(TrackError) {
        points += 1
        guard points <= limits.points else {
            throw TrackError(.tooLarge, "The file has too many points.")
        }
        if drafts.last?.segments.isEmpty ?? true { try beginSegment() }
        let track = drafts.count - 1
        if let point {
            drafts[track].segments[drafts[track].segments.count - 1].append(point)
        } else {
            drafts[track].invalidPositions += 1
        }
    }

    /// The last point of the last track; `nil` if it has none.
    var lastPoint: Point? { drafts.last?.segments.last?.last }

    /// Counts a point with values that a track does not have.
    mutating func omit(_ names: Set<String>) {
        guard !names.isEmpty else { return }
        otherValues.names.formUnion(names)
        otherValues.points += 1
    }

    /// Notes that the rest of the file is left out.
    mutating func endDamaged(_ reason: String) {
        damage = reason
    }

    // MARK: - Result

    consuming func finish(_ missingTimes: MissingTimes) -> ([Track], [TrackRemark]) {
        var tracks: [Track] = []
        var remarks: [TrackRemark] = []
        var clock = MissingClock(missingTimes)
        for index in drafts.indices {
            var draft = drafts[index]
            // Emptied at once, so that a large file is not in memory twice.
            drafts[index].segments = []
            let name = draft.name.map { $0.trimmed.prefix(100) } ?? ""
            let label = name.isEmpty ? "Track \(index + 1)" : String(name)
            if draft.invalidPositions > 0 {
                remarks.append(
                    TrackRemark(.invalidPosition, track: label, count: draft.invalidPositions))
            }
            let total = draft.segments.reduce(0) { $0 + $1.count }
            if total > 0, !draft.hasTimes {
                guard clock.fill(&draft.segments) else {
                    remarks.append(TrackRemark(.noTimes, track: label, count: total))
                    continue
                }
            } else {
                let interpolated = MissingClock.interpolate(&draft.segments)
                if interpolated > 0 {
                    remarks.append(
                        TrackRemark(.interpolatedTime, track: label, count: interpolated))
                }
            }
            let segments = draft.segments.map { $0.compactMap(RoutePoint.init) }
            let left = total - segments.reduce(0) { $0 + $1.count }
            if left > 0 { remarks.append(TrackRemark(.noTime, track: label, count: left)) }
            tracks.append(
                Track(name: draft.name, description: draft.description, segments: segments))
        }
        if waypoints > 0 { remarks.append(TrackRemark(.waypoint, track: nil, count: waypoints)) }
        if otherValues.points > 0 {
            let names = otherValues.names.sorted().joined(separator: ", ")
            remarks.append(
                TrackRemark(.otherValues, track: nil, count: otherValues.points, detail: names))
        }
        if hasWrongChecksum {
            remarks.append(TrackRemark(.wrongChecksum, track: nil, count: points))
        }
        if let damage {
            remarks.append(TrackRemark(.damaged, track: nil, count: points, detail: damage))
        }
        return (tracks, remarks)
    }
}

extension RoutePoint {
    /// - Returns: `nil` for a point without a time.
    fileprivate init?(_ point: TrackBuilder.Point) {
        guard let time = point.time else { return nil }
        self.init(
            Fix(
                time: time, position: point.position,
                altitude: point.altitude.flatMap { Self.altitudes.contains($0) ? $0 : nil },
                accuracy: point.accuracy, speed: point.speed, heading: point.heading),
            isPausePoint: point.isPausePoint)
    }

    /// For an unknown altitude, programs write numbers far outside this range, such as 1e25.
    private static let altitudes = -12_000.0...1_000_000
}
