public import Samples

/// The state of a rule: a state machine that takes one observation at each evaluation.
///
/// ```
///        condition holds            has held for `hold`
///   ok ─────────────────▶ pending ─────────────────────▶ firing
///    ▲◀───────────────────┘  does not hold                  │
///    └──────────────────────────────────────────────────────┘
///          has not held, or not been beyond `clear`, for `clearFor`
/// ```
///
/// A measure that is not known is not *ok*: it ends the time for which the condition has held, and by the
/// policy `keep` it changes nothing else.
public struct AlertState: Codable, Hashable, Sendable {
    /// The states.
    public enum Phase: String, Codable, Hashable, Sendable {
        /// The condition does not hold.
        case ok
        /// The condition holds, not yet long enough.
        case pending
        /// The rule has fired and not resolved.
        case firing
    }

    /// Why a measure is not known.
    public enum MissingReason: String, Codable, Hashable, Sendable, CaseIterable {
        /// The window has no samples.
        case noSamples = "no-samples"
        /// The samples cover too little of the window.
        case littleCoverage = "little-coverage"
        /// Too few of the windows of the baseline have samples.
        case littleHistory = "little-history"
        /// The sensor is off.
        case sensorOff = "sensor-off"
        /// The machine does not have the sensor now.
        case sensorUnavailable = "sensor-unavailable"
        /// There is no such sensor any more.
        case sensorRemoved = "sensor-removed"
        /// The sensor has no such numeric field any more.
        case fieldRemoved = "field-removed"
    }

    /// A time for which the measure is not known.
    public struct Missing: Codable, Hashable, Sendable {
        /// Why.
        public let reason: MissingReason
        /// The first evaluation at which it was not known, whatever the reason.
        public let since: Timestamp
    }

    /// What an evaluation found.
    public enum Observation: Hashable, Sendable {
        /// The measure.
        case value(Double)
        /// The measure is not known.
        case missing(MissingReason)
    }

    /// A change that is reported to the owner.
    public struct Transition: Hashable, Sendable {
        /// The kinds of change.
        public enum Kind: String, Codable, Hashable, Sendable {
            /// The rule fires.
            case fired
            /// The rule does not fire any more.
            case resolved
        }

        /// The kind of change.
        public let kind: Kind
        /// When it was evaluated.
        public let time: Timestamp
        /// The measure; `nil` when it is not known.
        public let value: Double?
        /// Whether the actions are omitted, because the rule had fired too often within an hour.
        public let isMuted: Bool
        /// Whether the next firings within an hour are muted.
        public let isLastBeforeMuting: Bool
    }

    /// The maximum number of firings within an hour that have actions; further ones are muted.
    public static let firingsPerHour = 10
    private static let hour: Int64 = 3_600_000_000

    /// The state.
    public private(set) var phase = Phase.ok
    /// Since when, or since when the rule exists.
    public private(set) var since: Timestamp
    /// Since when a rule that fires would resolve, were it not for `clearFor`.
    private var clearSince: Timestamp?
    /// `nil` while the measure is known.
    public private(set) var missing: Missing?
    /// The measure of the last evaluation at which it was known.
    public private(set) var value: Double?
    /// The time of the last evaluation; `nil` before the first.
    public private(set) var evaluated: Timestamp?
    /// When it has fired with actions within the last hour.
    private var firings: [Timestamp] = []
    /// Whether the actions of the last firing were omitted.
    private var isMuted = false

    /// The state of a new rule.
    public init(since: Timestamp) {
        self.since = since
    }

    /// Takes an observation.
    ///
    /// - Parameters:
    ///   - time: not before that of the previous observation.
    ///   - isStarting: whether samples have been collected for less than a window, so that their absence
    ///     means nothing.
    /// - Returns: a change to report to the owner, if any.
    mutating func observe(
        _ observation: Observation, at time: Timestamp, under rule: AlertRule,
        isStarting: Bool = false
    ) -> Transition? {
        evaluated = time
        let isMet: Bool
        switch observation {
        case .value(let number):
            (value, missing) = (number, nil)
            isMet = rule.threshold.isMet(number, isFiring: phase == .firing)
        case .missing(let reason):
            missing = Missing(reason: reason, since: missing?.since ?? time)
            // The owner turned the sensor off.
            switch isStarting || reason == .sensorOff ? .keep : rule.missing {
            case .keep:
                interrupt(at: time)
                return nil
            case .fire: isMet = true
            case .clear: isMet = false
            }
        }
        return isMet ? hold(at: time, under: rule) : release(at: time, under: rule)
    }

    /// Notes that there were no evaluations until a time, so that a condition that holds before and after
    /// does not count as having held meanwhile.
    mutating func interrupt(at time: Timestamp) {
        evaluated = time
        clearSince = nil
        if phase == .pending { enter(.ok, at: time) }
    }

    /// Notes that the clock was set back: no time is later than the next evaluation.
    mutating func turnBack(to time: Timestamp) {
        since = min(since, time)
        clearSince = clearSince.map { min($0, time) }
        evaluated = evaluated.map { min($0, time) }
        missing = missing.map { Missing(reason: $0.reason, since: min($0.since, time)) }
        firings = firings.map { min($0, time) }
    }

    // MARK: - Private

    private mutating func hold(at time: Timestamp, under rule: AlertRule) -> Transition? {
        clearSince = nil
        if phase == .ok { enter(.pending, at: time) }
        guard phase == .pending, time.microseconds - since.microseconds >= rule.hold else {
            return nil
        }
        enter(.firing, at: time)
        firings.removeAll { time.microseconds - $0.microseconds >= Self.hour }
        isMuted = firings.count >= Self.firingsPerHour
        if !isMuted { firings.append(time) }
        return transition(
            .fired, at: time, isLast: !isMuted && firings.count == Self.firingsPerHour)
    }

    private mutating func release(at time: Timestamp, under rule: AlertRule) -> Transition? {
        guard phase == .firing else {
            if phase == .pending { enter(.ok, at: time) }
            return nil
        }
        let began = clearSince ?? time
        clearSince = began
        guard time.microseconds - began.microseconds >= rule.clearFor else { return nil }
        clearSince = nil
        enter(.ok, at: time)
        return transition(.resolved, at: time, isLast: false)
    }

    private mutating func enter(_ phase: Phase, at time: Timestamp) {
        (self.phase, since) = (phase, time)
    }

    private func transition(
        _ kind: Transition.Kind, at time: Timestamp, isLast: Bool
    ) -> Transition {
        Transition(
            kind: kind, time: time, value: missing == nil ? value : nil, isMuted: isMuted,
            isLastBeforeMuting: isLast)
    }
}
