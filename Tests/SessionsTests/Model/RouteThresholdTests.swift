import Motion
import Samples
import Sessions
import TestSupport
import Testing
import Tracks

/// Each limit of a route, just below, at and above it.
struct RouteThresholdTests {
    @Test(arguments: [(9.9, false), (9.999_999, false), (10.0, true), (10.1, true)])
    func `a movement of 9.9 m makes no point, one of 10.0 m does`(metres: Double, isTold: Bool)
        throws
    {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        let outcome = try recorder.move(to: metres)
        #expect(outcome == (isTold ? .kept(metres: metres) : .discarded(.tooNear)))
    }

    @Test(arguments: [(9.0, true, true), (11, false, true), (99, false, true), (101, false, false)])
    func `a limit of 10 m rejects 11 m, one of 100 m rejects 101 m`(
        accuracy: Double, isFine: Bool, isCoarse: Bool
    ) throws {
        let fix = try RouteRecorder.fix(0, at: 0, accuracy: accuracy)
        #expect(AccuracyLimit.fine.accepts(fix) == isFine)
        #expect(AccuracyLimit.coarse.accepts(fix) == isCoarse)
        var rules = RouteRules()
        rules.accuracy = .fine
        var recorder = try RouteRecorder(rules: rules)
        let kept = try recorder.move(to: 0, accuracy: accuracy) == .kept(metres: 0)
        #expect(kept == isFine)
    }

    @Test(arguments: [(99.0, true), (100, true), (100.1, false), (101, false)])
    func `an accuracy of more than 100 m is discarded`(accuracy: Double, isKept: Bool) throws {
        var recorder = try RouteRecorder()
        let outcome = try recorder.move(to: 0, accuracy: accuracy)
        #expect(outcome == (isKept ? .kept(metres: 0) : .discarded(.inaccurate)))
        #expect(recorder.route.discarded[.inaccurate] == (isKept ? nil : 1))
    }

    @Test(arguments: [(4.9, true), (5, true), (5.1, false)])
    func `an accuracy worse than the current one is discarded`(
        accuracy: Double, isKept: Bool
    ) throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0, accuracy: 5)
        let outcome = try recorder.move(to: 50, accuracy: accuracy)
        #expect(outcome == (isKept ? .kept(metres: 50) : .discarded(.worseAccuracy)))
    }

    @Test func `a sequence of accuracies keeps those that are not worse than the one before`()
        throws
    {
        var recorder = try RouteRecorder()
        let kept = try [20.0, 10, 15, 10, 12, 12, 4, 8, 8, 120, 9, 8].enumerated().filter {
            guard case .kept = try recorder.move(to: Double($0 + 1) * 50, accuracy: $1) else {
                return false
            }
            return true
        }
        #expect(kept.map(\.element) == [20, 10, 10, 12, 4, 8, 8])
        #expect(recorder.route.discarded == [.worseAccuracy: 4, .inaccurate: 1])
    }

    @Test(arguments: [
        (12.0, 10.0, false), (10, 10, true), (9.9, 10, true), (49, 50, true), (51, 50, false),
    ])
    func `an accuracy larger than the apparent distance is discarded`(
        accuracy: Double, metres: Double, isKept: Bool
    ) throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0, accuracy: 60)
        let outcome = try recorder.move(to: metres, accuracy: accuracy)
        #expect(outcome == (isKept ? .kept(metres: metres) : .discarded(.accuracyBeyondDistance)))
    }

    @Test(arguments: [(199.0, true), (200, true), (200.1, false), (201, false)])
    func `a route resumes up to 200 m from where it was paused`(
        metres: Double, resumes: Bool
    ) throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        try recorder.move(to: 100)
        try recorder.pause()
        recorder.wait(60)
        if resumes {
            try recorder.resume(from: 100 + metres)
            #expect(recorder.route.state == .active)
        } else {
            let error = #expect(throws: SessionsError.self) {
                try recorder.resume(from: 100 + metres)
            }
            #expect(error?.code == .tooFar)
            #expect(recorder.route.state == .paused)
        }
        #expect(recorder.route.distance == 100)
    }

    @Test(arguments: [(199.0, false), (200, false), (201, true)])
    func `points more than 200 m apart are kept with a warning`(
        metres: Double, warns: Bool
    ) throws {
        var recorder = try RouteRecorder()
        try recorder.move(to: 0)
        #expect(try recorder.move(to: metres) == .kept(metres: metres))
        try recorder.finish()
        #expect(try recorder.route.record.warnings.contains(.jump) == warns)
        #expect(recorder.route.jumps == (warns ? 1 : 0))
    }

    @Test(arguments: [(29.0, false), (30, false), (30.001, true), (31, true)])
    func `more than 30 s without a signal give a warning`(seconds: Double, warns: Bool) throws {
        var between = try RouteRecorder()
        try between.move(to: 0)
        try between.move(to: 50, after: seconds)
        try between.finish()
        #expect(try between.route.record.warnings.contains(.signalLost) == warns)

        var atTheEnd = try RouteRecorder()
        try atTheEnd.move(to: 0)
        atTheEnd.wait(seconds)
        #expect(atTheEnd.route.silence(at: atTheEnd.now) == .milliseconds(Int(seconds * 1000)))
        try atTheEnd.finish()
        #expect(try atTheEnd.route.record.warnings.contains(.signalLost) == warns)

        var atTheStart = try RouteRecorder(warm: false)
        try atTheStart.move(to: 0, after: seconds)
        #expect(atTheStart.route.warnings.contains(.signalLost) == warns)
    }

    @Test(arguments: [(4.0, false), (4.999_999, false), (5, true), (6, true)])
    func `fixes of the first 5 s are discarded`(second: Double, isKept: Bool) throws {
        var recorder = try RouteRecorder(warm: false)
        let outcome = try recorder.move(to: 0, after: second)
        #expect(outcome == (isKept ? .kept(metres: 0) : .discarded(.warmingUp)))
    }
}
