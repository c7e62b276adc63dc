public import Samples

/// When a rule would have fired over recorded history: the evaluations of the engine, in virtual time.
///
/// ```swift
/// let replay = try await AlertReplay(rule, over: lastWeek, reading: source)
/// print(replay.transitions.map(\.time))
/// ```
public struct AlertReplay: Sendable {
    /// A time range in which the measure was not known.
    public struct Gap: Hashable, Sendable {
        /// From the first evaluation without a measure to the next one with a measure, or to the end.
        public let range: TimeRange
        /// Why, at first.
        public let reason: AlertState.MissingReason
    }

    /// The maximum number of evaluations.
    public static let stepLimit: Int64 = 250_000
    /// The maximum number of transitions, and of gaps, that are kept.
    public static let listLimit = 1000
    private static let chunk: Int64 = 512

    /// The time of the first evaluation, and of the last.
    public private(set) var range: TimeRange
    /// The number of evaluations.
    public private(set) var steps = 0
    /// The changes that would have been reported, in order; the first ``listLimit``.
    public private(set) var transitions: [AlertState.Transition] = []
    /// Whether there were more.
    public private(set) var hasMore = false
    /// The gaps, in order; the first ``listLimit``.
    public private(set) var gaps: [Gap] = []
    /// The smallest and the largest measure.
    public private(set) var extremes: ClosedRange<Double>?

    /// Evaluates a rule over a range.
    ///
    /// - Throws: `invalid` for a range with more than ``stepLimit`` evaluations, `sourceFailed`.
    public init(
        _ rule: AlertRule, over range: TimeRange, reading source: some AlertSource
    ) async throws(AlertsError) {
        let width = range.to.microseconds.subtractingReportingOverflow(range.from.microseconds)
        guard !width.overflow, width.partialValue / rule.step <= Self.stepLimit else {
            throw .invalid(
                "The range has more than \(Self.stepLimit) evaluations, one each"
                    + " \(Duration.microseconds(rule.step).span).",
                hint: "Choose a shorter range.")
        }
        self.range = TimeRange(from: range.to, to: range.to)
        var evaluator = RuleEvaluator(
            rule, AlertState(since: range.from), listeningSince: .distantPast, isHistory: true)
        var (time, open): (Timestamp, (AlertState.MissingReason, Timestamp)?) = (range.from, nil)
        while time <= range.to {
            do {
                try Task.checkCancellation()
            } catch {
                throw AlertsError(.sourceFailed, "The test was cancelled.", cause: error)
            }
            for step in try await evaluator.advance(through: time, reading: source) {
                add(step, &open)
            }
            guard time < range.to else { break }
            time = min(range.to, time.advanced(byMicroseconds: Self.chunk * rule.step))
        }
        if let (reason, start) = open { add(reason, start, self.range.to) }
    }

    private mutating func add(
        _ step: RuleEvaluator.Step, _ open: inout (AlertState.MissingReason, Timestamp)?
    ) {
        range = TimeRange(from: steps == 0 ? step.time : range.from, to: step.time)
        steps += 1
        switch step.observation {
        case .missing(let reason): open = open ?? (reason, step.time)
        case .value(let value):
            if let (reason, start) = open { add(reason, start, step.time) }
            open = nil
            let (lowest, highest) = (extremes?.lowerBound ?? value, extremes?.upperBound ?? value)
            extremes = min(value, lowest)...max(value, highest)
        }
        guard let transition = step.transition else { return }
        if transitions.count < Self.listLimit {
            transitions.append(transition)
        } else {
            hasMore = true
        }
    }

    private mutating func add(
        _ reason: AlertState.MissingReason, _ from: Timestamp, _ to: Timestamp
    ) {
        guard gaps.count < Self.listLimit else { return }
        gaps.append(Gap(range: TimeRange(from: from, to: to), reason: reason))
    }
}
