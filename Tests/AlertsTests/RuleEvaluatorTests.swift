import API
import Samples
import Statistics
import TestSupport
import Testing

@testable import Alerts

struct RuleEvaluatorTests {
    private let source = MemorySource()

    private func evaluator(
        _ rule: AlertRule, listeningSince: Timestamp = .distantPast, isHistory: Bool = false
    ) -> RuleEvaluator {
        RuleEvaluator(
            rule, AlertState(since: .noon), listeningSince: listeningSince, isHistory: isHistory)
    }

    /// The measure of each step; `nil` if it was not known.
    private func values(_ steps: [RuleEvaluator.Step]) -> [Double?] {
        steps.map { if case .value(let value) = $0.observation { value } else { nil } }
    }

    private static func mean(_ samples: [(time: Timestamp, value: Double)]) -> Double? {
        samples.isEmpty ? nil : samples.reduce(0) { $0 + $1.value } / Double(samples.count)
    }

    /// Random samples, 1 to 3 s apart, with gaps.
    private func fill(_ seconds: Double, seed: UInt64) {
        var random = SplitMix(state: seed)
        var time = 0.0
        while time < seconds {
            source.add(.random(in: 0...20, using: &random), at: .noon.after(seconds: time))
            time += .random(in: 1...3, using: &random)
            if Int.random(in: 0..<100, using: &random) == 0 { time += 120 }
        }
    }

    @Test(arguments: UInt64(1)...5)
    func `each measure is that of the samples in the window`(seed: UInt64) async throws {
        fill(3600, seed: seed)
        for name in ["mean", "min", "max", "count", "stddev", "last"] {
            let rule = try AlertRule.make { definition in
                (definition.statistic, definition.window) = (name, "90s")
                definition.coverage = 0
            }
            let statistic = try #require(Statistic(name))
            var live = evaluator(rule)
            var steps: [RuleEvaluator.Step] = []
            for tick in 1...720 {
                let now = Timestamp.noon.after(seconds: Double(tick) * 5 + 0.3)
                steps += try await live.advance(through: now, reading: source)
            }
            #expect(steps.count == 721)
            for step in steps {
                let range = TimeRange(from: step.time.after(seconds: -90), to: step.time)
                let values = source.samples(in: range).map(\.value)
                var summary = FieldSummary(hasSketch: false)
                for (index, value) in values.enumerated() {
                    summary.insert(
                        value,
                        at: SampleQuery.Position(
                            time: range.from.after(seconds: Double(index)), sequence: Int64(index)))
                }
                let expected =
                    values.isEmpty && name == "count" ? 0 : summary.value(of: statistic)
                guard case .value(let value) = step.observation else {
                    #expect(values.isEmpty || expected == nil, "\(name)")
                    continue
                }
                #expect(try abs(value - #require(expected)) < 1e-9, "\(name)")
            }
        }
    }

    @Test(arguments: UInt64(6)...8)
    func `a test over history makes the evaluations of the engine`(seed: UInt64) async throws {
        fill(7200, seed: seed)
        let rule = try AlertRule.make { ($0.window, $0.above, $0.hold) = ("60s", 10.5, "10s") }
        var live = evaluator(rule)
        var steps: [RuleEvaluator.Step] = []
        for tick in 0...1440 {
            let now = Timestamp.noon.after(seconds: Double(tick) * 5 + 0.1)
            steps += try await live.advance(through: now, reading: source)
        }
        let replay = try await AlertReplay(
            rule, over: TimeRange(from: .noon, to: .noon.after(seconds: 7200)), reading: source)
        #expect(replay.steps == steps.count)
        #expect(replay.transitions == steps.compactMap(\.transition))
        #expect(!replay.transitions.isEmpty)
        let known = values(steps).compactMap(\.self)
        let extremes = try #require(replay.extremes)
        #expect(try abs(extremes.upperBound - #require(known.max())) < 1e-9)
    }

