import Samples
import Testing

@testable import Ingest

struct OverlandTests {
    private static func content(_ features: String) throws -> PushedContent {
        try OverlandReader.content(Array(#"{"locations":[\#(features)]}"#.utf8), of: "ann")
    }

    private static func feature(_ properties: String, at place: String = "[-122.5,37.25]")
        -> String
    {
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":\#(place)},"#
            + #""properties":{\#(properties)}}"#
    }

    @Test func `a batch has longitude first, metres per second and offsets without a colon`() throws
    {
        let content = try Self.content(
            Self.feature(
                #""timestamp":"2015-10-01T08:00:00-0700","altitude":12,"speed":4,"course":90,"#
                    + #""horizontal_accuracy":30,"vertical_accuracy":10,"motion":["driving"],"#
                    + #""battery_state":"unplugged","battery_level":0.75,"wifi":"home""#)
                + "," + Self.feature(#""timestamp":"2015-10-01T15:00:01Z""#))
        let time = Timestamp(microseconds: 1_443_711_600_000_000)
        #expect(content.dropped.isEmpty)
        #expect(content.readings.map(\.sensor) == ["location.ann", "battery.ann", "location.ann"])
        #expect(
            content.readings.map(\.reading.time) == [
                time, time, time.advanced(byMicroseconds: 1_000_000),
            ])
        #expect(
            content.readings[0].reading.values == [
                "latitude": .number(37.25), "longitude": .number(-122.5), "altitude": .number(12),
                "accuracy": .number(30), "speed": .number(4), "heading": .number(90),
            ])
        #expect(
            content.readings[1].reading.values
                == ["level": .number(75), "state": .text("discharging")])
    }

    @Test func `an altitude with a negative accuracy, and a level of -1, are unknown`() throws {
        let content = try Self.content(
            Self.feature(#""altitude":0,"vertical_accuracy":-1,"speed":-1,"battery_level":-1"#))
        #expect(content.readings.map(\.sensor) == ["location.ann"])
        #expect(content.readings[0].reading.values["altitude"] == .number(-9999))
        #expect(content.readings[0].reading.values["speed"] == .number(-1))
    }

    @Test(
        arguments: [
            (#"{"type":"Feature","geometry":null,"properties":{"type":"trip"}}"#, .otherType),
            (feature(#""action":"visit""#), .otherType), ("7", .malformed), ("{}", .malformed),
            (feature(#""speed":1"#, at: "[1]"), .incomplete),
            (feature(#""speed":1"#, at: "[1,91]"), .value),
            (feature(#""speed":"fast""#), .value), (feature(#""timestamp":"now""#), .time),
        ] as [(String, DropReason)])
    func `other features are counted`(feature: String, reason: DropReason) throws {
        let content = try Self.content(feature)
        #expect(content.readings.isEmpty)
        #expect(content.dropped == [reason: 1])
    }
}
