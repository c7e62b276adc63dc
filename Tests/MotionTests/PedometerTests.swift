import Ingest
import Motion
import Testing

struct PedometerTests {
    private func reading(_ steps: Int) -> Pedometer.Reading {
        Pedometer.Reading(
            steps: steps, distance: Double(steps) * 0.7, pace: 0.7, floors: steps / 100)
    }

    @Test func `totals are since the start, not sums of totals`() {
        var pedometer = Pedometer()
        for metres in 1...10 {
            pedometer.take(
                .init(steps: metres * 14, distance: Double(metres) * 10, pace: 0.7, floors: 0))
        }
        #expect(pedometer.totals == .init(steps: 140, distance: 100, floors: 0))
        #expect(pedometer.pace == 0.7)
        #expect(pedometer.averagePace(over: .seconds(80)) == 0.8)
        #expect(Pedometer().averagePace(over: .seconds(80)) == nil)
    }

    @Test func `steps during five pauses do not count`() {
        var pedometer = Pedometer(startsAtZero: false)
        var counter = 12_345
        pedometer.take(reading(counter))
        var paused = 0
        for pause in 1...5 {
            for _ in 0..<10 {
                counter += 20
                pedometer.take(reading(counter))
            }
            pedometer.pause()
            #expect(pedometer.pace == nil)
            counter += pause * 7
            paused += pause * 7
            // Readings while paused have no effect.
            if pause.isMultiple(of: 2) { pedometer.take(reading(counter)) }
            pedometer.resume(at: reading(counter))
        }
        #expect(pedometer.totals.steps == counter - 12_345 - paused)
        #expect(abs(pedometer.totals.distance - Double(5 * 200) * 0.7) < 1e-6)
    }

    @Test(
        arguments: [
            Pedometer.Reading(steps: nil, distance: 1, pace: 1, floors: 1),
            .init(steps: 1, distance: nil, pace: 1, floors: 1),
            .init(steps: 1, distance: 1, pace: nil, floors: 1),
            .init(steps: 1, distance: 1, pace: 1, floors: nil),
            .init(steps: -1, distance: 1, pace: 1, floors: 1),
            .init(steps: 1, distance: .nan, pace: 1, floors: 1),
            .init(steps: 1, distance: 1, pace: .infinity, floors: 1),
        ])
    func `a reading that lacks a field is dropped and counted`(partial: Pedometer.Reading) {
        var pedometer = Pedometer()
        pedometer.take(reading(100))
        #expect(pedometer.take(partial) == false)
        #expect(pedometer.dropped == 1)
        #expect(pedometer.totals == .init(steps: 100, distance: 70, floors: 1))
        pedometer.take(reading(200))
        #expect(pedometer.totals.steps == 200)
    }

    @Test func `after a counter restarts, counting begins from its new value`() {
        var pedometer = Pedometer()
        for steps in [100, 200, 0, 50] { pedometer.take(reading(steps)) }
        #expect(pedometer.totals.steps == 250)
    }

    @Test func `distance, pace and floors follow from steps and altitudes`() {
        var estimate = WalkEstimate(stepLength: 0.75)
        let heights = [0.0, 0.4, -0.3, 0.5, 2, 3.4, 3.1, 6.5, 6, 0, 2.5, 1, 3.9, 4.1]
        for height in heights { estimate.take(altitude: height) }
        let reading = estimate.reading(steps: 200, cadence: 120)
        #expect(reading.steps == 200)
        #expect(reading.distance == 150)
        #expect(reading.floors == 3)
        #expect(reading.pace == 1 / 1.5)
        #expect(estimate.reading(steps: 200, cadence: nil).pace == 0)
        #expect(WalkEstimate(stepLength: .nan).stepLength == 0.7)
    }
}
