import API
import Samples
import TestSupport
import Testing

@testable import Alerts

struct AlertStateTests {
    private static let step = 5.0

    /// The transitions for measures that are 5 s apart; `nil` is a missing one.
    private static func transitions(
        _ values: [Double?], _ rule: AlertRule
    ) -> [(index: Int, kind: AlertState.Transition.Kind)] {
        var state = AlertState(since: .noon)
        return values.enumerated().compactMap { index, value in
            let observation = value.map { AlertState.Observation.value($0) } ?? .missing(.noSamples)
            let time = Timestamp.noon.after(seconds: Double(index) * step)
            return state.observe(observation, at: time, under: rule).map { (index, $0.kind) }
        }
    }

    private static let examples: [(String, [Double?], [Int])] = [
        ("fires at once and resolves at the threshold", [9, 11, 12, 10, 11], [1, 3, 4]),
        ("does not fire at the threshold itself", [10, 10], []),
    ]

    @Test func `without further conditions the threshold decides`() throws {
        let rule = try AlertRule.make()
        for (name, values, expected) in Self.examples {
            #expect(Self.transitions(values, rule).map(\.index) == expected, "\(name)")
        }
    }

    @Test func `between the threshold and clear nothing changes`() throws {
        let rule = try AlertRule.make { $0.clear = 5 }
        let found = Self.transitions([7, 11, 7, 6, 11, 7, 5, 7, 11], rule)
        #expect(found.map(\.index) == [1, 6, 8])
        let low = try AlertRule.make { ($0.above, $0.below, $0.clear) = (nil, -2, 0) }
        #expect(Self.transitions([-1, -3, -1, 0, -1], low).map(\.index) == [1, 3])
    }

    @Test func `a condition must hold for the minimum time without a break`() throws {
        let rule = try AlertRule.make { $0.hold = "10s" }
        #expect(Self.transitions([11, 11, 9, 11, 11, 11], rule).map(\.index) == [5])
        #expect(Self.transitions([11, 11, nil, 11, 11, 11], rule).map(\.index) == [5])
    }

    @Test func `a rule resolves only after the time to clear`() throws {
        let rule = try AlertRule.make { $0.clearFor = "10s" }
        #expect(Self.transitions([11, 9, 9, 11, 9, 9, 9], rule).map(\.index) == [0, 6])
        #expect(Self.transitions([11, 9, 9, nil, 9, 9, 9], rule).map(\.index) == [0, 6])
    }

    @Test func `missing data are not ok`() throws {
        let keep = try AlertRule.make()
        #expect(Self.transitions([11, nil, nil, 11, nil, 9], keep).map(\.index) == [0, 5])
        let fire = try AlertRule.make { ($0.missing, $0.hold) = ("fire", "5s") }
        #expect(Self.transitions([9, nil, nil, nil, 9], fire).map(\.index) == [2, 4])
        let clear = try AlertRule.make { $0.missing = "clear" }
        #expect(Self.transitions([11, nil, nil], clear).map(\.index) == [0, 1])
        var state = AlertState(since: .noon)
        _ = state.observe(.missing(.noSamples), at: .noon, under: keep)
        _ = state.observe(.missing(.littleCoverage), at: .noon.after(seconds: 5), under: keep)
        #expect(state.missing?.since == .noon)
        #expect(state.missing?.reason == .littleCoverage)
    }

    @Test func `a sensor that the owner turned off does not fire`() throws {
        let rule = try AlertRule.make { $0.missing = "fire" }
        var state = AlertState(since: .noon)
        #expect(state.observe(.missing(.sensorOff), at: .noon, under: rule) == nil)
        let removed = state.observe(
            .missing(.sensorRemoved), at: .noon.after(seconds: 5), under: rule)
        #expect(removed?.kind == .fired)
    }

    @Test func `after ten firings within an hour further ones are muted`() throws {
        let rule = try AlertRule.make()
        var state = AlertState(since: .noon)
        var told: [AlertState.Transition] = []
        for index in 0..<1440 {
            let value = index.isMultiple(of: 2) ? 11.0 : 9.0
            let time = Timestamp.noon.after(seconds: Double(index) * 5)
            if let found = state.observe(.value(value), at: time, under: rule) {
                told.append(found)
            }
        }
        // Two hours of a rule that fires each 10 s.
        let fired = told.filter { $0.kind == .fired }
        #expect(fired.count == 720)
        #expect(fired.count { !$0.isMuted } == 20)
        for (one, next) in zip(fired, fired.dropFirst()) where !one.isMuted && next.isMuted {
            #expect(one.isLastBeforeMuting)
        }
        #expect(fired.prefix(9).allSatisfy { !$0.isLastBeforeMuting })
        // What was not told to fire is not told to resolve.
        for (fired, resolved) in zip(fired, told.filter { $0.kind == .resolved }) {
            #expect(fired.isMuted == resolved.isMuted)
        }
    }

    /// What fires and resolves is determined by the measures alone: the two statements below leave no
    /// other sequence.
    @Test(arguments: UInt64(1)...40)
    func `a rule fires and resolves exactly when its condition says so`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let hold = Int.random(in: 0...4, using: &random)
        let clearFor = Int.random(in: 0...4, using: &random)
        let isUpper = Bool.random(using: &random)
        let rule = try AlertRule.make {
            ($0.above, $0.below) = isUpper ? (10, nil) : (nil, 10)
            $0.clear = isUpper ? 8 : 12
            ($0.hold, $0.clearFor) = ("\(hold * 5)s", "\(clearFor * 5)s")
        }
        var level = 10.0
        let values: [Double?] = (0..<2000).map { _ in
            level += Double.random(in: -2...2, using: &random)
            level = min(max(level, 4), 16)
            return Int.random(in: 0..<20, using: &random) == 0 ? nil : level
        }
        let found = Self.transitions(values, rule)
        #expect(!found.isEmpty)
        func isMet(_ index: Int) -> Bool {
            guard index >= 0, let value = values[index] else { return false }
            return isUpper ? value > 10 : value < 10
        }
        func isClear(_ index: Int) -> Bool {
            guard index >= 0, let value = values[index] else { return false }
            return isUpper ? value <= 8 : value >= 12
        }
        var isFiring = false
        var start = 0
        var next = found.makeIterator()
        var event = next.next()
        for index in values.indices {
            let first = index - (isFiring ? clearFor : hold)
            let changes =
                first >= start
                && (first...index).allSatisfy(isFiring ? isClear : isMet)
            #expect((event?.index == index) == changes, "at \(index)")
            guard changes else { continue }
            #expect(event?.kind == (isFiring ? .resolved : .fired))
            isFiring.toggle()
            // The condition for the next change may hold from the next measure on.
            start = index + 1
            event = next.next()
        }
        #expect(event == nil)
    }

    @Test func `a state survives its encoding`() throws {
        let rule = try AlertRule.make { $0.clearFor = "1h" }
        var state = AlertState(since: .noon)
        for (index, value) in [11.0, 9, 12].enumerated() {
            _ = state.observe(
                .value(value), at: .noon.after(seconds: Double(index)), under: rule)
        }
        let copy = try JSONCoding.copy(state)
        #expect(copy == state)
    }
}
