import Samples
import TestSupport
import Testing

@testable import VM

/// The interval between two reads at the level `auto`, for values that tests generate.
struct AdaptiveIntervalTests {
    private static let bounds = Duration.milliseconds(200)...(.seconds(10))

    /// The intervals after each read of a value.
    private static func intervals(
        _ values: [Value], within bounds: ClosedRange<Duration> = bounds
    ) -> [Duration] {
        var adaptive = AdaptiveInterval(startingAt: .seconds(1))
        return values.map { adaptive.next(after: [$0], within: bounds) }
    }

    private static func numbers(_ numbers: some Sequence<Double>) -> [Value] {
        numbers.map { .number($0) }
    }

    /// Normally distributed numbers with a deviation of 1.
    private static func noise(_ count: Int, seed: UInt64) -> [Double] {
        var generator = SplitMix(state: seed)
        return (0..<count).map { _ in
            (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
        }
    }

    @Test func `eight reads without a change double the interval, up to the longest`() {
        let intervals = Self.intervals(Self.numbers(Array(repeating: 20, count: 50)))
        #expect(intervals[7] == .seconds(1))
        #expect(intervals[8] == .seconds(2))
        #expect(intervals[16] == .seconds(4))
        #expect(intervals[24] == .seconds(8))
        #expect(intervals[32] == .seconds(10))
        #expect(intervals[49] == .seconds(10))
    }

    @Test func `a change halves the interval, down to the shortest`() {
        let rest = Array(repeating: 20.0, count: 40)
        let intervals = Self.intervals(
            Self.numbers(rest + [21, 30, 60, 150, 400, 1200, 3600, 10_800]))
        #expect(intervals[39] == .seconds(10))
        #expect(intervals[40] == .seconds(5))
        #expect(intervals[41] == .milliseconds(2500))
        #expect(intervals.last == .milliseconds(200))
    }

    @Test func `a state changes when it differs`() {
        let values = Array(repeating: Value.text("closed"), count: 40) + [.text("open")]
        let intervals = Self.intervals(values)
        #expect(intervals[39] == .seconds(10))
        #expect(intervals[40] == .seconds(5))
    }

    @Test(arguments: 1...20)
    func `the noise of a sensor is no change, and a step above it is one`(seed: UInt64) {
        let noise = Self.noise(400, seed: seed)
        let intervals = Self.intervals(Self.numbers(noise.map { 20 + $0 }))
        let resting = intervals[100...].count { $0 >= .seconds(5) }
        #expect(resting > 240, "seed \(seed)")
        var adaptive = AdaptiveInterval(startingAt: .seconds(1))
        for number in noise {
            _ = adaptive.next(after: [.number(20 + number)], within: Self.bounds)
        }
        let before = adaptive.interval
        let after = adaptive.next(after: [.number(40)], within: Self.bounds)
        #expect(after == before / 2, "seed \(seed)")
    }

    @Test(arguments: [0.001, 1, 1000])
    func `a drift is a change, however slow`(step: Double) {
        let intervals = Self.intervals(Self.numbers((0..<200).map { Double($0) * step }))
        #expect(intervals.last == .milliseconds(200))
    }

    @Test(arguments: [2, 3, 9])
    func `a last digit that flickers is no change`(every: Int) {
        let values = (0..<400).map { $0 % every == 0 ? 21.5 : 21.6 }
        #expect(Self.intervals(Self.numbers(values)).last == .seconds(10))
    }

    @Test func `one field that changes is enough`() {
        var adaptive = AdaptiveInterval(startingAt: .seconds(1))
        for count in 0..<100 {
            let values: [Value] = [.number(7), .integer(Int64(count)), .text("on")]
            _ = adaptive.next(after: values, within: Self.bounds)
        }
        #expect(adaptive.interval == .milliseconds(200))
    }

    @Test func `a failed read changes nothing, and numbers of any size are compared`() {
        var adaptive = AdaptiveInterval(startingAt: .seconds(1))
        for _ in 0..<100 { _ = adaptive.next(after: nil, within: Self.bounds) }
        #expect(adaptive.interval == .seconds(1))
        let extreme = Double.greatestFiniteMagnitude
        for count in 0..<100 {
            let number = count % 2 == 0 ? extreme : -extreme
            let next = adaptive.next(after: [.number(number)], within: Self.bounds)
            #expect(Self.bounds.contains(next))
        }
    }

    @Test(arguments: [
        (Cadence.standard, false, Duration.milliseconds(200), Duration.seconds(10)),
        (.standard, true, .milliseconds(200), .seconds(1)),
        (.slow, false, .seconds(5), .seconds(300)), (.slow, true, .seconds(5), .seconds(60)),
        (.fast, false, .milliseconds(20), .seconds(1)),
        (.fast, true, .milliseconds(20), .milliseconds(100)),
        (.asTheyCome, false, .milliseconds(20), .milliseconds(20)),
    ])
    func `the bounds are the intervals of high and low, or of medium while samples are needed`(
        cadence: Cadence, isNeeded: Bool, shortest: Duration, longest: Duration
    ) {
        #expect(AdaptiveInterval.bounds(cadence, isNeeded: isNeeded) == shortest...longest)
    }

    @Test(arguments: 1...20)
    func `a step of a temperature is seen within the longest interval, with few reads before`(
        seed: UInt64
    ) {
        var generator = SplitMix(state: seed)
        let step = Double.random(in: 3600..<7200, using: &generator)
        var adaptive = AdaptiveInterval(startingAt: .seconds(1))
        var (time, reads, seen) = (0.0, 0, Double?.none)
        var fastest = Duration.seconds(10)
        while time < step + 600 {
            // A sensor with a resolution of 0.1 °C; the step has a time constant of a minute.
            let noise = Double.random(in: -0.06...0.06, using: &generator)
            let warmth = time < step ? 0 : 8 * (1 - 1 / (1 + (time - step) / 60))
            let value = ((20 + warmth + noise) * 10).rounded() / 10
            let interval = adaptive.next(after: [.number(value)], within: Self.bounds)
            if time < step { reads += 1 } else { fastest = min(fastest, interval) }
            if seen == nil, time >= step { seen = time }
            time += Double(interval.wholeMicroseconds) / 1e6
        }
        #expect(seen.map { $0 - step <= 10 } == true, "seed \(seed)")
        #expect(fastest <= .seconds(2.5), "seed \(seed)")
        // At medium there would be a read each second.
        #expect(Double(reads) < step / 4, "seed \(seed)")
    }
}
