import Samples

/// Reads the activities and courses of a TCX file, and the runs of its first version.
///
/// Garmin Training Center Database, http://www.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd, with the
/// speed of the extension http://www.garmin.com/xmlschemas/ActivityExtensionv2.xsd. A `Track` element within a
/// lap follows a pause, so it begins a segment. A lap ends where the next one begins, so its points continue
/// the segment, unless half a minute or more lies between them.
struct TCXReader: MarkupTrackReader {
    /// What separates the next point from the last one.
    private enum Boundary {
        case none, lap, pause
    }

    /// The longest time between the points of two laps without a pause, in microseconds: as long as a
    /// receiver may be without a signal in a route.
    private static let longestGap: Int64 = 30_000_000

    /// The texts of the current point.
    private var point: [String: String]?
    private var boundary = Boundary.none
    private var isLapNew = false

    mutating func open(
        _ path: [String], _ attributes: [String: String], _ builder: inout TrackBuilder
    ) throws(TrackError) {
        switch path.last {
        case "Activity", "Course", "Run":
            try builder.beginTrack(name: attributes["Sport"].flatMap { $0 == "Other" ? nil : $0 })
            boundary = .pause
        case "Lap": isLapNew = true
        case "Track":
            if boundary != .pause { boundary = isLapNew ? .lap : .pause }
            isLapNew = false
        case "Trackpoint": point = [:]
        case "CoursePoint": builder.waypoints += 1
        default: break
        }
    }

    mutating func close(
        _ path: [String], _ text: String, _ builder: inout TrackBuilder
    ) throws(TrackError) {
        let parent = path.dropLast().last
        switch path.last {
        case "Trackpoint": try closePoint(&builder)
        case "Name" where parent == "Course": builder.name(text)
        case "Notes" where parent == "Activity" || parent == "Course": builder.describe(text)
        case "Value" where parent == "HeartRateBpm": point?["HeartRateBpm"] = text
        case .some(let name) where !text.isEmpty: point?[name] = text
        default: break
        }
    }

    private mutating func closePoint(_ builder: inout TrackBuilder) throws(TrackError) {
        guard let values = point else { return }
        point = nil
        builder.omit(Set(Self.otherValues.compactMap { values[$0.key] == nil ? nil : $0.value }))
        let time = values["Time"].flatMap { Timestamp(inFile: $0) }
        guard
            let position = Position(
                latitude: values["LatitudeDegrees"], longitude: values["LongitudeDegrees"])
        else { return try builder.add(nil) }
        func number(_ name: String) -> Double? { values[name].flatMap { Double(inFile: $0) } }
        if boundary == .pause || (boundary == .lap && isGap(before: time, builder)) {
            try builder.beginSegment()
        }
        boundary = .none
        try builder.add(
            TrackBuilder.Point(
                time: time, position: position, altitude: number("AltitudeMeters"),
                speed: number("Speed")))
    }

    private func isGap(before time: Timestamp?, _ builder: TrackBuilder) -> Bool {
        guard let time, let last = builder.lastPoint?.time else { return true }
        return time >= last.advanced(byMicroseconds: Self.longestGap)
    }

    private static let otherValues = [
        "HeartRateBpm": "heart rate", "Cadence": "cadence", "RunCadence": "cadence",
        "Watts": "power",
    ]
}
