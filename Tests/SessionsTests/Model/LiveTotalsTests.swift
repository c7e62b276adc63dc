import Motion
import Samples
import Sessions
import Testing

struct LiveTotalsTests {
    private func time(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_700_000_000_000_000 + Int64(seconds * 1_000_000))
    }

    @Test(arguments: [
        (LiveReading(distance: 512.3, steps: 700, floors: 2), "512.30m | 700 steps | 2 floors"),
        (LiveReading(distance: 0, steps: 0, floors: 0), "0.00m | 0 steps | 0 floors"),
        (LiveReading(distance: 12345.678), "12345.68m"), (LiveReading(steps: 3), "3 steps"),
        (LiveReading(distance: 1, floors: 1), "1.00m | 1 floors"), (LiveReading(), ""),
    ])
    func `the text contains the known values only`(reading: LiveReading, text: String) {
        #expect(reading.text == text)
    }

    @Test func `totals that no sensor measures are unknown`() {
        var totals = LiveTotals()
        totals.begin()
        #expect(totals.reading(at: time(0), isActive: true) == LiveReading())
        totals.take(altitude: 3)
        #expect(totals.reading(at: time(0), isActive: true) == LiveReading(floors: 0))
    }

    @Test func `the total of an alternating counter saturates`() {
        var totals = LiveTotals()
        totals.begin()
        for index in 0..<20_000 {
            totals.take(steps: index.isMultiple(of: 2) ? 0 : 1e15, at: time(Double(index) / 1000))
        }
        #expect(totals.reading(at: time(20), isActive: true).steps == .max)
    }

    @Test
    func `the pace does not depend on the sampling rate`() {
        var (often, seldom) = (LiveTotals(), LiveTotals())
        often.begin()
        seldom.begin()
        for index in 0...120_000 {
            let now = Double(index) / 1000
            often.take(distance: now * 1.5, at: time(now))
            if index.isMultiple(of: 1000) { seldom.take(distance: now * 1.5, at: time(now)) }
        }
        let paces = [often, seldom].compactMap { $0.reading(at: time(120), isActive: true).pace }
        #expect(paces.count == 2)
        #expect(paces.allSatisfy { abs($0 - 1 / 1.5) < 0.02 })
    }

    @Test func `steps are the growth of a counter while the session is active`() {
        var totals = LiveTotals()
        totals.begin()
        for (second, count) in [(0, 5000), (1, 5002), (2, 5010), (3, 4), (4, 6)] {
            totals.take(steps: Double(count), at: time(Double(second)))
        }
        // Growth between two spans does not count.
        totals.begin()
        totals.take(steps: 900, at: time(100))
        totals.take(steps: 910, at: time(101))
        let reading = totals.reading(at: time(101), isActive: true)
        #expect(reading.steps == 22)
        #expect(abs((reading.distance ?? 0) - 15.4) < 1e-9)
    }

    @Test func `a floor is three metres of continuous ascent`() {
        var totals = LiveTotals()
        totals.begin()
        for metres in [0.0, 1, 2.9] { totals.take(altitude: metres) }
        #expect(totals.reading(at: time(0), isActive: true).floors == 0)
        for metres in [3.0, 6.1, 0, 3] { totals.take(altitude: metres) }
        #expect(totals.reading(at: time(0), isActive: true).floors == 3)
        totals.begin()
        // Ascent during a pause does not count.
        for metres in [30.0, 32] { totals.take(altitude: metres) }
        #expect(totals.reading(at: time(0), isActive: true).floors == 3)
    }

    @Test
    func `positions replace the estimated distance, and the pace covers the last minute`()
        throws
    {
        var totals = LiveTotals()
        totals.begin()
        for second in 0...120 {
            totals.take(steps: Double(second * 2), at: time(Double(second)))
            // Two metres a second, and then half a metre.
            let metres = second <= 60 ? Double(second) * 2 : 120 + Double(second - 60) / 2
            totals.take(distance: metres, at: time(Double(second)))
        }
        let reading = totals.reading(at: time(120), isActive: true)
        #expect(reading.distance == 150)
        #expect(abs(try #require(reading.pace) - 2) < 1e-9)
        // At rest the pace slows down, and after a minute it is unknown.
        #expect(abs(try #require(totals.reading(at: time(150), isActive: true).pace) - 4) < 1e-9)
        #expect(totals.reading(at: time(181), isActive: true).pace == nil)
        #expect(totals.reading(at: time(120), isActive: false).pace == nil)
    }

    @Test func `an activity is valid for a minute`() {
        var totals = LiveTotals()
        totals.begin()
        let running = ActivityReading(.running, .high)
        totals.take(running, at: time(0))
        #expect(totals.reading(at: time(60), isActive: true).activity == running)
        #expect(totals.reading(at: time(61), isActive: true).activity == nil)
        #expect(totals.reading(at: time(1), isActive: false).activity == nil)
    }

    @Test func `values that are not finite change nothing`() {
        var totals = LiveTotals()
        totals.begin()
        for count in [Double.nan, .infinity, -1, 1e300] {
            totals.take(steps: count, at: time(0))
            if !count.isFinite { totals.take(altitude: count) }
        }
        #expect(totals.reading(at: time(0), isActive: true).steps == nil)
        #expect(totals.reading(at: .distantPast, isActive: true).pace == nil)
    }
}
