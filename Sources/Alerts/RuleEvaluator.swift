import Samples
import Statistics

/// Evaluates one rule, step by step: the engine with the machine's clock, a test over recorded history.
///
/// Evaluations are at multiples of the rule's step. Each reads the samples since the previous one and, since
/// samples can arrive late, those of the last few cells again. The whole window is read again once per eighth of
/// its length, or every 12 evaluations if that is longer.
struct RuleEvaluator: Sendable {
    /// One evaluation.
    struct Step: Hashable, Sendable {
        let time: Timestamp
        let observation: AlertState.Observation
        let transition: AlertState.Transition?
    }

    /// The maximum number of missed evaluations that are run after a restart or a pause.
    static let catchUpLimit = 720
    /// The maximum number of evaluations for which samples are read at once.
    private static let chunk: Int64 = 512
    /// The number of cells that are read again.
    private static let tailLimit = 3

    let rule: AlertRule
    private(set) var state: AlertState
    /// Since when the sensor can have been heard: silence before it does not count.
    private var listeningSince: Timestamp
    private let catchUpLimit: Int64
    private let readsAgain: Bool
    private var samples = RecentSamples()
    /// The end of the last cell; `nil` when there are none.
    private var end: Timestamp?
    private var stepsSinceReload: Int64 = 0

    /// - Parameters:
    ///   - listeningSince: when the host began to collect samples.
    ///   - isHistory: whether all evaluations are made, each from samples that are read once.
    init(
        _ rule: AlertRule, _ state: AlertState, listeningSince: Timestamp, isHistory: Bool = false
    ) {
        self.rule = rule
        self.state = state
        self.listeningSince = listeningSince
        catchUpLimit = isHistory ? .max : Int64(Self.catchUpLimit)
        readsAgain = !isHistory
    }

    /// Whether an evaluation is due.
    func isDue(at now: Timestamp) -> Bool {
        state.evaluated.map { floor(now) != $0 } ?? true
    }

    /// Notes that the clock was set or that the machine slept, so that the sensor could not be heard.
    mutating func listenAgain(at now: Timestamp) {
        listeningSince = now
        state.interrupt(at: floor(now))
        forgetSamples()
    }

    /// Makes all evaluations up to a time.
    ///
    /// - Throws: `sourceFailed`; the value must then be discarded.
    mutating func advance(
        through now: Timestamp, reading source: some AlertSource
    ) async throws(AlertsError) -> [Step] {
        let last = floor(now)
        var next = state.evaluated?.advanced(byMicroseconds: rule.step) ?? floor(state.since)
        if let evaluated = state.evaluated, last <= evaluated {
            guard last < evaluated else { return [] }
            state.turnBack(to: last)
            state.interrupt(at: last)
            forgetSamples()
            next = last
        } else if (last.microseconds - next.microseconds) / rule.step >= catchUpLimit {
            state.interrupt(at: last)
            forgetSamples()
            next = last
        }
        if case .missing(let reason) = await source.input(of: rule) {
            forgetSamples()
            return [observe(.missing(reason), at: last)]
        }
        var steps: [Step] = []
        while next <= last {
            let until = min(last, next.advanced(byMicroseconds: (Self.chunk - 1) * rule.step))
            let fresh = try await read(next, through: until, from: source)
            // Cells that were read again, and those before the first evaluation.
            var cells = fresh.makeIterator()
            while next <= until {
                while let position = end, position < next, let cell = cells.next() {
                    append(cell)
                }
                steps.append(observe(observation(at: next), at: next))
                next = next.advanced(byMicroseconds: rule.step)
            }
        }
        return steps
    }

    // MARK: - Samples

    private func floor(_ time: Timestamp) -> Timestamp {
        let rest = time.microseconds % rule.step
        return time.advanced(byMicroseconds: -(rest < 0 ? rest + rule.step : rest))
    }

    private mutating func forgetSamples() {
        samples = RecentSamples()
        end = nil
        stepsSinceReload = 0
    }

    /// Reads the cells for some evaluations; ``end`` is then the start of the first of them.
    private mutating func read(
        _ first: Timestamp, through last: Timestamp, from source: some AlertSource
    ) async throws(AlertsError) -> [WindowSummary] {
        stepsSinceReload += (last.microseconds - first.microseconds) / rule.step + 1
        if readsAgain, stepsSinceReload > max(12, Int64(rule.cells / 8)) { forgetSamples() }
        if let end, end.advanced(byMicroseconds: rule.step) == first {
            let dropped = readsAgain ? samples.dropTail() : 0
            self.end = end.advanced(byMicroseconds: -Int64(dropped) * rule.step)
        } else {
            forgetSamples()
            end = first.advanced(byMicroseconds: -Int64(rule.cells) * rule.step)
            if rule.measure == .silence {
                let start = first.advanced(byMicroseconds: -rule.step)
                samples.newest = try await source.newest(of: rule, before: start)
            }
        }
        guard let end else { return [] }
        return try await source.windows(
            of: rule, in: TimeRange(from: end, to: last), every: rule.step)
    }

