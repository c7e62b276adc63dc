import Auth
import Foundation
import Samples
import Testing
import Text
import Tracks

@testable import Provider

/// Routes of sessions, from published samples to files.
struct SessionTrackTests {
    private func route(_ host: ServedHost) async throws -> (json: JSONValue, track: Track?) {
        let answer = try await host.sessions("GET", "/walk/route")
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "application/geo+json")
        return (try answer.json(), try TrackFile(answer.body).tracks.first)
    }

    @Test func `the rules of routes apply to stored samples`() async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            try await host.go(to: -500)
            try await host.walk("start")
            // In the first five seconds the position of a receiver is not stable.
            try await host.go(to: 900, after: 4.9)
            try await host.go(to: 0)
            try await host.go(to: 9.9)
            try await host.go(to: 10.1)
            try await host.go(to: 400, accuracy: 100.1)
            try await host.go(to: 30)
            try await host.go(to: 60, accuracy: 6)
            try await host.go(to: 80)
            host.clock.advance(.seconds(1))
            try await host.walk("finish")
            try await host.go(to: 5000)
            let (json, track) = try await route(host)
            let metres = track?.fixes.map {
                ($0.position.longitude * (6_378_137 * .pi / 180) * 10).rounded() / 10
            }
            #expect(metres == [0, 10.1, 30, 80])
            #expect(abs((json["distance"]?.number?.double ?? 0) - 80) < 0.01)
            #expect(json["distanceSource"]?.string == "measured")
            #expect(json["warnings"]?.array?.isEmpty == true)
        }
    }

    @Test func `three pauses give three via points, and no line crosses a pause`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.makeWalk()
            try await host.walk("start")
            for leg in 0..<4 {
                for place in 0..<3 { try await host.go(to: Double(leg * 150 + place * 50)) }
                host.clock.advance(.seconds(1))
                try await host.walk(leg < 3 ? "pause" : "finish")
                try await host.go(to: Double(leg * 150 + 130))
                if leg < 3 { try await host.walk("resume") }
            }
            let (json, track) = try await route(host)
            #expect(
                track?.segments.map { $0.map(\.isPausePoint) } == [
                    [false, false, true], [false, false, true], [false, false, true],
                    [false, false, false],
                ])
            #expect(abs((json["distance"]?.number?.double ?? 0) - 400) < 0.01)
            let gpx = try await host.sessions("GET", "/walk/route?format=gpx")
            #expect(gpx["content-type"] == "application/gpx+xml")
            let read = try #require(try TrackFile(gpx.body).tracks.first)
            #expect(read.name == "A walk")
            #expect(
                read.segments.map { $0.map(\.isPausePoint) }
                    == track?.segments.map { $0.map(\.isPausePoint) })
            #expect(read.fixes.map(\.position) == track?.fixes.map(\.position))
            #expect(gpx.text.contains("<n:distance>400"))
            let accepted = try await host.sessions(
                "GET", "/walk/route", accept: "application/geo+json;q=0.5, application/gpx+xml")
            #expect(accepted.text == gpx.text)
        }
    }

    @Test(arguments: [(199.0, 200), (200, 200), (201, 409)])
    func `a session is resumed at most 200 m from where it was paused`(
        metres: Double, status: Int
    ) async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            try await host.walk("start")
            try await host.go(to: 100)
            // From zero on, so that 200 m are exact.
            try await host.go(to: 0)
            host.clock.advance(.seconds(1))
            try await host.walk("pause")
            try await host.go(to: metres)
            let answer = try await host.sessions("POST", "/walk/resume")
            #expect(answer.status == status)
            #expect(answer.code == (status == 409 ? "too-far" : nil))
            let state = try await host.sessions("GET", "/walk").json()["state"]?.string
            #expect(state == (status == 409 ? "paused" : "active"))
            guard status == 409 else { return }
            // After returning, the session can be resumed.
            try await host.go(to: 150)
            try await host.walk("resume")
        }
    }

    @Test
    func `an inaccurate position prevents resuming, and an unknown one does not`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.makeWalk()
            try await host.walk("start")
            for metres in [0.0, 50] { try await host.go(to: metres) }
            host.clock.advance(.seconds(1))
            try await host.walk("pause")
            try await host.go(to: 60, accuracy: 150)
            #expect(try await host.sessions("POST", "/walk/resume").code == "inaccurate")
            try await host.go(to: 60)
            try await host.walk("resume")
            host.clock.advance(.seconds(1))
            try await host.walk("pause")
            // There is no newer sample.
            host.clock.advance(.seconds(3600))
            try await host.walk("resume")
        }
    }

    @Test func `an entered length replaces the route`() async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            try await host.walk("start")
            for metres in [0.0, 300] { try await host.go(to: metres, after: 40) }
            let before = try await route(host)
            #expect(before.track?.fixes.count == 2)
            #expect(before.json["warnings"]?.array?.map(\.string) == ["jump", "signalLost"])
            let changed = try await host.sessions("PATCH", "/walk", json: #"{"distance": 4200}"#)
            #expect(try changed.json()["distance"]?.number?.double == 4200)
            try await host.go(to: 350)
            let after = try await route(host)
            #expect(after.track == nil)
            #expect(after.json["features"]?.array?.isEmpty == true)
            #expect(after.json["distance"]?.number?.double == 4200)
            #expect(after.json["distanceSource"]?.string == "manual")
            #expect(after.json["warnings"]?.array?.isEmpty == true)
            // Without a route, every position is near enough.
            try await host.walk("pause")
            try await host.go(to: 9000)
            try await host.walk("resume")
        }
    }

    @Test(arguments: [0, 1])
    func `without two points the collection is empty`(fixes: Int) async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            #expect(try await route(host).json["features"]?.array?.isEmpty == true)
            try await host.walk("start")
            for _ in 0..<fixes { try await host.go(to: 0) }
            host.clock.advance(.seconds(1))
            try await host.walk("finish")
            #expect(try await route(host).json["features"]?.array?.isEmpty == true)
        }
    }

    @Test func `a session with several location sensors has a route for each`() async throws {
        try await ServedHost.with { host in
            for (number, name) in ["left", "right"].enumerated() {
                try await host.declareSensor(
                    "location.\(name)", numbers: "longitude", "speed", "latitude")
                for place in 0..<2 {
                    let time = host.clock.now.milliseconds + Double(10_000 + place * 10_000)
                    try await host.feedSensor(
                        """
                        {"t": \(time), "latitude": \(number), "speed": 1,
                         "longitude": \(Double(place) / 1000)}
                        """, to: "location.\(name)")
                }
            }
            let made = try await host.sessions(
                "POST", json: #"{"id": "walk", "name": "x", "sensors": ["gauge", "location"]}"#)
            #expect(made.status == 201)
            try await host.walk("start")
            host.clock.advance(.seconds(60))
            for (query, latitude) in [
                ("", 0.0), ("?sensor=location.left", 0), ("?sensor=location.right", 1),
            ] {
                let answer = try await host.sessions("GET", "/walk/route\(query)")
                let fixes = try TrackFile(answer.body).tracks.first?.fixes
                #expect(fixes?.map(\.position.latitude) == [latitude, latitude], "\(query)")
            }
            for name in ["gauge", "location.none", ""] {
                let answer = try await host.sessions("GET", "/walk/route?sensor=\(name)")
                #expect(answer.status == 400)
            }
        }
    }

    @Test func `a route of many pages has every point`() async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            try await host.walk("start")
            let start = host.clock.now.milliseconds + 6000
            let count = 25_000
            let rows = (0..<count).map { "\(start + Double($0 * 1000)),0,\(Double($0) / 5000),5" }
            let csv = "t,latitude,longitude,accuracy\n" + rows.joined(separator: "\n") + "\n"
            #expect(try await host.publish(csv, as: "text/csv", to: "location").status == 201)
            host.clock.advance(.seconds(count + 10))
            try await host.walk("finish")
            let (json, track) = try await route(host)
            #expect(track?.fixes.count == count)
            let degrees = Double(count - 1) / 5000
            let length = degrees * 6_378_137 * .pi / 180
            #expect(abs((json["distance"]?.number?.double ?? 0) / length - 1) < 1e-7)
        }
    }
}
