import Samples
import Sessions
import TestSupport
import Testing
import Tracks

/// A route of fixes along the equator, once a second by default.
struct RouteRecorder {
    var route: Route
    /// Seconds of both the clock and the receiver.
    private(set) var second = 0.0

    /// - Parameter warm: whether the first seconds, in which fixes are discarded, are over.
    init(rules: RouteRules = RouteRules(), warm: Bool = true) throws {
        route = Route(rules: rules)
        try route.start(at: .zero)
        if warm { second = 4 }
    }

    var now: Duration { .microseconds(Int64((second * 1_000_000).rounded())) }

    static func fix(
        _ metres: Double, at second: Double, accuracy: Double? = 5
    ) throws -> Fix {
        let time = Timestamp(microseconds: 1_700_000_000_000_000 + Int64(second * 1_000_000))
        return Fix(time: time, position: try equator(metres), accuracy: accuracy)
    }

    @discardableResult
    mutating func move(
        to metres: Double, accuracy: Double? = 5, after seconds: Double = 1
    ) throws -> Route.Outcome {
        second += seconds
        return route.take(try Self.fix(metres, at: second, accuracy: accuracy), at: now)
    }

    mutating func wait(_ seconds: Double) {
        second += seconds
    }

    mutating func pause() throws {
        try route.pause(at: now)
    }

    mutating func resume(from metres: Double, accuracy: Double? = 5) throws {
        try route.resume(at: now, from: try Self.fix(metres, at: second, accuracy: accuracy))
    }

    mutating func finish() throws {
        try route.finish(at: now)
    }
}
