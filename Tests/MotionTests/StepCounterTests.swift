import Motion
import Samples
import TestSupport
import Testing

/// The simulated walks and rides are the same at every run.
struct StepCounterTests {
    private func count(_ trace: MotionTrace) -> Int {
        var counter = StepCounter()
        for item in trace.items { counter.take(item.acceleration, at: item.time) }
        counter.pause()
        return counter.steps
    }

    @Test(arguments: [1.4, 1.6, 1.8, 2.0, 2.2, 2.4], [25.0, 50, 200])
    func `steps of a noisy walk are counted within 3 percent`(cadence: Double, rate: Double) {
        for seed in UInt64(1)...2 {
            var trace = MotionTrace(seed: seed, rate: rate, noise: rate < 50 ? 0.3 : 0.5)
            trace.rest(seconds: 5)
            trace.walk(seconds: 70, cadence: cadence)
            trace.rest(seconds: 5)
            let found = count(trace)
            let error = Double(found - trace.steps) / Double(trace.steps)
            #expect(abs(error) <= 0.03, "seed \(seed): \(found) of \(trace.steps)")
        }
    }

    @Test(arguments: [1.6, 1.8, 2.0], [true, false])
    func `steps are counted in a trouser pocket, where only strides are alike`(
        cadence: Double, hasGravity: Bool
    ) {
        for seed in UInt64(1)...5 {
            var trace = MotionTrace(seed: seed)
            trace.rest(seconds: 5)
            trace.walkWithPocket(seconds: 70, cadence: cadence)
            trace.rest(seconds: 5)
            let found = count(hasGravity ? trace : trace.withoutGravity())
            let error = Double(found - trace.steps) / Double(trace.steps)
            #expect(abs(error) <= 0.03, "seed \(seed): \(found) of \(trace.steps)")
        }
    }

    @Test(arguments: [1.4, 1.8, 2.2, 2.8])
    func `steps are counted without gravity`(cadence: Double) {
        for seed in UInt64(1)...5 {
            var trace = MotionTrace(seed: seed)
            trace.rest(seconds: 5)
            trace.walk(seconds: 70, cadence: cadence)
            trace.rest(seconds: 5)
            let found = count(trace.withoutGravity())
            let error = Double(found - trace.steps) / Double(trace.steps)
            #expect(abs(error) <= 0.03, "seed \(seed): \(found) of \(trace.steps)")
        }
    }

    @Test func `an irregular source with gaps loses only what it did not send`() {
        var trace = MotionTrace(seed: 12, rate: 100)
        trace.walk(seconds: 120, cadence: 1.9)
        var random = SplitMix(state: 12)
        var (counter, sent) = (StepCounter(), 0)
        // Bursts of 0.1 to 0.4 s are lost, and half of the other samples.
        var lostUntil = 0
        for (index, item) in trace.items.enumerated() {
            if Int.random(in: 0..<300, using: &random) == 0 {
                lostUntil = index + Int.random(in: 10...40, using: &random)
            }
            guard index >= lostUntil, Bool.random(using: &random) else { continue }
            sent += 1
            counter.take(item.acceleration, at: item.time)
        }
        counter.pause()
        #expect(sent < trace.items.count / 2)
        let error = Double(counter.steps - trace.steps) / Double(trace.steps)
        #expect(abs(error) <= 0.03, "\(counter.steps) of \(trace.steps)")
    }

    @Test(arguments: [true, false])
    func `no steps are counted in an hour at a desk, with a keyboard and a phone in the hands`(
        hasGravity: Bool
    ) {
        var trace = MotionTrace(seed: 13, noise: 0.02)
        for _ in 0..<6 {
            trace.rest(seconds: 200)
            trace.type(seconds: 200)
            trace.handle(seconds: 200)
        }
        #expect(count(hasGravity ? trace : trace.withoutGravity()) == 0)
    }

    @Test(arguments: [1.0, 2, 3, 4, 5, 6])
    func `no steps are counted when a phone is shaken`(frequency: Double) {
        for seed in UInt64(1)...5 {
            var trace = MotionTrace(seed: seed, noise: 0.1)
            trace.rest(seconds: 5)
            trace.shake(seconds: 20, frequency: frequency)
            trace.rest(seconds: 5)
            #expect(count(trace) == 0, "seed \(seed)")
        }
    }

    @Test(arguments: [true, false])
    func `no steps are counted on a bicycle, on its frame and in a pocket`(hasGravity: Bool) {
        for seed in UInt64(1)...3 {
            var trace = MotionTrace(seed: seed, noise: 0.02)
            trace.cycle(seconds: 300)
            trace.pedal(seconds: 300)
            let found = count(hasGravity ? trace : trace.withoutGravity())
            #expect(found == 0, "seed \(seed): \(found)")
        }
    }

