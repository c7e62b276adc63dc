import Foundation
import Samples
import TestSupport
import Testing
import Tracks

struct GeoJSONTests {
    private func file(_ text: String, limits: TrackLimits = TrackLimits()) throws -> TrackFile {
        try TrackFile(Array(text.utf8), as: .geoJSON, limits: limits)
    }

    /// A collection with one line.
    private func line(_ coordinates: String, _ properties: String = "{}") -> String {
        #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":"# + properties
            + #","geometry":{"type":"LineString","coordinates":"# + coordinates + "}}]}"
    }

    private static let times = #"["2026-03-01T12:00:00Z","2026-03-01T12:00:01.5Z"]"#

    @Test(
        arguments: [
            #"{"times":\#(times)}"#, #"{"times":[\#(times)]}"#, #"{"coordTimes":\#(times)}"#,
            #"{"coordinateProperties":{"times":\#(times)}}"#,
            #"{"times":[1772366400000,1772366401500.0]}"#,
        ])
    func `times are read where programs write them`(properties: String) throws {
        let fixes = try file(line("[[8,47,400],[8.1,47.1]]", properties)).tracks.flatMap(\.fixes)
        #expect(
            fixes.map { "\($0.time)" } == [
                "2026-03-01T12:00:00.000000Z", "2026-03-01T12:00:01.500000Z",
            ])
        #expect(fixes.map(\.position) == [try place(47, 8), try place(47.1, 8.1)])
        #expect(fixes.map(\.altitude) == [400, nil])
    }

    @Test func `features, lines and collections of geometries are read`() throws {
        let line = #"{"type":"LineString","coordinates":[[0,1],[2,3]]}"#
        let lines = #"{"type":"MultiLineString","coordinates":[[[0,1],[2,3]],[[4,5],[6,7]]]}"#
        let collection =
            #"{"type":"GeometryCollection","geometries":[\#(line),{"type":"Point","coordinates":[0,0]},"#
            + #"{"type":"GeometryCollection","geometries":[\#(lines)]}]}"#
        for (text, segments) in [(line, 1), (lines, 2), (collection, 3)] {
            for wrapped in [
                text, #"{"type":"Feature","properties":null,"geometry":\#(text)}"#,
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":\#(text)}]}"#,
            ] {
                let file = try TrackFile(Array(wrapped.utf8), missingTimes: .everySecond)
                #expect(file.tracks.map(\.segments.count) == [segments])
                #expect(file.tracks[0].segments.last?.count == 2)
                #expect(file.remarks.map(\.kind) == (segments == 3 ? [.waypoint] : []))
            }
        }
    }

    @Test func `each line has its own times, and properties of another type are ignored`() throws {
        let text =
            #"{"type":"Feature","properties":{"name":7,"desc":"d","via":"x","coordinateProperties":{"times":"#
            + "[\(Self.times),[\"2026-03-01T13:00:00Z\",null,\"2026-03-01T13:00:08Z\"]]}},"
            + #""geometry":{"type":"MultiLineString","coordinates":"#
            + "[[[0,0],[1,0]],[[2,0],[3,0],[4,0]]]}}"
        let track = try #require(try file(text).tracks.first)
        #expect(track.name == nil)
        #expect(track.description == "d")
        #expect(
            track.fixes.map { "\($0.time)".suffix(16) }[2...] == [
                "13:00:00.000000Z", "13:00:04.000000Z", "13:00:08.000000Z",
            ])
    }

    @Test func `an invalid position is left out with its time`() throws {
        for position in ["[181,0]", "[0]", "[null,0]", #"["0",0]"#, "7", "[]"] {
            let file = try file(
                line("[\(position),[1,2]]", #"{"name":"L","times":\#(Self.times)}"#))
            #expect(
                file.tracks.flatMap(\.fixes).map { "\($0.time)" } == ["2026-03-01T12:00:01.500000Z"]
            )
            #expect(file.remarks == [TrackRemark(.invalidPosition, track: "L", count: 1)])
        }
    }

    @Test func `other texts are rejected`() throws {
        let deep = String(repeating: "[", count: 100_000)
        let hostile = [
            "", "null", "[]", "{}", deep, #"{"type":"Topology"}"#, #"{"type":7}"#,
            #"{"type":"FeatureCollection","features":\#(deep)"#, line("[[1e999,0],[0,0]]"),
        ]
        for text in hostile {
            let error = #expect(throws: TrackError.self, "\(text.prefix(80))") { try file(text) }
            #expect(error?.code == .malformed)
        }
        for text in [
            #"{"type":"FeatureCollection"}"#, #"{"type":"Feature","features":[]}"#,
            #"{"type":"FeatureCollection","features":[7,null,{"geometry":null}]}"#,
            #"{"type":"LineString"}"#, #"{"type":"Polygon","coordinates":[[[0,0],[1,1],[0,0]]]}"#,
        ] {
            #expect(try file(text).tracks.flatMap(\.fixes).isEmpty)
        }
        var limits = TrackLimits()
        limits.points = 1
        let error = #expect(throws: TrackError.self) {
            try file(line("[[0,0],[1,1]]"), limits: limits)
        }
        #expect(error?.code == .tooLarge)
    }
}
