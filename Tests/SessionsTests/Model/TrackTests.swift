import Foundation
import Motion
import Samples
import Sessions
import TestSupport
import Testing
import Text
import Tracks

@Suite(.blocking)
struct TrackTests {
    /// A route with a pause and a jump across the antimeridian, with values that text represents
    /// exactly.
    private func track() throws -> Track {
        func point(
            _ second: Int64, _ latitude: Double, _ longitude: Double, _ isPausePoint: Bool = false
        ) throws -> RoutePoint {
            let time = Timestamp(microseconds: 1_800_000_000_000_000 + second * 1_250_000)
            return RoutePoint(
                Fix(
                    time: time, position: try place(latitude, longitude),
                    altitude: 12.5 + Double(second), accuracy: 3.25),
                isPausePoint: isPausePoint)
        }
        return Track(
            name: "A & B <i>\"x\"</i>", description: "two\nlines; ünï ]]> \u{1F6B6}",
            segments: [
                [try point(0, 55.675_94, 12.565_53), try point(10, 55.676, 12.566, true)],
                [try point(99, -0.000_000_1, -0.000_012_3), try point(100, 0.1, 1e-7)],
            ])
    }

    @Test func `a track is restored from its GPX`() throws {
        let track = try track()
        let text = GPXWriter.text(track)
        #expect(try TrackFile(Array(text.utf8)).tracks == [track])
        #expect(text.contains(#"<trkpt lat="-0.0000001" lon="-0.0000123">"#))
        #expect(text.contains("<type>via</type>"))
    }

    @Test func `a track is restored from its GeoJSON`() throws {
        let track = try track()
        let text = GeoJSONWriter.text(track)
        #expect(try TrackFile(Array(text.utf8)).tracks == [track])
    }

    @Test func `GeoJSON has the members and coordinate order of RFC 7946`() throws {
        let text = GeoJSONWriter.text(try track())
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["type"] as? String == "FeatureCollection")
        let feature = try #require((object["features"] as? [[String: Any]])?.first)
        #expect(feature["type"] as? String == "Feature")
        let geometry = try #require(feature["geometry"] as? [String: Any])
        #expect(geometry["type"] as? String == "MultiLineString")
        let lines = try #require(geometry["coordinates"] as? [[[Double]]])
        #expect(lines[0][0] == [12.565_53, 55.675_94, 12.5])
    }

    @Test
    func `length, source and warnings are written with a track and ignored when reading`()
        throws
    {
        let track = try track()
        let record = try RouteRecord(
            segments: track.segments, distance: 1234.5678, warnings: [.signalLost, .jump])
        let json = GeoJSONWriter.text(track, of: record)
        #expect(json.hasPrefix(#"{"distance":1234.568,"distanceSource":"measured","features":[{"#))
        #expect(
            json.hasSuffix(
                #"],"type":"FeatureCollection","warnings":["jump","signalLost"]}"# + "\n"))
        #expect(try TrackFile(Array(json.utf8)).tracks == [track])
        let gpx = GPXWriter.text(track, of: record)
        #expect(
            gpx.contains(
                "<extensions><n:distance>1234.568</n:distance>"
                    + "<n:distanceSource>measured</n:distanceSource><n:warning>jump</n:warning>"
                    + "<n:warning>signalLost</n:warning></extensions>"))
        #expect(try TrackFile(Array(gpx.utf8)).tracks == [track])
        let manual = try RouteRecord(segments: [], distance: 10, source: .manual)
        #expect(
            GeoJSONWriter.text(Track(manual), of: manual)
                == #"{"distance":10,"distanceSource":"manual","features":[],"#
                + #""type":"FeatureCollection","warnings":[]}"# + "\n")
    }

    @Test func `a route without points is an empty collection, and a single point is omitted`()
        throws
    {
        let empty = "{\"features\":[],\"type\":\"FeatureCollection\"}\n"
        #expect(GeoJSONWriter.text(Track()) == empty)
        #expect(GeoJSONWriter.text(Track(name: "x", segments: [[], []])) == empty)
        let one = Track(segments: [[try track().segments[0][0]]])
        #expect(GeoJSONWriter.text(one) == empty)
        #expect(try TrackFile(Array(empty.utf8)).tracks == [])
        let record = try RouteRecord(segments: [], distance: 12, source: .manual)
        #expect(GeoJSONWriter.text(Track(record)) == empty)
    }

    @Test func `a line across the antimeridian is cut there`() throws {
        func fix(_ second: Int64, _ latitude: Double, _ longitude: Double) throws -> RoutePoint {
            RoutePoint(
                Fix(
                    time: Timestamp(microseconds: second * 1_000_000),
                    position: try place(latitude, longitude)))
        }
        let track = Track(segments: [[try fix(0, 10, 179.9), try fix(40, 14, -179.7)]])
        let read = try TrackFile(Array(GeoJSONWriter.text(track).utf8)).tracks
        let lines = try #require(read.first).segments
        #expect(lines.map { $0.map(\.fix.position.longitude) } == [[179.9, 180], [-180, -179.7]])
        #expect(lines[0][1].fix.position.latitude == 11)
        #expect(lines[1][0].fix.time == Timestamp(microseconds: 10_000_000))
    }

    @Test func `numbers have dots and no exponents, whatever the locale`() throws {
        let wanted = try track()
        let plain = (GPXWriter.text(wanted), GeoJSONWriter.text(wanted))
        try CommaLocale.use {
            // Check that the locale is in effect: C uses a decimal comma here.
            #expect(strtod("1,5", nil) == 1.5)
            #expect(GPXWriter.text(wanted) == plain.0)
            #expect(GeoJSONWriter.text(wanted) == plain.1)
            let gpx = try TrackFile(Array(plain.0.utf8)).tracks
            let json = try TrackFile(Array(plain.1.utf8)).tracks
            #expect(gpx == [wanted])
            #expect(json == [wanted])
            #expect(DecimalText(1234.5, digits: 1).description == "1234.5")
        }
        #expect(!plain.0.contains("e-"))
    }

    @Test(
        arguments: [
            (0.000_000_1, 7, "0.0000001"), (-0.000_000_04, 7, "0"), (-0.5, 0, "-1"),
            (1e14, 3, "100000000000000.0"),
            (12.5, 3, "12.5"), (-179.123_456_78, 7, "-179.1234568"), (0, 7, "0"), (99.95, 1, "100"),
            (123_456_789, 0, "123456789"), (2, -5, "2"), (.nan, 2, "nan"),
        ])
    func `a decimal number has the requested digits`(
        number: Double, digits: Int, text: String
    ) {
        #expect(DecimalText(number, digits: digits).description == text)
    }

    @Test func `a file of fixes is replayed as it was recorded, or faster`() throws {
        let fixes = try [0.0, 2, 2, 1, 10].map { try RouteRecorder.fix($0, at: $0) }
        let start = Timestamp(microseconds: 5)
        let replay = try TrackReplay(fixes, from: start, speed: 4)
        #expect(replay.items.map(\.due) == [.zero, .milliseconds(500), .milliseconds(2500)])
        #expect(replay.items.map(\.fix.time.microseconds) == [5, 500_005, 2_500_005])
        #expect(replay.items.map(\.recorded) == [fixes[0], fixes[1], fixes[4]].map(\.time))
        #expect(replay.items.map(\.fix.position) == [fixes[0], fixes[1], fixes[4]].map(\.position))
        for speed in [0, -1, .nan, .infinity] {
            #expect(throws: TrackError.self) { try TrackReplay(fixes, from: start, speed: speed) }
        }
        #expect(try TrackReplay([], from: start).items == [])
    }
}