    @Test func `the same samples give the same steps at the same times`() {
        var trace = MotionTrace(seed: 14)
        trace.walk(seconds: 40, cadence: 1.8)
        func times() -> [Timestamp] {
            var counter = StepCounter()
            return trace.items.filter { counter.take($0.acceleration, at: $0.time) > 0 }
                .map(\.time)
        }
        #expect(times() == times())
        #expect(!times().isEmpty)
    }

    @Test(arguments: [25.0, 50, 200])
    func `no steps are counted while the sensor lies still`(rate: Double) {
        for noise in [0, 0.05, 0.3, 1] {
            var trace = MotionTrace(seed: 5, rate: rate, noise: noise)
            trace.rest(seconds: 30)
            #expect(count(trace) == 0, "noise \(noise)")
        }
    }

    @Test(arguments: [0.2, 0.4, 0.8, 1.2], [25.0, 50])
    func `at most two steps are counted in a car ride`(roughness: Double, rate: Double) {
        for seed in UInt64(1)...2 {
            var trace = MotionTrace(seed: seed, rate: rate)
            trace.drive(seconds: 300, roughness: roughness)
            let found = count(trace)
            #expect(found <= 2, "seed \(seed): \(found)")
        }
    }

    @Test func `steps and cadence of a run are measured`() throws {
        var trace = MotionTrace(seed: 8)
        trace.walk(seconds: 60, cadence: 2.8, strength: 2)
        var counter = StepCounter()
        for item in trace.items { counter.take(item.acceleration, at: item.time) }
        let cadence = try #require(counter.cadence)
        #expect(abs(cadence - 168) < 6)
        counter.pause()
        #expect(abs(Double(counter.steps) / Double(trace.steps) - 1) <= 0.03)
        #expect(counter.cadence == nil)
    }

    @Test func `no steps are counted while paused`() {
        var trace = MotionTrace(seed: 9)
        var counter = StepCounter()
        var counted = 0
        for leg in 0..<5 {
            let (items, steps) = (trace.items.count, trace.steps)
            trace.walk(seconds: 20, cadence: 1.8)
            if leg % 2 == 0 { counted += trace.steps - steps }
            for item in trace.items[items...] { counter.take(item.acceleration, at: item.time) }
            if leg % 2 == 0 { counter.pause() } else { counter.resume() }
        }
        #expect(abs(counter.steps - counted) <= 4, "\(counter.steps) of \(counted)")
    }

    @Test func `acceleration samples become step totals`() throws {
        var trace = MotionTrace(seed: 10)
        trace.walk(seconds: 30, cadence: 2)
        trace.rest(seconds: 10)
        var counter = StepCounter()
        let totals = trace.items.compactMap { item in
            let values = [item.acceleration.x, item.acceleration.y, item.acceleration.z]
            return counter.take(Sample(time: item.time, values: values.map { .number($0) }))
        }
        let last = try #require(totals.last)
        #expect(last.values == [.integer(Int64(counter.steps))])
        #expect(abs(counter.steps - trace.steps) <= 2)
        #expect(totals.map(\.time) == totals.map(\.time).sorted())
        #expect(counter.dropped == 0)
    }

    @Test func `samples that lack a number are dropped and counted`() {
        var counter = StepCounter()
        let broken: [[Value]] = [
            [], [.number(1), .number(2)], [.number(.nan), .number(0), .number(0)],
            [.text("1"), .number(0), .number(9)], [.number(0), .number(1e9), .number(0)],
        ]
        for (index, values) in broken.enumerated() {
            let time = Timestamp(microseconds: Int64(index))
            #expect(counter.take(Sample(time: time, values: values)) == nil)
        }
        #expect(counter.dropped == broken.count)
    }

    @Test func `repeated, decreasing and jumping times count no steps and do not trap`()
        throws
    {
        var counter = StepCounter()
        let up = try #require(Acceleration(x: 0, y: 0, z: 9.81))
        let down = try #require(Acceleration(x: 0, y: 0, z: 1))
        let times: [Int64] = [.min, .max, 0, 0, -1, 1, .max, .min, 5_000_000, 4_999_999, 4_000_000]
        for time in times {
            counter.take(up, at: Timestamp(microseconds: time))
            counter.take(down, at: Timestamp(microseconds: time))
        }
        #expect(counter.steps == 0)
        // Counting still works afterwards.
        var trace = MotionTrace(seed: 11)
        trace.walk(seconds: 30, cadence: 1.8)
        for item in trace.items { counter.take(item.acceleration, at: item.time) }
        counter.pause()
        #expect(abs(counter.steps - trace.steps) <= 2)
    }
}