    private mutating func append(_ cell: WindowSummary) {
        guard let start = end else { return }
        let stop = start.advanced(byMicroseconds: rule.step)
        end = stop
        let span = TimeRange(from: start, to: stop)
        samples.append(cell, limit: rule.cells, tailLimit: Self.tailLimit)
        switch rule.measure {
        case .statistic: break
        case .silence:
            let newest = cell.spacing?.last ?? (cell.count > 0 ? stop : nil)
            samples.newest = [samples.newest, newest].compactMap(\.self).max()
        case .anomaly(let statistic):
            let isCovered = covers(cell, span, occupancy: cell.count > 0 ? 1 : 0)
            samples.append(isCovered ? cell.fields.first?.value(of: statistic) : nil)
        }
    }

    // MARK: - Measures

    private mutating func observe(
        _ observation: AlertState.Observation, at time: Timestamp
    ) -> Step {
        let width = Int64(rule.cells) * rule.step
        let isStarting = time < listeningSince.advanced(byMicroseconds: width)
        return Step(
            time: time, observation: observation,
            transition: state.observe(
                observation, at: time, under: rule, isStarting: isStarting))
    }

    private func observation(at time: Timestamp) -> AlertState.Observation {
        switch rule.measure {
        case .silence: silence(at: time)
        case .anomaly: score
        case .statistic(let statistic): value(of: statistic, at: time)
        }
    }

    private func silence(at time: Timestamp) -> AlertState.Observation {
        // A sensor that was silent before the host was started still is.
        let heard = state.phase == .firing ? samples.newest : nil
        let since = heard ?? max(samples.newest ?? state.since, listeningSince)
        return .value(Double(max(0, time.microseconds - since.microseconds)) / 1_000_000)
    }

    private func value(of statistic: Statistic, at time: Timestamp) -> AlertState.Observation {
        let total = samples.total
        guard let total, total.count > 0 else {
            return statistic == .count && rule.coverage == 0 ? .value(0) : .missing(.noSamples)
        }
        let width = Int64(rule.cells) * rule.step
        let span = TimeRange(from: time.advanced(byMicroseconds: -width), to: time)
        guard covers(total, span, occupancy: samples.occupancy) else {
            return .missing(.littleCoverage)
        }
        guard let value = total.fields.first?.value(of: statistic), value.isFinite else {
            return .missing(.noSamples)
        }
        return .value(value)
    }

    /// The absolute score of the last window among all.
    private var score: AlertState.Observation {
        guard let last = samples.values.last, let last else { return .missing(.noSamples) }
        let known = samples.values.compactMap(\.self)
        guard known.count > AlertRule.leastHistory, let scores = AnomalyScore(known) else {
            return .missing(.littleHistory)
        }
        // Without a score, all numbers are equal.
        return .value(abs(scores.score(last) ?? 0))
    }

    /// Whether the samples of a window cover enough of it.
    ///
    /// - Parameter occupancy: the share of its cells that have samples, which decides where fewer than three
    ///   samples do not define a usual interval.
    private func covers(_ window: WindowSummary, _ span: TimeRange, occupancy: Double) -> Bool {
        guard rule.coverage > 0 else { return window.count > 0 }
        guard window.count > 0 else { return false }
        // Of pruned samples, the times are unknown.
        if window.hasUnknownTimes { return true }
        let observed = ObservedTime([window.spacing], in: [span]).microseconds.first ?? nil
        let width = span.to.microseconds - span.from.microseconds
        let share = observed.map { Double($0) / Double(width) } ?? occupancy
        return share >= rule.coverage
    }
}

/// The cells of a window, the last of which can be read again.
private struct RecentSamples: Sendable {
    private var settled = SlidingWindowAggregate()
    private var tail: [WindowSummary] = []
    /// For a score: the statistic of each cell.
    private(set) var values: [Double?] = []
    /// For silence: the time of the newest sample.
    var newest: Timestamp?

    var total: WindowSummary? { settled.total(with: tail) }

    /// The share of the cells that have samples.
    var occupancy: Double {
        let occupied = settled.occupied + tail.count { $0.count > 0 }
        return Double(occupied) / Double(max(1, settled.count + tail.count))
    }

    mutating func append(_ cell: WindowSummary, limit: Int, tailLimit: Int) {
        tail.append(cell)
        if tail.count > tailLimit { settled.append(tail.removeFirst()) }
        while settled.count + tail.count > limit {
            if settled.count > 0 { settled.removeFirst() } else { tail.removeFirst() }
            if !values.isEmpty { values.removeFirst() }
        }
    }

    mutating func append(_ value: Double?) { values.append(value) }

    /// Removes the cells that are read again.
    ///
    /// - Returns: their number.
    mutating func dropTail() -> Int {
        defer { tail = [] }
        values.removeLast(min(values.count, tail.count))
        return tail.count
    }
}
