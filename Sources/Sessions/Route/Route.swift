import Samples
public import Tracks

/// A session over the place: from measurements to a line and its length.
///
/// A value that is told what happens, and when by a clock that never goes back (`Duration` since any
/// beginning); times of measurements are only compared with each other, since the wall clock jumps.
/// A reading of the clock that is earlier than one before counts as no time passed.
/// While paused or inactive nothing counts, and no distance is counted over a pause.
public struct Route: Hashable, Sendable {
    public let rules: RouteRules
    public private(set) var state = SessionState.inactive
    /// The points between pauses.
    public internal(set) var segments: [[RoutePoint]] = []
    /// What did not become a point, by reason.
    public internal(set) var discarded: [RouteDiscard: Int] = [:]
    /// How many batches held nothing.
    public internal(set) var emptyBatches = 0
    /// How often two points that follow each other were more than 200 m apart.
    public internal(set) var jumps = 0
    /// How often the signal was gone for more than 30 s on end.
    public internal(set) var signalLosses = 0

    var measured = 0.0
    var entered: Double?
    var pointCount = 0
    /// The latest reading of the clock.
    var clock = Duration.zero
    /// When the route was started or resumed last.
    var began = Duration.zero
    /// When a measurement last counted as signal.
    var heard = Duration.zero
    /// When a measurement of any accuracy came last; `nil` when none has, or the signal was said to
    /// be lost.
    var received: Duration?
    /// Of the measurement before, for the rule that compares; unlike that of the last point it does
    /// not only get better, which would stop a route at its most lucky measurement.
    var accuracy: Double?
    var shownAccuracy: Double?
    /// When the newest measurement was made.
    var newest: Timestamp?
    /// Measurements that are in order among themselves and earlier than the newest.
    var earlier: EarlierRun?

    struct EarlierRun: Hashable, Sendable {
        /// By the clock.
        let since: Duration
        /// Of the last of them.
        let time: Timestamp
    }

    public init(rules: RouteRules = RouteRules()) {
        self.rules = rules
    }

    /// In metres: what was entered by hand, or else the sum of the distances between points.
    public var distance: Double { entered ?? measured }

    /// Begins anew, without points.
    ///
    /// - Throws: ``TrackError`` `.wrongState` unless it is inactive.
    public mutating func start(at now: Duration) throws(TrackError) {
        let next = try SessionStep.start.applied(to: state)
        self = Route(rules: rules)
        state = next
        begin(now)
    }

    /// Stops counting, and marks the last point as one at which the route was paused.
    ///
    /// - Throws: ``TrackError`` `.wrongState` unless it is active.
    public mutating func pause(at now: Duration) throws(TrackError) {
        let next = try SessionStep.pause.applied(to: state)
        noteSilence(tick(now))
        state = next
        guard let segment = segments.lastIndex(where: { !$0.isEmpty }) else { return }
        segments[segment][segments[segment].count - 1].isVia = true
    }

    /// Goes on after a pause; what was counted before stays.
    ///
    /// - Parameter fix: where the person is now; `nil` where nobody knows, or it was judged before.
    /// - Throws: ``TrackError``, and it stays paused: `.wrongState` unless it is paused, `.tooFar`
    ///   more than 200 m from where it was paused, `.inaccurate` when the place is not known to 100 m.
    public mutating func resume(at now: Duration, from fix: Fix?) throws(TrackError) {
        let next = try SessionStep.resume.applied(to: state)
        if let fix { try checkResumption(from: fix) }
        state = next
        begin(now)
    }

    private func checkResumption(from fix: Fix) throws(TrackError) {
        guard rules.accuracy.accepts(fix) else {
            throw TrackError(.inaccurate, "The place is not known well enough to go on from.")
        }
        let paused = segments.last(where: { !$0.isEmpty })?.last?.fix.position
        if let paused, paused.distance(to: fix.position) > rules.resumeDistance {
            throw TrackError(.tooFar, "The route was paused too far from here to go on.")
        }
    }

    /// Ends, from active or paused.
    ///
    /// A single point is no route and is taken away.
    /// - Throws: ``TrackError`` `.wrongState` when it is inactive.
    public mutating func finish(at now: Duration) throws(TrackError) {
        let next = try SessionStep.finish.applied(to: state)
        let now = tick(now)
        if state == .active { noteSilence(now) }
        state = next
        if pointCount < 2 { segments = [] }
    }

    /// Takes a length entered by hand in place of the points, which are forgotten for good with what
    /// there was to warn of.
    ///
    /// - Throws: ``TrackError`` `.invalid` for a length that is negative or not finite.
    public mutating func enter(distance metres: Double) throws(TrackError) {
        guard metres.isFinite, metres >= 0 else {
            throw TrackError(.invalid, "The length of a route is zero metres or more.")
        }
        entered = metres
        segments = []
        (pointCount, jumps, signalLosses) = (0, 0, 0)
    }

    /// The later of this reading of the clock and those before.
    mutating func tick(_ now: Duration) -> Duration {
        clock = max(clock, now)
        return clock
    }

    private mutating func begin(_ now: Duration) {
        began = tick(now)
        heard = began
        (accuracy, newest, earlier) = (nil, nil, nil)
        if entered == nil { segments.append([]) }
    }
}
