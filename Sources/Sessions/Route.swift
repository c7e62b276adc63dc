import Samples
import Text
public import Tracks

/// Builds a route and its length from fixes.
///
/// A value type. The caller passes the reading of a monotonic clock as a `Duration` since any
/// start; if a reading is earlier than the previous one, the previous one is used. The times of
/// fixes are only compared with each other, since the wall clock can jump. Pauses have no points
/// and no distance.
///
/// ```swift
/// var route = Route()
/// try route.start(at: .zero)
/// route.take(fix, at: .seconds(6))
/// try route.finish(at: .seconds(60))
/// let record = try route.record
/// ```
public struct Route: Hashable, Sendable {
    /// The limits.
    public let rules: RouteRules
    /// The current state.
    public private(set) var state = SessionState.inactive
    /// The points between pauses.
    public private(set) var segments: [[RoutePoint]] = []
    /// The number of discarded fixes for each reason.
    public private(set) var discarded: [RouteDiscard: Int] = [:]
    /// The number of empty batches.
    public private(set) var emptyBatches = 0
    /// How often two consecutive points were more than 200 m apart.
    public private(set) var jumps = 0
    /// How often there was no signal for more than 30 s.
    public private(set) var signalLosses = 0

    private var measured = 0.0
    private var entered: Double?
    private var pointCount = 0
    /// The latest reading of the clock.
    private var clock = Duration.zero
    /// When the route was last started or resumed.
    private var began = Duration.zero
    /// When the last accurate fix arrived.
    private var lastAccurateFix = Duration.zero
    /// When the last fix of any accuracy arrived; `nil` before the first one and after a lost
    /// signal.
    private var received: Duration?
    /// The accuracy of the previous fix.
    ///
    /// A fix is compared with this and not with the accuracy of the last point: otherwise no point
    /// could follow the most accurate one.
    private var accuracy: Double?
    private var shownAccuracy: Double?
    /// The time of the newest fix.
    private var newest: Timestamp?
    /// Consecutive fixes that are earlier than the newest.
    private var earlier: EarlierRun?

    private struct EarlierRun: Hashable, Sendable {
        /// When the first of them arrived.
        let since: Duration
        /// The time of the last of them.
        let time: Timestamp
    }

    /// Creates an inactive route.
    public init(rules: RouteRules = RouteRules()) {
        self.rules = rules
    }

    /// The length in metres: as entered, or the sum of the distances between points.
    public var distance: Double { entered ?? measured }

    /// Starts the route without points.
    ///
    /// - Throws: `wrongState` unless it is inactive.
    public mutating func start(at now: Duration) throws(SessionsError) {
        let next = try SessionStep.start.applied(to: state)
        self = Route(rules: rules)
        state = next
        begin(now)
    }

    /// Pauses the route and marks its last point.
    ///
    /// - Throws: `wrongState` unless it is active.
    public mutating func pause(at now: Duration) throws(SessionsError) {
        let next = try SessionStep.pause.applied(to: state)
        noteSilence(tick(now))
        state = next
        guard let segment = segments.lastIndex(where: { !$0.isEmpty }) else { return }
        segments[segment][segments[segment].count - 1].isPausePoint = true
    }

    /// Continues after a pause.
    ///
    /// - Parameter fix: the current position; `nil` if it is unknown or was checked before.
    /// - Throws: `wrongState` unless it is paused, `tooFar` more than 200 m from the last point,
    ///   `inaccurate` beyond an accuracy of 100 m; it stays paused then.
    public mutating func resume(at now: Duration, from fix: Fix?) throws(SessionsError) {
        let next = try SessionStep.resume.applied(to: state)
        if let fix { try checkResumption(from: fix) }
        state = next
        begin(now)
    }

    private func checkResumption(from fix: Fix) throws(SessionsError) {
        guard rules.accuracy.accepts(fix) else {
            throw SessionsError(
                .inaccurate, "The position is not accurate enough to resume the route.")
        }
        let paused = segments.last(where: { !$0.isEmpty })?.last?.fix.position
        if let paused, paused.distance(to: fix.position) > rules.resumeDistance {
            throw SessionsError(.tooFar, "The route was paused too far from here to resume it.")
        }
    }

    /// Finishes the active or paused route.
    ///
    /// If the route has only one point, the point is removed.
    ///
    /// - Throws: `wrongState` if it is inactive.
    public mutating func finish(at now: Duration) throws(SessionsError) {
        let next = try SessionStep.finish.applied(to: state)
        let now = tick(now)
        if state == .active { noteSilence(now) }
        state = next
        if pointCount < 2 { segments = [] }
    }

    /// Replaces the points and warnings by an entered length.
    ///
    /// - Throws: `invalid` for a length that is negative or not finite.
    public mutating func enter(distance metres: Double) throws(SessionsError) {
        guard metres.isFinite, metres >= 0 else {
            throw SessionsError(.invalid, "The length of a route must not be negative.")
        }
        entered = metres
        segments = []
        (pointCount, jumps, signalLosses) = (0, 0, 0)
    }

    /// The latest reading of the clock, including this one.
    private mutating func tick(_ now: Duration) -> Duration {
        clock = max(clock, now)
        return clock
    }

    private mutating func begin(_ now: Duration) {
        began = tick(now)
        lastAccurateFix = began
        (accuracy, newest, earlier) = (nil, nil, nil)
        if entered == nil { segments.append([]) }
    }

