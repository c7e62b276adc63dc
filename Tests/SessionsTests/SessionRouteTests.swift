import Foundation
import Samples
import Sessions
import Testing
import Tracks

struct SessionRouteTests {
    /// A walk along the equator whose fixes are all stored.
    private struct Walk {
        let fixture: SessionBookFixture
        let book: SessionBook
        var fixes: [Fix] = []
        private(set) var second = 0.0

        init() async throws {
            fixture = try SessionBookFixture()
            book = try fixture.open()
            _ = try await book.create(try SessionBookFixture.draft(), id: "walk")
        }

        mutating func wait(_ seconds: Double) {
            fixture.wait(seconds)
            second += seconds
        }

        mutating func step(_ step: SessionStep) async throws {
            _ = try await book.apply(step, to: "walk")
        }

        mutating func move(to metres: Double, accuracy: Double? = 5, after seconds: Double = 6)
            throws
        {
            wait(seconds)
            let degrees = metres / (6_378_137 * .pi / 180)
            let position = try #require(Position(latitude: 0, longitude: degrees))
            let time = SessionBookFixture.start.advanced(byMicroseconds: Int64(second * 1_000_000))
            fixes.append(Fix(time: time, position: position, accuracy: accuracy))
        }

        /// The route computed as in a host: from the fixes within the spans, in order of time.
        func sessionRoute() async throws -> SessionRoute {
            let record = try await book.record("walk")
            var route = SessionRoute(record)
            for fix in fixes where route.spans.contains(where: { $0.contains(fix.time) }) {
                try route.take(fix)
            }
            return route
        }

        func route() async throws -> RouteRecord {
            try await sessionRoute().record()
        }
    }

    @Test(arguments: [(9.9, 0), (10.1, 2)])
    func `points are 10 m apart`(metres: Double, points: Int) async throws {
        var walk = try await Walk()
        try await walk.step(.start)
        try walk.move(to: 0)
        try walk.move(to: metres)
        walk.wait(1)
        try await walk.step(.pause)
        #expect(try await walk.route().points.count == points)
    }

    @Test func `three pauses leave three via points, and the finish leaves none`() async throws {
        var walk = try await Walk()
        try await walk.step(.start)
        for leg in 0..<4 {
            for index in 0..<3 { try walk.move(to: Double(leg * 1000 + index * 50)) }
            walk.wait(1)
            try await walk.step(leg < 3 ? .pause : .finish)
            // Fixes during a pause do not belong to the session.
            try walk.move(to: Double(leg * 1000 + 500))
            if leg < 3 { try await walk.step(.resume) }
        }
        let record = try await walk.route()
        #expect(
            record.segments.map { $0.map(\.isPausePoint) } == [
                [false, false, true], [false, false, true], [false, false, true],
                [false, false, false],
            ])
        #expect(abs(record.distance - 400) < 0.01)
        #expect(record.warnings.isEmpty)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a session that ends with one point has no route`(fixes: Int) async throws {
        var walk = try await Walk()
        try await walk.step(.start)
        for index in 0..<fixes { try walk.move(to: Double(index) * 50) }
        walk.wait(1)
        try await walk.step(.finish)
        #expect(try await walk.route().points.count == (fixes == 1 ? 0 : fixes))
    }

    @Test func `an entered length permanently replaces the route`() async throws {
        var walk = try await Walk()
        try await walk.step(.start)
        try walk.move(to: 0)
        try walk.move(to: 500)
        #expect(try await walk.route().warnings == [.jump])
        _ = try await walk.book.update("walk", SessionChange(distance: 4200))
        try walk.move(to: 550)
        walk.wait(1)
        try await walk.step(.finish)
        let record = try await walk.route()
        #expect(record.points.isEmpty)
        #expect(record.distance == 4200)
        #expect(record.source == .manual)
        #expect(record.warnings.isEmpty)
    }

    @Test func `a silence of more than 30 s gives a warning, also at the end of the session`()
        async throws
    {
        for seconds in [29.0, 31.0] {
            var walk = try await Walk()
            try await walk.step(.start)
            try walk.move(to: 0)
            try walk.move(to: 50)
            walk.wait(seconds)
            try await walk.step(.finish)
            let warnings = try await walk.route().warnings
            #expect(warnings == (seconds > 30 ? [.signalLost] : []))
        }
    }

    @Test(arguments: [(199.0, nil), (200, nil), (201, SessionsError.Code.tooFar)])
    func `a route is resumed at most 200 m from where it was paused`(
        metres: Double, code: SessionsError.Code?
    ) async throws {
        var walk = try await Walk()
        try await walk.step(.start)
        try walk.move(to: 0)
        try walk.move(to: 50)
        walk.wait(1)
        try await walk.step(.pause)
        let route = try await walk.sessionRoute()
        try walk.move(to: 50 + metres)
        let here = try #require(walk.fixes.last)
        #expect(await refusal { try route.checkResumption(from: here) } == code)
        // Without a route, the position at resumption does not matter.
        _ = try await walk.book.update("walk", SessionChange(distance: 1))
        let manual = try await walk.sessionRoute()
        #expect(await refusal { try manual.checkResumption(from: here) } == nil)
    }
}
