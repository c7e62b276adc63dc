import Sessions
import Testing
import Tracks

struct ClockTests {
    @Test func `B14: sixty ticks of a second are sixty seconds`() throws {
        var clock = WorkoutClock()
        try clock.apply(.start, at: .seconds(1000))
        for tick in 1...60 {
            #expect(clock.elapsed(at: .seconds(1000 + tick)) == .seconds(tick))
        }
    }

    @Test func `B14: pauses are left out, and ticks that were missed are not`() throws {
        var clock = WorkoutClock()
        try clock.apply(.start, at: .seconds(10))
        try clock.apply(.pause, at: .seconds(20))
        #expect(clock.elapsed(at: .seconds(500)) == .seconds(10))
        try clock.apply(.resume, at: .seconds(600))
        // The machine slept for an hour; the session went on.
        #expect(clock.elapsed(at: .seconds(4200)) == .seconds(3610))
        try clock.apply(.finish, at: .seconds(4300))
        #expect(clock.elapsed(at: .seconds(9999)) == .seconds(3710))
        try clock.apply(.start, at: .seconds(10_000))
        #expect(clock.elapsed(at: .seconds(10_001)) == .seconds(1))
    }

    @Test func `B14: a clock that jumps back takes nothing away`() throws {
        var clock = WorkoutClock()
        try clock.apply(.start, at: .seconds(100))
        #expect(clock.elapsed(at: .seconds(50)) == .zero)
        try clock.apply(.pause, at: .seconds(160))
        try clock.apply(.resume, at: .seconds(-1))
        #expect(clock.elapsed(at: .seconds(100)) == .seconds(60))
        #expect(clock.elapsed(at: .seconds(170)) == .seconds(70))
    }

    @Test(arguments: SessionState.allCases, SessionStep.allCases)
    func `B14: it ends from active and paused, and a wrong step changes nothing`(
        state: SessionState, step: SessionStep
    ) throws {
        var clock = WorkoutClock()
        if state != .inactive { try clock.apply(.start, at: .zero) }
        if state == .paused { try clock.apply(.pause, at: .seconds(1)) }
        let before = clock
        let isAllowed = [
            SessionState.inactive: [SessionStep.start], .active: [.pause, .finish],
            .paused: [.resume, .finish],
        ][state]?.contains(step)
        do {
            try clock.apply(step, at: .seconds(2))
            #expect(isAllowed == true)
        } catch {
            #expect(isAllowed == false)
            #expect(error.code == .wrongState)
            #expect(clock == before)
        }
    }

    @Test(
        arguments: [
            (Duration.zero, "0 min 0 secs"), (.seconds(59), "0 min 59 secs"),
            (.milliseconds(59_999), "0 min 59 secs"), (.seconds(60), "1 min 0 secs"),
            (.seconds(3599), "59 min 59 secs"), (.seconds(3600), "1 hrs 0 mins 0 secs"),
            (.seconds(3661), "1 hrs 1 mins 1 secs"), (.seconds(90_061), "25 hrs 1 mins 1 secs"),
            (.seconds(-5), "0 min 0 secs"),
        ])
    func `B15: from an hour on hours are told`(elapsed: Duration, text: String) {
        #expect(ElapsedText(elapsed).description == text)
    }
}
