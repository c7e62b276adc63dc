import Motion
import Samples
import Testing
import Tracks

@testable import Ingest

struct OwnTracksTests {
    private static func content(_ text: String) throws -> PushedContent {
        try OwnTracksReader.content(Array(text.utf8), of: "ann")
    }

    @Test func `a location has degrees, metres and metres per second`() throws {
        let content = try Self.content(
            """
            {"_type":"location","lat":52.52,"lon":13.405,"acc":12,"alt":34,"vel":36,"cog":270,
             "batt":87,"bs":1,"tst":1698501144,"tid":"an","topic":"owntracks/ann/phone","conn":"w",
             "BSSID":"x","m":1,"vac":3,"t":"u","created_at":1698501145}
            """)
        let time = Timestamp(microseconds: 1_698_501_144_000_000)
        #expect(content.dropped.isEmpty)
        #expect(content.readings.map(\.sensor) == ["location.ann", "battery.ann"])
        let sample = try content.readings[0].reading.sample(of: Fix.fields, arrival: time)
        let fix = try #require(Fix(sample, fields: Fix.fields))
        #expect(fix.position == Position(latitude: 52.52, longitude: 13.405))
        #expect(fix.time == time)
        #expect((fix.altitude, fix.accuracy, fix.heading) == (34, 12, 270))
        #expect(abs((fix.speed ?? 0) - 10) < 1e-12)
        #expect(
            content.readings[1].reading
                == Reading(
                    time: time, values: ["level": .number(87), "state": .text("discharging")])
        )
    }

    @Test func `unknown values are -1, and an unknown altitude is -9999`() throws {
        let content = try Self.content(#"{"_type":"location","lat":1,"lon":2,"tst":5}"#)
        #expect(
            content.readings.map(\.reading.values) == [
                [
                    "latitude": .number(1), "longitude": .number(2), "altitude": .number(-9999),
                    "accuracy": .number(-1), "speed": .number(-1), "heading": .number(-1),
                ]
            ])
        let reading = try #require(content.readings.first?.reading)
        let sample = try reading.sample(of: Fix.fields, arrival: .now())
        let fix = try #require(Fix(sample, fields: Fix.fields))
        #expect(fix.altitude == nil)
    }

    @Test(arguments: [
        (0, "unknown"), (1, "discharging"), (2, "charging"), (3, "full"), (9, "unknown"),
    ])
    func `the number of a battery's state becomes a name`(number: Int, state: String) throws {
        let content = try Self.content(
            #"{"_type":"location","lat":1,"lon":2,"tst":5,"batt":3,"bs":\#(number)}"#)
        #expect(content.readings.last?.reading.values["state"] == .text(state))
    }

    @Test(
        arguments: [
            (#"{"_type":"lwt","tst":1}"#, .otherType), ("", .otherType),
            (#"{"_type":"encrypted","data":"x"}"#, .otherType),
            (#"{"_type":"location","lat":1,"tst":1}"#, .incomplete),
            (#"{"_type":"location","lat":"1","lon":2,"tst":1}"#, .value),
            (#"{"_type":"location","lat":1,"lon":181,"tst":1}"#, .value),
            (#"{"_type":"location","lat":1,"lon":2,"vel":"fast","tst":1}"#, .value),
            (#"{"_type":"location","lat":1,"lon":2,"tst":"now"}"#, .time),
            (#"{"_type":"location","lat":1,"lon":2,"tst":1e300}"#, .time),
        ] as [(String, DropReason)])
    func `other messages are counted`(text: String, reason: DropReason) throws {
        let content = try Self.content(text)
        #expect(content.readings.isEmpty)
        #expect(content.dropped == [reason: 1])
    }

    @Test func `an invalid battery level does not drop the location`() throws {
        let content = try Self.content(
            #"{"_type":"location","lat":1,"lon":2,"tst":5,"batt":101}"#)
        #expect(content.readings.map(\.sensor) == ["location.ann"])
        #expect(content.dropped == [.value: 1])
    }

    @Test func `an unknown battery level is missing`() throws {
        let content = try Self.content(
            #"{"_type":"location","lat":1,"lon":2,"tst":5,"batt":-1,"bs":0}"#)
        #expect(content.readings.map(\.sensor) == ["location.ann"])
        #expect(content.dropped.isEmpty)
    }

    @Test func `an unknown altitude has the reserved number`() throws {
        let content = try Self.content(#"{"_type":"location","lat":1,"lon":2,"tst":5}"#)
        #expect(content.readings.first?.reading.values["altitude"] == .number(-9999))
        #expect(content.dropped.isEmpty)
    }
}
