public import Motion
public import Samples
import Text

/// The totals of a session at a moment; `nil` for unknown ones.
public struct LiveReading: Hashable, Sendable {
    /// Metres.
    public var distance: Double?
    /// Steps.
    public var steps: Int?
    /// Floors climbed.
    public var floors: Int?
    /// The pace of the last minute in seconds per metre.
    public var pace: Double?
    /// The recognised activity.
    public var activity: ActivityReading?

    /// Creates a reading.
    public init(
        distance: Double? = nil, steps: Int? = nil, floors: Int? = nil, pace: Double? = nil,
        activity: ActivityReading? = nil
    ) {
        (self.distance, self.steps, self.floors) = (distance, steps, floors)
        (self.pace, self.activity) = (pace, activity)
    }

    /// A text such as `512.30m | 700 steps | 2 floors`, without unknown values.
    public var text: String {
        [
            distance.map { "\(DecimalText($0, digits: 2, isPadded: true))m" },
            steps.map { "\($0) steps" }, floors.map { "\($0) floors" },
        ].compactMap(\.self).joined(separator: " | ")
    }
}

/// Computes the totals of a session while it is recorded.
///
/// A value type that takes the start of each active interval and its samples; the samples of each
/// sensor come in order of time. Steps are the growth of a counter within these intervals. Floors
/// are those of ``WalkEstimate``: three metres of continuous ascent. Without positions the distance
/// is the number of steps times the length of a step.
///
/// ```swift
/// var totals = LiveTotals()
/// totals.begin()
/// totals.take(steps: 120, at: time)
/// print(totals.reading(at: time, isActive: true).text)
/// ```
public struct LiveTotals: Sendable {
    /// A distance at a moment.
    private struct Mark {
        let time: Timestamp
        let metres: Double

        var second: Int64 { time.microseconds / 1_000_000 }
    }

    /// The window of the pace.
    public static let paceWindow = Duration.seconds(60)
    /// How long an activity is valid.
    public static let activityLife = Duration.seconds(60)
    /// The minimum distance within the window, in metres, for which a pace is given.
    private static let leastMovement = 1.0

    /// Metres of a step.
    public let stepLength: Double
    private var steps: Int?
    private var lastCount: Double?
    private var floors: Int?
    private var climb: WalkEstimate
    private var distance: Double?
    private var activity: (reading: ActivityReading, time: Timestamp)?
    /// Distances by route and by steps; both are kept, since the first position may come late.
    private var route: [Mark] = []
    private var walk: [Mark] = []

    /// Creates totals of zero.
    ///
    /// - Parameter stepLength: see ``WalkEstimate``.
    public init(stepLength: Double = 0.7) {
        climb = WalkEstimate(stepLength: stepLength)
        self.stepLength = climb.stepLength
    }

    /// Begins an active interval; changes of counters and altitudes between intervals do not count.
    public mutating func begin() {
        (lastCount, activity) = (nil, nil)
        (route, walk) = ([], [])
        climb = WalkEstimate(stepLength: stepLength)
    }

    /// Takes the total of a step counter; counting restarts from a total below the previous one.
    public mutating func take(steps count: Double, at time: Timestamp) {
        guard count.isFinite, (0...1e15).contains(count) else { return }
        let grown = lastCount.map { max(0, count - $0) } ?? 0
        lastCount = count
        // The totals of a faulty counter can overflow.
        let (sum, isOver) = (steps ?? 0).addingReportingOverflow(Int(grown.rounded()))
        steps = isOver ? .max : sum
        Self.add(Mark(time: time, metres: Double(steps ?? 0) * stepLength), to: &walk)
    }

    /// Takes an altitude in metres above any level.
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

    /// Takes a recognised activity.
    public mutating func take(_ reading: ActivityReading, at time: Timestamp) {
        activity = (reading, time)
    }

    /// The totals.
    ///
    /// - Parameter isActive: whether the session is active; otherwise there is no pace and no activity.
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
        // Keeping one mark for each second bounds the memory.
        if marks.count > 1, marks.last?.second == mark.second { marks.removeLast() }
        marks.append(mark)
        // One older mark is kept for the start of the window.
        let start = mark.time.advanced(byMicroseconds: -paceWindow.wholeMicroseconds)
        while marks.count > 1, marks[1].time <= start { marks.removeFirst() }
    }

    /// The pace over the window up to now.
    private static func pace(_ marks: [Mark], at now: Timestamp) -> Double? {
        let start = now.advanced(byMicroseconds: -paceWindow.wholeMicroseconds)
        guard let last = marks.last, last.time > start,
            let first = marks.last(where: { $0.time <= start }) ?? marks.first
        else { return nil }
        let metres = last.metres - first.metres
        // For a person who stops, the pace slows down until the window contains no movement.
        let begin = max(first.time, start)
        let seconds = (Double(now.microseconds) - Double(begin.microseconds)) / 1_000_000
        return metres >= leastMovement && seconds > 0 ? seconds / metres : nil
    }
}