    /// The result of a fix.
    public enum Outcome: Hashable, Sendable {
        /// It became a point, at a distance from the previous one; zero for the first of a segment.
        case kept(metres: Double)
        /// It did not become a point.
        case discarded(RouteDiscard)
    }

    /// Takes the newest fix of a batch; the others are counted as superseded.
    ///
    /// - Returns: `nil` for an empty batch, which is counted.
    @discardableResult
    public mutating func take(_ batch: [Fix], at now: Duration) -> Outcome? {
        guard let newest = Fix.newest(of: batch) else {
            emptyBatches += 1
            return nil
        }
        if batch.count > 1 { discarded[.superseded, default: 0] += batch.count - 1 }
        return take(newest, at: now)
    }

    /// Takes a fix.
    ///
    /// Fixes of unknown accuracy are accepted as accurate.
    @discardableResult
    public mutating func take(_ fix: Fix, at now: Duration) -> Outcome {
        let outcome = evaluate(fix, tick(now))
        switch outcome {
        case .kept(let metres):
            segments[segments.count - 1].append(RoutePoint(fix))
            pointCount += 1
            measured += metres
            if metres > rules.jumpDistance { jumps += 1 }
        case .discarded(let reason): discarded[reason, default: 0] += 1
        }
        return outcome
    }

    /// Records that the receiver reported no position.
    public mutating func loseSignal(at now: Duration) {
        _ = tick(now)
        (received, shownAccuracy, accuracy) = (nil, nil, nil)
    }

    /// Counts a signal loss if the time since the last accurate fix was too long.
    private mutating func noteSilence(_ now: Duration) {
        if now - lastAccurateFix > rules.signalLoss { signalLosses += 1 }
        lastAccurateFix = now
    }

    /// Whether a fix is later than the previous ones.
    ///
    /// Fixes with earlier times that increase for 5 s are accepted: the receiver's clock was
    /// corrected. Otherwise no fix would be accepted after one with a time in the future.
    private mutating func isNext(_ fix: Fix, _ now: Duration) -> Bool {
        guard let newest, fix.time <= newest else {
            earlier = nil
            return true
        }
        guard let run = earlier, fix.time > run.time else {
            earlier = EarlierRun(since: now, time: fix.time)
            return false
        }
        guard now - run.since < rules.clockCorrection else {
            earlier = nil
            return true
        }
        earlier = EarlierRun(since: run.since, time: fix.time)
        return false
    }

    private mutating func evaluate(_ fix: Fix, _ now: Duration) -> Outcome {
        guard state == .active else { return .discarded(.notActive) }
        guard entered == nil else { return .discarded(.manualDistance) }
        guard isNext(fix, now) else { return .discarded(.stale) }
        newest = fix.time
        (received, shownAccuracy) = (now, fix.accuracy)
        let isAccurate = rules.accuracy.accepts(fix)
        // An inaccurate fix leaves a gap in the route, like no fix.
        if isAccurate { noteSilence(now) }
        if now - began < rules.warmUp { return .discarded(.warmingUp) }
        guard isAccurate else { return .discarded(.inaccurate) }
        let before = accuracy
        accuracy = fix.accuracy
        if let before, let current = fix.accuracy, current > before {
            return .discarded(.worseAccuracy)
        }
        guard pointCount < rules.pointLimit else { return .discarded(.full) }
        guard let last = segments.last?.last else { return .kept(metres: 0) }
        let metres = last.fix.position.distance(to: fix.position)
        if metres < rules.minimumDistance { return .discarded(.tooNear) }
        if let current = fix.accuracy, current > metres {
            return .discarded(.accuracyBeyondDistance)
        }
        return .kept(metres: metres)
    }

    /// The current quality of the position.
    public enum Signal: Hashable, Sendable, CustomStringConvertible {
        /// The accuracy radius in metres; `nil` if unknown.
        case accuracy(Double?)
        /// No fix.
        case none

        /// `±5 m`, `accuracy unknown` or `no signal`.
        public var description: String {
            switch self {
            case .accuracy(let metres?): "±\(DecimalText(metres, digits: 0)) m"
            case .accuracy(nil): "accuracy unknown"
            case .none: "no signal"
            }
        }
    }

    /// The accuracy of the newest fix, unless it is older than 5 s or the receiver lost its
    /// position.
    public func signal(at now: Duration) -> Signal {
        guard let received, max(now, clock) - received <= rules.silence else { return .none }
        return .accuracy(shownAccuracy)
    }

    /// The time since the last accurate fix, while the route is active.
    public func silence(at now: Duration) -> Duration {
        state == .active ? max(now, clock) - lastAccurateFix : .zero
    }

    /// The defects so far.
    public var warnings: Set<RouteRecord.Warning> {
        var warnings: Set<RouteRecord.Warning> = []
        if jumps > 0 { warnings.insert(.jump) }
        if signalLosses > 0 { warnings.insert(.signalLost) }
        return warnings
    }

    /// The route so far; if it has only one point, it is returned without points.
    public var record: RouteRecord {
        get throws(SessionsError) {
            do {
                return try RouteRecord(
                    segments: pointCount < 2 ? [] : segments, distance: distance,
                    source: entered == nil ? .measured : .manual, warnings: warnings)
            } catch {
                throw SessionsError(error)
            }
        }
    }
}
