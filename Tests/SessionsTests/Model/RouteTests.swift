import Motion
import Samples
import Sessions
import TestSupport
import Testing
import Tracks

struct RouteTests {
    @Test func `the newest fix of a batch counts, and an empty batch is counted`() throws {
        var recorder = try RouteRecorder()
        #expect(recorder.route.take([], at: .seconds(6)) == nil)
        #expect(recorder.route.emptyBatches == 1)
        let one = try RouteRecorder.fix(0, at: 7)
        #expect(recorder.route.take([one], at: .seconds(7)) == .kept(metres: 0))
        let five = try [3.0, 1, 5, 2, 4].map { try RouteRecorder.fix($0 * 100, at: 7 + $0) }
        #expect(recorder.route.take(five, at: .seconds(12)) == .kept(metres: 500))
        #expect(recorder.route.discarded == [.superseded: 4])
        #expect(recorder.route.segments == [[RoutePoint(one), RoutePoint(five[2])]])
    }

    @Test func `the length is the sum of the distances between points`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var recorder = try RouteRecorder()
        var metres = 0.0
        for _ in 0..<200 {
            metres += .random(in: 10...60, using: &random)
            try recorder.move(to: metres)
        }
        let points = try recorder.route.record.points
        let wanted = (points.last?.fix.position).map { points[0].fix.position.distance(to: $0) }
        #expect(points.count == 200, "seed \(seed)")
        #expect(abs(recorder.route.distance - (wanted ?? 0)) < 1e-3, "seed \(seed)")
    }

    @Test func `three pauses leave three via points, and no segment crosses a pause`() throws {
        var recorder = try RouteRecorder()
        for leg in 0..<4 {
            let start = Double(leg) * 250
            try recorder.move(to: start, after: 6)
            try recorder.move(to: start + 50)
            try recorder.move(to: start + 100)
            guard leg < 3 else { break }
            try recorder.pause()
            recorder.wait(100)
            try recorder.resume(from: start + 250)
        }
        try recorder.finish()
        let record = try recorder.route.record
        #expect(record.points.filter(\.isPausePoint).count == 3)
        #expect(record.segments.map(\.count) == [3, 3, 3, 3])
        #expect(record.segments.dropLast().allSatisfy { $0.last?.isPausePoint == true })
        #expect(record.distance == 400)
        #expect(record.warnings == [])
    }

    @Test func `fixes do not count while paused or inactive`() throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        try recorder.pause()
        #expect(try recorder.move(to: 50) == .discarded(.notActive))
        // Missing fixes while paused are not a loss of signal.
        recorder.wait(1000)
        try recorder.resume(from: 60)
        #expect(try recorder.move(to: 70) == .discarded(.warmingUp))
        #expect(try recorder.move(to: 80, after: 5) == .kept(metres: 0))
        try recorder.finish()
        #expect(try recorder.move(to: 300) == .discarded(.notActive))
        #expect(recorder.route.distance == 0)
        #expect(recorder.route.warnings == [])
    }

    @Test func `starting resets a route and resuming does not`() throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        try recorder.move(to: 100)
        try recorder.pause()
        try recorder.resume(from: 110)
        #expect(try recorder.route.record.points.count == 2)
        try recorder.finish()
        try recorder.route.start(at: recorder.now)
        #expect(try recorder.route.record.points == [])
        #expect(recorder.route.distance == 0)
    }

    @Test(arguments: SessionState.allCases, SessionStep.allCases)
    func `an invalid step changes nothing`(
        state: SessionState, step: SessionStep
    ) throws {
        let allowed: [SessionState: [SessionStep: SessionState]] = [
            .inactive: [.start: .active],
            .active: [.pause: .paused, .finish: .inactive],
            .paused: [.resume: .active, .finish: .inactive],
        ]
        var route = Route()
        if state != .inactive { try route.start(at: .zero) }
        if state == .paused { try route.pause(at: .zero) }
        let here = try RouteRecorder.fix(0, at: 0)
        let before = route
        do {
            switch step {
            case .start: try route.start(at: .zero)
            case .pause: try route.pause(at: .zero)
            case .resume: try route.resume(at: .zero, from: here)
            case .finish: try route.finish(at: .zero)
            }
            #expect(route.state == allowed[state]?[step])
        } catch {
            #expect(allowed[state]?[step] == nil)
            #expect(error.code == .wrongState)
            #expect(route == before)
        }
    }

    @Test(arguments: [(0, 0), (1, 0), (2, 2), (3, 3)])
    func `a finished route has no points or at least two`(fixes: Int, points: Int) throws {
        var recorder = try RouteRecorder()
        for number in 0..<fixes { try recorder.move(to: Double(number) * 50) }
        try recorder.finish()
        #expect(try recorder.route.record.points.count == points)
        let given = try (0..<fixes).map {
            RoutePoint(try RouteRecorder.fix(Double($0), at: Double($0)))
        }
        if fixes == 1 {
            let error = #expect(throws: TrackError.self) {
                try RouteRecord(segments: [given], distance: 0)
            }
            #expect(error?.code == .invalid)
        } else {
            #expect(try RouteRecord(segments: [given], distance: 0).points == given)
        }
    }

    @Test func `an entered length replaces the points`() throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        try recorder.move(to: 500)
        try recorder.route.enter(distance: 1234)
        #expect(try recorder.move(to: 600) == .discarded(.manualDistance))
        try recorder.finish()
        let record = try recorder.route.record
        #expect(record.source == .manual)
        #expect(record.distance == 1234)
        #expect(record.segments == [])
        #expect(record.warnings == [])
        for metres in [-1, .nan, .infinity] {
            #expect(throws: SessionsError.self) { try recorder.route.enter(distance: metres) }
        }
        #expect(recorder.route.distance == 1234)
    }

    @Test func `a signal that returns in time is not a loss`() throws {
        var recorder = try RouteRecorder()
        for number in 0..<5 { try recorder.move(to: Double(number) * 100, after: 15) }
        #expect(recorder.route.signalLosses == 0)
        // Inaccurate fixes count as no signal.
        for _ in 0..<3 { try recorder.move(to: 500, accuracy: 150, after: 11) }
        try recorder.finish()
        #expect(recorder.route.signalLosses == 1)
    }

    @Test func `fixes while a receiver warms up add nothing`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var recorder = try RouteRecorder(warm: false)
        for _ in 0..<49 {
            try recorder.move(to: .random(in: -60...60, using: &random), accuracy: 3, after: 0.1)
        }
        #expect(recorder.route.distance == 0, "seed \(seed)")
        #expect(recorder.route.discarded == [.warmingUp: 49], "seed \(seed)")
        try recorder.move(to: 0, after: 1)
        try recorder.pause()
        try recorder.resume(from: 20)
        for _ in 0..<49 {
            try recorder.move(to: .random(in: -60...60, using: &random), accuracy: 3, after: 0.1)
        }
        #expect(recorder.route.distance == 0, "seed \(seed)")
    }

    @Test func `the accuracy is reported, or no signal`() throws {
        var recorder = try RouteRecorder()
        #expect(recorder.route.signal(at: recorder.now).description == "no signal")
        try recorder.move(to: 0, accuracy: 4.6)
        #expect(recorder.route.signal(at: recorder.now).description == "±5 m")
        try recorder.move(to: 0, accuracy: 140)
        #expect(recorder.route.signal(at: recorder.now).description == "±140 m")
        try recorder.move(to: 0, accuracy: nil)
        #expect(recorder.route.signal(at: recorder.now).description == "accuracy unknown")
        recorder.wait(5)
        #expect(recorder.route.signal(at: recorder.now) == .accuracy(nil))
        recorder.wait(0.1)
        #expect(recorder.route.signal(at: recorder.now) == .none)
        try recorder.move(to: 0)
        recorder.route.loseSignal(at: recorder.now)
        #expect(recorder.route.signal(at: recorder.now).description == "no signal")
    }

    @Test func `old and repeated fixes are stale, and one from the future does not stop the route`()
        throws
    {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        let old = try RouteRecorder.fix(100, at: 3)
        #expect(recorder.route.take(old, at: recorder.now) == .discarded(.stale))
        #expect(
            recorder.route.take(try RouteRecorder.fix(100, at: 5), at: recorder.now)
                == .discarded(.stale))
        let future = try RouteRecorder.fix(20, at: 1_000_000)
        #expect(recorder.route.take(future, at: recorder.now) == .kept(metres: 20))
        var outcomes: [Route.Outcome] = []
        for step in 1...8 { outcomes.append(try recorder.move(to: 20 + Double(step) * 20)) }
        #expect(outcomes.prefix(5).allSatisfy { $0 == .discarded(.stale) })
        #expect(outcomes.suffix(3).allSatisfy { $0 != .discarded(.stale) })
    }

    @Test func `a decreasing clock reading counts as the previous one`() throws {
        var route = Route()
        try route.start(at: .seconds(1000))
        #expect(route.take(try RouteRecorder.fix(0, at: 1), at: .zero) == .discarded(.warmingUp))
        #expect(
            route.take(try RouteRecorder.fix(0, at: 2), at: .seconds(1005)) == .kept(metres: 0))
        try route.pause(at: .seconds(-1))
        #expect(route.signalLosses == 0)
    }

    @Test func `a route is not resumed at an inaccurate position`() throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        try recorder.pause()
        let error = #expect(throws: SessionsError.self) {
            try recorder.resume(from: 0, accuracy: 101)
        }
        #expect(error?.code == .inaccurate)
        try recorder.resume(from: 0, accuracy: 100)
    }

    @Test func `a route is resumed at an unknown position, and only when it is paused`()
        throws
    {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        let error = #expect(throws: SessionsError.self) {
            try recorder.route.resume(at: recorder.now, from: nil)
        }
        #expect(error?.code == .wrongState)
        try recorder.pause()
        try recorder.route.resume(at: recorder.now, from: nil)
        recorder.wait(4)
        #expect(try recorder.move(to: 1000) == .kept(metres: 0))
        #expect(recorder.route.distance == 0)
    }

    @Test func `the number of points is limited`() throws {
        var rules = RouteRules()
        rules.pointLimit = 3
        var recorder = try RouteRecorder(rules: rules)
        for number in 0..<5 { try recorder.move(to: Double(number) * 20) }
        #expect(try recorder.route.record.points.count == 3)
        #expect(recorder.route.discarded == [.full: 2])
    }

    @Test func `every fix is a point or counted as discarded`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var rules = RouteRules()
        rules.resumeDistance = .infinity
        var route = Route(rules: rules)
        try route.start(at: .zero)
        var (now, taken, kept) = (0.0, 0, 0)
        for _ in 0..<3000 {
            now += .random(in: -1...4, using: &random)
            let clock = Duration.milliseconds(Int(now * 1000))
            switch Int.random(in: 0..<40, using: &random) {
            case 0 where route.state == .active: try route.pause(at: clock)
            case 1 where route.state == .paused:
                try route.resume(at: clock, from: try RouteRecorder.fix(0, at: now))
            default:
                let fix = try RouteRecorder.fix(
                    .random(in: -500...500, using: &random),
                    at: now + .random(in: -1...1, using: &random),
                    accuracy: .random(in: 0...130, using: &random))
                let before = route.segments.joined().count
                taken += 1
                if case .kept = route.take(fix, at: clock) { kept += 1 }
                #expect(route.segments.joined().count - before <= 1, "seed \(seed)")
            }
        }
        #expect(kept == route.segments.joined().count, "seed \(seed)")
        #expect(taken == kept + route.discarded.values.reduce(0, +), "seed \(seed)")
        #expect(kept > 0, "seed \(seed)")
    }
}
