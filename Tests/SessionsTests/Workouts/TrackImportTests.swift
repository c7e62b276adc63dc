import Samples
import Sessions
import Testing
import Tracks

struct TrackImportTests {
    private func gpx(_ body: String) -> [UInt8] {
        Array(#"<gpx version="1.1">\#(body)</gpx>"#.utf8)
    }

    private func track(_ name: String, _ points: Int, year: Int = 2026) -> String {
        let points = (0..<points).map {
            "<trkpt lat='0' lon='0.\($0)'><time>\(year)-03-01T12:00:0\($0)Z</time></trkpt>"
        }
        return "<trk><name>\(name)</name><trkseg>\(points.joined())</trkseg></trk>"
    }

    @Test func `tracks that cannot be sessions leave the others usable`() throws {
        let text =
            "<rte/>" + track("A", 3) + track("B", 1) + track("C", 2) + track("D", 2, year: 1969)
            + "<wpt lat='0' lon='0'/>"
        let (workouts, remarks) = try Workout.workouts(of: TrackFile(gpx(text)))
        #expect(workouts.map(\.draft.name) == ["A", "C"])
        #expect(workouts.map(\.route.points.count) == [3, 2])
        #expect(
            remarks.map(\.description) == [
                "1 waypoint was left out.", "Track 1: left out: fewer than two points.",
                "B: left out: fewer than two points.",
                "D: left out: The times of a workout are between 1970 and 9999.",
            ])
    }

    @Test func `a file of which nothing remains is rejected with its contents`() throws {
        func error(_ text: String) throws -> TrackError? {
            let file = try TrackFile(gpx(text))
            return #expect(throws: TrackError.self) { try Workout.workouts(of: file) }
        }
        let places = try error("<wpt lat='0' lon='0'/><wpt lat='0' lon='1'/>")
        #expect(places?.message == "The file has nothing to import: only 2 waypoints.")
        #expect(places?.hint == "A session needs a track or route of at least two points.")
        #expect(
            try error("")?.message
                == "The file has nothing to import: no tracks, routes or waypoints.")
        let plan = try error("<rte><rtept lat='0' lon='0'/><rtept lat='0' lon='1'/></rte><trk/>")
        #expect(
            plan?.message
                == "The file has nothing to import: only 1 track without times, 1 track with fewer than"
                + " two valid points.")
        let indoors = "<trkpt lat='' lon=''/>"
        let none = try error("<trk><trkseg>\(indoors)\(indoors)</trkseg></trk>")
        #expect(
            none?.message
                == "The file has nothing to import: only 1 track with fewer than two valid points,"
                + " 2 points without a valid position.")
        #expect(none?.hint?.contains("indoors") == true)
        let unset = try error(track("D", 2, year: 1970))
        #expect(unset?.message.hasSuffix("a device whose clock was not set.") == true)
        #expect(plan?.hint?.contains("--start") == true)
        let old = try error(track("D", 2, year: 1969))
        #expect(
            old?.message.hasSuffix("D: left out: The times of a workout are between 1970 and 9999.")
                == true)
    }
}
