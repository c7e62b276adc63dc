public import Motion
public import Samples

/// Counts what a session comes to while it goes on, from what its sensors measure.
///
/// A value that is told of each span of activity and of the samples in it, those of one sensor in the
/// order of time. Steps count by how much a counter grows within a span. Floors are those of
/// ``WalkEstimate``: three metres of climbing each, in one go. Where no place is known, the distance is
/// the number of steps times one length.
public struct LiveTotals: Sendable {
    /// Metres at a moment.
    private struct Mark {
        let time: Timestamp
        let metres: Double

        var second: Int64 { time.microseconds / 1_000_000 }
    }

    /// How far back the pace looks.
    public static let paceWindow = Duration.seconds(60)
    /// For how long an activity that was told counts.
    public static let activityLife = Duration.seconds(60)
    /// Metres in the window below which there is no pace.
    private static let leastMovement = 1.0

    /// Metres for a step.
    public let stepLength: Double
    private var steps: Int?
    private var lastCount: Double?
    private var floors: Int?
    private var climb: WalkEstimate
    private var distance: Double?
    private var activity: (reading: ActivityReading, time: Timestamp)?
    /// Of the route, and of the steps; both are kept, since a place may be found late.
    private var route: [Mark] = []
    private var walk: [Mark] = []

    /// - Parameter stepLength: as ``WalkEstimate`` has it.
    public init(stepLength: Double = 0.7) {
        climb = WalkEstimate(stepLength: stepLength)
        self.stepLength = climb.stepLength
    }

    /// Begins a span: what counters and heights do between two does not count.
    public mutating func begin() {
        (lastCount, activity) = (nil, nil)
        (route, walk) = ([], [])
        climb = WalkEstimate(stepLength: stepLength)
    }

    /// Takes the total of a counter of steps; one that goes back is where counting goes on.
    public mutating func take(steps count: Double, at time: Timestamp) {
        guard count.isFinite, (0...1e15).contains(count) else { return }
        let grown = lastCount.map { max(0, count - $0) } ?? 0
        lastCount = count
        // Counters that go back and forth may tell more than a number can hold.
        let (sum, isOver) = (steps ?? 0).addingReportingOverflow(Int(grown.rounded()))
        steps = isOver ? .max : sum
        Self.add(Mark(time: time, metres: Double(steps ?? 0) * stepLength), to: &walk)
    }

    /// Takes a height in metres above any level.
    public mutating func take(altitude metres: Double) {
        let before = climb.reading(steps: 0, cadence: nil).floors ?? 0
        climb.take(altitude: metres)
        floors = (floors ?? 0) + (climb.reading(steps: 0, cadence: nil).floors ?? 0) - before
    }

    /// Takes the length of the route up to a fix, in metres.
    public mutating func take(distance metres: Double, at time: Timestamp) {
        distance = metres
        Self.add(Mark(time: time, metres: metres), to: &route)
    }

    public mutating func take(_ reading: ActivityReading, at time: Timestamp) {
        activity = (reading, time)
    }

    /// What it comes to.
    ///
    /// - Parameter isActive: whether the session is; of one that is not there is no pace and no activity.
    public func reading(at now: Timestamp, isActive: Bool) -> LiveReading {
        var reading = LiveReading(
            distance: distance ?? steps.map { Double($0) * stepLength }, steps: steps,
            floors: floors)
        guard isActive else { return reading }
        reading.pace = Self.pace(distance == nil ? walk : route, at: now)
        if let activity,
            now
                <= activity.time.advanced(
                    byMicroseconds: Self.activityLife.wholeMicroseconds)
        {
            reading.activity = activity.reading
        }
        return reading
    }

    // MARK: - Private

    private static func add(_ mark: Mark, to marks: inout [Mark]) {
        guard marks.last.map({ $0.time <= mark.time }) ?? true else { return }
        // One for each second will do: whoever tells a thousand in a second does not fill the memory.
        if marks.count > 1, marks.last?.second == mark.second { marks.removeLast() }
        marks.append(mark)
        // One that is older says how far it was when the window began.
        let start = mark.time.advanced(byMicroseconds: -paceWindow.wholeMicroseconds)
        while marks.count > 1, marks[1].time <= start { marks.removeFirst() }
    }

    /// Over the marks of the window up to now.
    private static func pace(_ marks: [Mark], at now: Timestamp) -> Double? {
        let start = now.advanced(byMicroseconds: -paceWindow.wholeMicroseconds)
        guard let last = marks.last, last.time > start,
            let first = marks.last(where: { $0.time <= start }) ?? marks.first
        else { return nil }
        let metres = last.metres - first.metres
        // Who stands still gets slower until the window has passed.
        let begin = max(first.time, start)
        let seconds = (Double(now.microseconds) - Double(begin.microseconds)) / 1_000_000
        return metres >= leastMovement && seconds > 0 ? seconds / metres : nil
    }
}
