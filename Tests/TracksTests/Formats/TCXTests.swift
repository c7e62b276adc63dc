import Samples
import TestSupport
import Testing
import Tracks

struct TCXTests {
    private func file(_ body: String) throws -> TrackFile {
        try TrackFile(
            Array(
                """
                          <?xml version="1.0" encoding="UTF-8"?>
                <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
                \(body)</TrainingCenterDatabase>
                """.utf8))
    }

    private func point(_ second: Int, _ longitude: Double?, _ more: String = "") -> String {
        let minute = second / 60
        let position = longitude.map {
            "<Position><LatitudeDegrees>0</LatitudeDegrees><LongitudeDegrees>\($0)</LongitudeDegrees>"
                + "</Position>"
        }
        return "<Trackpoint><Time>2026-03-01T12:\(minute / 10)\(minute % 10):"
            + "\(second % 60 / 10)\(second % 10).000Z</Time>\(position ?? "")\(more)</Trackpoint>"
    }

    @Test func `points have altitude and speed, and an activity the name of its sport`() throws {
        let more = """
            <AltitudeMeters>12.5</AltitudeMeters><DistanceMeters>3</DistanceMeters>
            <HeartRateBpm xsi:type="HeartRateInBeatsPerMinute_t"><Value>144</Value></HeartRateBpm>
            <Cadence>85</Cadence><Extensions><TPX xmlns="x"><Speed>2.5</Speed><Watts>200</Watts>
            </TPX></Extensions>
            """
        let file = try file(
            """
            <Activities><Activity Sport="Running"><Id>2026-03-01T12:00:00Z</Id>
            <Lap StartTime="2026-03-01T12:00:00Z"><Track>\(point(0, 1e-3, more))\(point(1, 2e-3))
            </Track></Lap><Notes>easy</Notes><Creator><Name>watch</Name></Creator></Activity></Activities>
            """)
        let track = try #require(file.tracks.first)
        #expect(file.format == .tcx)
        #expect(track.name == "Running")
        #expect(track.description == "easy")
        #expect(track.fixes.map(\.altitude) == [12.5, nil])
        #expect(track.fixes.map(\.speed) == [2.5, nil])
        #expect(track.fixes.map(\.position) == [try place(0, 0.001), try place(0, 0.002)])
        #expect("\(track.fixes[1].time)" == "2026-03-01T12:00:01.000000Z")
        #expect(
            file.remarks == [
                TrackRemark(
                    .otherValues, track: nil, count: 1, detail: "cadence, heart rate, power")
            ])
    }

    @Test func `a pause begins a segment, and a lap only after a gap`() throws {
        func lap(_ tracks: [String]) -> String {
            "<Lap>" + tracks.map { "<Track>\($0)</Track>" }.joined() + "</Lap>"
        }
        let file = try file(
            "<Activities><Activity Sport=\"Other\">"
                + lap([point(0, 0) + point(1, 1), point(20, 2) + point(21, 3)])
                + lap([point(50, 4) + point(51, 5)]) + lap([point(81, 6), point(82, 7)])
                + "</Activity></Activities>")
        let track = try #require(file.tracks.first)
        #expect(track.name == nil)
        #expect(
            track.segments.map { $0.map(\.fix.position.longitude) } == [
                [0, 1], [2, 3, 4, 5], [6], [7],
            ])
    }

    @Test func `courses, several activities and points without a position are read`() throws {
        let file = try file(
            """
            <Courses><Course><Name>C</Name><Lap><BeginPosition/></Lap>
            <Track>\(point(0, 0))\(point(1, nil))\(point(2, 1))</Track>
            <CoursePoint><Name>Turn</Name><Time>2026-03-01T12:00:00Z</Time><Position>
            <LatitudeDegrees>0</LatitudeDegrees><LongitudeDegrees>0</LongitudeDegrees></Position>
            </CoursePoint></Course></Courses><Activities><MultiSportSession><FirstSport>
            <Activity Sport="Biking"><Lap><Track>\(point(0, 0))</Track></Lap></Activity></FirstSport>
            <NextSport><Activity Sport="Running"><Lap><Track>\(point(9, 1))\(point(10, 400))
            </Track></Lap></Activity></NextSport></MultiSportSession></Activities>
            """)
        #expect(file.tracks.map(\.name) == ["C", "Biking", "Running"])
        #expect(file.tracks.map(\.fixes.count) == [2, 1, 1])
        #expect(
            file.remarks == [
                TrackRemark(.invalidPosition, track: "C", count: 1),
                TrackRemark(.invalidPosition, track: "Running", count: 1),
                TrackRemark(.waypoint, track: nil, count: 1),
            ])
    }
}
