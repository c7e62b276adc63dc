import Samples
import TestSupport
import Testing
import Tracks

struct KMLTests {
    private func file(
        _ body: String, limits: TrackLimits = TrackLimits()
    ) throws -> TrackFile {
        try TrackFile(
            Array(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
                <Document><name>D</name>\(body)</Document></kml>
                """.utf8), limits: limits)
    }

    private func seconds(_ track: Track) -> [Double] {
        track.fixes.map { Double($0.time.microseconds - 1_772_366_400_000_000) / 1_000_000 }
    }

    @Test func `tracks have a time for each point, in any order of the elements`() throws {
        let file = try file(
            """
            <Placemark><name>T</name><description>two</description><gx:MultiTrack><gx:Track>
            <when>2026-03-01T12:00:00Z</when><when>2026-03-01T12:00:01.5Z</when>
            <when>2026-03-01T12:00:03Z</when>
            <gx:coord>8 47 400</gx:coord><gx:coord></gx:coord><gx:coord>8.2 47.2</gx:coord>
            <ExtendedData><SchemaData><gx:SimpleArrayData name="heartrate"><gx:value>90</gx:value>
            </gx:SimpleArrayData></SchemaData></ExtendedData></gx:Track>
            <Track><coord>9 47 1</coord><when>2026-03-01T12:00:09Z</when></Track>
            </gx:MultiTrack></Placemark>
            """)
        let track = try #require(file.tracks.first)
        #expect(file.format == .kml)
        #expect((track.name, track.description) == ("T", "two"))
        #expect(track.segments.map(\.count) == [2, 1])
        #expect(seconds(track) == [0, 3, 9])
        #expect(track.fixes.map(\.altitude) == [400, nil, 1])
        #expect(track.fixes[1].position == (try place(47.2, 8.2)))
        #expect(
            file.remarks == [
                TrackRemark(.invalidPosition, track: "T", count: 1),
                TrackRemark(.otherValues, track: nil, count: 4, detail: "heart rate"),
            ])
    }

    @Test func `a line takes its times from the time span of its placemark`() throws {
        func line(_ span: String) -> String {
            """
            <Placemark>\(span)<MultiGeometry>
            <LineString><coordinates>
              0,0,5 1,0,6
            </coordinates></LineString><LineString><coordinates>2,0 4,0</coordinates></LineString>
            <Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,1 0,1 0,0</coordinates>
            </LinearRing></outerBoundaryIs></Polygon></MultiGeometry></Placemark>
            """
        }
        let begin = "<begin>2026-03-01T12:00:00Z</begin>"
        let end = "<end>2026-03-01T13:00:00+01:00</end>"
        let late = "<end>2026-03-01T12:00:40Z</end>"
        let track = try #require(
            try file(line("<TimeSpan>\(begin)\(late)</TimeSpan>")).tracks.first)
        #expect(track.name == "D")
        #expect(seconds(track) == [0, 10, 20, 40])
        #expect(track.fixes.map(\.altitude) == [5, 6, nil, nil])
        for span in ["", "<TimeSpan>\(begin)</TimeSpan>", "<TimeSpan>\(begin)\(end)</TimeSpan>"] {
            let untimed = try file(line(span))
            #expect(untimed.tracks.isEmpty)
            #expect(untimed.remarks == [TrackRemark(.noTimes, track: "D", count: 4)])
        }
    }

    @Test func `points with times are a track only where a file has no other`() throws {
        func point(_ second: Int, _ longitude: Int) -> String {
            """
            <Placemark><TimeStamp><when>2026-03-01T12:00:0\(second)Z</when></TimeStamp>
            <Point><coordinates>\(longitude),0,3</coordinates></Point></Placemark>
            """
        }
        let folder = "<Folder><name>F</name>\(point(0, 0))\(point(2, 1))</Folder>"
        let plain = "<Placemark><Point><coordinates>0,0</coordinates></Point></Placemark>"
        let points = try file(folder + point(1, 9) + plain)
        #expect(points.tracks.map(\.name) == ["F"])
        #expect(seconds(points.tracks[0]) == [0, 2])
        #expect(points.remarks == [TrackRemark(.waypoint, track: nil, count: 2)])
        let both = try file(
            folder
                + """
                <Placemark><gx:Track><when>2026-03-01T12:00:00Z</when><gx:coord>0 0 0</gx:coord>
                </gx:Track></Placemark>
                """)
        #expect(both.tracks.map(\.name) == ["D"])
        #expect(both.remarks == [TrackRemark(.waypoint, track: nil, count: 2)])
    }

    @Test func `long lines are read, and their points are limited`() throws {
        let coordinates = String(repeating: "1.000000001,2.000000002,3.000000003\n", count: 5000)
        let text =
            "<Placemark><TimeSpan><begin>2026-03-01T12:00:00Z</begin><end>2026-03-01T13:00:00Z</end>"
            + "</TimeSpan><LineString><coordinates>\(coordinates)</coordinates></LineString></Placemark>"
        #expect(try file(text).tracks.first?.fixes.count == 5000)
        var limits = TrackLimits()
        limits.points = 4999
        let error = #expect(throws: TrackError.self) { try file(text, limits: limits) }
        #expect(error?.code == .tooLarge)
    }
}