    @Test func `samples that arrive late are counted`() async throws {
        let rule = try AlertRule.make { ($0.window, $0.coverage) = ("1h", 0) }
        var live = evaluator(rule)
        for tick in 1...400 {
            let now = Timestamp.noon.after(seconds: Double(tick) * 15)
            source.add(1, at: now.after(seconds: -5))
            _ = try await live.advance(through: now, reading: source)
        }
        // A device sends what it measured half an hour ago.
        let late = Timestamp.noon.after(seconds: 400 * 15 - 1800)
        for second in 0..<200 { source.add(100, at: late.after(seconds: Double(second))) }
        var found: [Double?] = []
        for tick in 401...450 {
            let now = Timestamp.noon.after(seconds: Double(tick) * 15)
            source.add(1, at: now.after(seconds: -5))
            found += values(try await live.advance(through: now, reading: source))
        }
        let end = Timestamp.noon.after(seconds: 450 * 15)
        let expected = Self.mean(
            source.samples(in: TimeRange(from: end.after(seconds: -3600), to: end)))
        let (last, mean) = try (#require(found.last ?? nil), #require(expected))
        #expect(abs(last - mean) < 1e-9)
        #expect(last > 40)
    }

    @Test func `only new cells are read, and the window again while an eighth of it passes`()
        async throws
    {
        let rule = try AlertRule.make { $0.window = "1d" }
        var live = evaluator(rule)
        _ = try await live.advance(through: .noon, reading: source)
        #expect(source.read == 288)
        for tick in 1...288 {
            let now = Timestamp.noon.after(seconds: Double(tick) * 300)
            _ = try await live.advance(through: now, reading: source)
        }
        // Four cells each time, and eight times all.
        #expect(source.read <= 288 * 4 + 9 * 288)
    }

    @Test func `a window that samples cover too little is not evaluated`() async throws {
        let rule = try AlertRule.make { $0.window = "60s" }
        var live = evaluator(rule)
        for second in stride(from: 0.0, to: 20, by: 2) {
            source.add(20, at: .noon.after(seconds: second))
        }
        let first = try await live.advance(through: .noon.after(seconds: 20), reading: source)
        #expect(first.last?.observation == .missing(.littleCoverage))
        for second in stride(from: 20.0, to: 40, by: 2) {
            source.add(20, at: .noon.after(seconds: second))
        }
        let steps = try await live.advance(through: .noon.after(seconds: 40), reading: source)
        #expect(steps.last?.observation == .value(20))
        #expect(steps.compactMap(\.transition).map(\.kind) == [.fired])
        let later = try await live.advance(through: .noon.after(seconds: 200), reading: source)
        #expect(later.last?.observation == .missing(.noSamples))
        #expect(later.compactMap(\.transition).isEmpty)
        #expect(live.state.phase == .firing)
    }

    @Test func `the number of samples is 0 without samples`() async throws {
        let rule = try AlertRule.make {
            ($0.statistic, $0.above, $0.below) = ("count", nil, 1)
        }
        var live = evaluator(rule)
        let steps = try await live.advance(through: .noon, reading: source)
        #expect(steps.compactMap(\.transition).map(\.kind) == [.fired])
    }

    // MARK: - Clocks

    @Test func `a clock that is set back neither stops a rule nor makes it fire again`()
        async throws
    {
        let rule = try AlertRule.make { $0.coverage = 0 }
        var live = evaluator(rule)
        for second in 0..<120 { source.add(20, at: .noon.after(seconds: Double(second))) }
        var kinds = try await live.advance(through: .noon.after(seconds: 60), reading: source)
            .compactMap(\.transition).map(\.kind)
        kinds += try await live.advance(through: .noon.after(seconds: 30), reading: source)
            .compactMap(\.transition).map(\.kind)
        #expect(live.state.evaluated == .noon.after(seconds: 30))
        for tick in 7...24 {
            let now = Timestamp.noon.after(seconds: Double(tick) * 5)
            kinds += try await live.advance(through: now, reading: source)
                .compactMap(\.transition).map(\.kind)
        }
        #expect(kinds == [.fired])
    }

    @Test func `a long pause is not made up for, and ends what a condition held`() async throws {
        let rule = try AlertRule.make { ($0.hold, $0.coverage) = ("20s", 0) }
        var live = evaluator(rule)
        for second in 0..<20 { source.add(20, at: .noon.after(seconds: Double(second))) }
        _ = try await live.advance(through: .noon.after(seconds: 15), reading: source)
        #expect(live.state.phase == .pending)
        let later = Timestamp.noon.after(seconds: 5 * 86_400)
        for second in -30..<0 { source.add(20, at: later.after(seconds: Double(second))) }
        let steps = try await live.advance(through: later, reading: source)
        #expect(steps.count == 1)
        #expect(live.state.phase == .pending)
        #expect(live.state.since == later)
    }

    // MARK: - Silence

    @Test func `a sensor that falls silent fires, and resolves with its next sample`()
        async throws
    {
        let rule = try AlertRule.silence("60s")
        var live = evaluator(rule, listeningSince: .noon)
        for second in stride(from: 0.0, through: 30, by: 5) {
            source.add(1, at: .noon.after(seconds: second))
        }
        var events: [(Double, AlertState.Transition.Kind)] = []
        for tick in 1...60 {
            let now = Timestamp.noon.after(seconds: Double(tick) * 5)
            if tick == 41 { source.add(1, at: now.after(seconds: -1)) }
            for step in try await live.advance(through: now, reading: source) {
                guard let kind = step.transition?.kind else { continue }
                events.append(
                    (Double(step.time.microseconds - Timestamp.noon.microseconds) / 1e6, kind))
            }
        }
        #expect(events.map(\.0) == [95, 205, 265])
        #expect(events.map(\.1) == [.fired, .resolved, .fired])
    }

    @Test func `silence counts from the start of the host, and one that was told goes on`()
        async throws
    {
        let rule = try AlertRule.silence("60s")
        source.add(1, at: .noon.after(seconds: -3600))
        var live = evaluator(rule, listeningSince: .noon)
        var steps: [RuleEvaluator.Step] = []
        for tick in 0...30 {
            let now = Timestamp.noon.after(seconds: Double(tick) * 5)
            steps += try await live.advance(through: now, reading: source)
        }
        let fired = steps.compactMap(\.transition)
        #expect(fired.map(\.time) == [.noon.after(seconds: 65)])
        // The next host.
        var next = RuleEvaluator(
            rule, live.state, listeningSince: .noon.after(seconds: 600))
        let again = try await next.advance(through: .noon.after(seconds: 605), reading: source)
        #expect(again.compactMap(\.transition).isEmpty)
        #expect(next.state.phase == .firing)
    }

    @Test func `a machine that slept does not take its sensors for silent`() async throws {
        let rule = try AlertRule.silence("60s")
        source.add(1, at: .noon)
        var live = evaluator(rule, listeningSince: .noon)
        _ = try await live.advance(through: .noon.after(seconds: 5), reading: source)
        let woken = Timestamp.noon.after(seconds: 3600)
        live.listenAgain(at: woken)
        let steps = try await live.advance(through: woken.after(seconds: 30), reading: source)
        #expect(!steps.isEmpty)
        #expect(steps.compactMap(\.transition).isEmpty)
    }

    // MARK: - Scores

    @Test func `a window that differs from those before it has a high score`() async throws {
        let rule = try AlertRule.make {
            ($0.window, $0.baseline, $0.above) = ("60s", "30m", 10)
        }
        var random = SplitMix(state: 9)
        for second in stride(from: 0.0, to: 3600, by: 2) {
            let extra = (2400..<2460).contains(second) ? 30.0 : 0
            source.add(
                20 + extra + .random(in: -1...1, using: &random),
                at: .noon.after(seconds: second))
        }
        var history = evaluator(rule, isHistory: true)
        _ = try await history.advance(through: .noon.after(seconds: 0), reading: source)
        let steps = try await history.advance(
            through: .noon.after(seconds: 3600), reading: source)
        let events = steps.compactMap(\.transition)
        #expect(events.map(\.time) == [2460, 2520].map { Timestamp.noon.after(seconds: $0) })
        #expect(steps.first?.observation == .missing(.littleHistory))
        // The score is that of the published formula.
        let means = (10...40).map { window in
            Self.mean(
                source.samples(
                    in: TimeRange(
                        from: .noon.after(seconds: Double(window) * 60),
                        to: .noon.after(seconds: Double(window + 1) * 60)))) ?? 0
        }
        let expected = try #require(AnomalyScore(means)?.score(means[30]))
        #expect(try abs(#require(events.first?.value) - abs(expected)) < 1e-6)
    }

    @Test func `equal windows have the score 0`() async throws {
        let rule = try AlertRule.make {
            ($0.window, $0.baseline, $0.above) = ("60s", "30m", nil)
        }
        for second in stride(from: 0.0, to: 3600, by: 5) {
            source.add(7, at: .noon.after(seconds: second))
        }
        var live = evaluator(rule)
        let steps = try await live.advance(through: .noon.after(seconds: 3600), reading: source)
        #expect(steps.last?.observation == .value(0))
    }

    // MARK: - Sensors

    @Test(arguments: AlertState.MissingReason.allCases)
    func `a sensor that cannot be read is no reason to forget a rule`(
        reason: AlertState.MissingReason
    ) async throws {
        let rule = try AlertRule.make { $0.coverage = 0 }
        var live = evaluator(rule)
        for second in 0..<30 { source.add(20, at: .noon.after(seconds: Double(second))) }
        _ = try await live.advance(through: .noon.after(seconds: 20), reading: source)
        #expect(live.state.phase == .firing)
        source.set(.missing(reason))
        _ = try await live.advance(through: .noon.after(seconds: 25), reading: source)
        #expect(live.state.phase == .firing)
        #expect(live.state.missing?.reason == reason)
        source.set(.readable(unit: nil))
        for second in 60..<100 { source.add(1, at: .noon.after(seconds: Double(second))) }
        let steps = try await live.advance(through: .noon.after(seconds: 100), reading: source)
        #expect(steps.compactMap(\.transition).map(\.kind) == [.resolved])
        #expect(live.state.missing == nil)
    }
}
