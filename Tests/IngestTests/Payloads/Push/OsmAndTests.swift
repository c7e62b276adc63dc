import Samples
import Testing

@testable import Ingest

struct OsmAndTests {
    private static func content(_ query: String) throws -> PushedContent {
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(
                String.init)
            return (name: parts[0], value: parts[1])
        }
        return try OsmAndReader.content(pairs, of: "ann")
    }

    @Test func `speed is in knots, and a battery is a reading of its own`() throws {
        let content = try Self.content(
            "id=123456&timestamp=1377177267&lat=60.5&lon=-30.25&speed=36&bearing=90&altitude=12.5"
                + "&hdop=1.2&accuracy=8&batt=87.5&charge=true")
        let time = Timestamp(microseconds: 1_377_177_267_000_000)
        #expect(content.dropped.isEmpty)
        #expect(content.readings.map(\.sensor) == ["location.ann", "battery.ann"])
        let values = content.readings[0].reading.values
        #expect(values["latitude"] == .number(60.5))
        #expect(values["longitude"] == .number(-30.25))
        #expect(values["altitude"] == .number(12.5))
        #expect(values["accuracy"] == .number(8))
        #expect(values["heading"] == .number(90))
        // 36 nautical miles of 1852 m in 3600 s.
        #expect(abs((values["speed"]?.double ?? .nan) - 18.52) < 1e-12)
        #expect(content.readings.map(\.reading.time) == [time, time])
        #expect(
            content.readings[1].reading.values
                == ["level": .number(87.5), "state": .text("charging")])
    }

    @Test func `an unknown battery level is missing`() throws {
        let content = try Self.content("lat=1&lon=2&batt=-1.0")
        #expect(content.readings.map(\.sensor) == ["location.ann"])
        #expect(content.dropped.isEmpty)
    }

    @Test(arguments: [("m/s", 36.0), ("km/h", 10), ("kn", 18.52)])
    func `speed has the unit that the URL names`(unit: String, speed: Double) throws {
        let content = try Self.content("lat=1&lon=2&speed=36&speedUnit=\(unit)")
        let found = content.readings.first?.reading.values["speed"]?.double
        #expect(abs((found ?? .nan) - speed) < 1e-12)
        #expect(content.readings.first?.reading.time == nil)
    }

    @Test func `an unknown unit of speed is an error`() {
        #expect(throws: PushFault.self) { try Self.content("lat=1&lon=2&speedUnit=mph") }
    }

    @Test(arguments: [
        ("1442068686", 1_442_068_686_000_000), ("1442068686579", 1_442_068_686_579_000),
        ("2016-01-27T18:55:47Z", 1_453_920_947_000_000),
        ("2016-01-27T18:55:47+0100", 1_453_917_347_000_000),
        ("2014-06-04 09:10:11", 1_401_873_011_000_000),
        ("2014-06-04+09:10:11", 1_401_873_011_000_000),
    ])
    func `a time is a number or a text`(text: String, microseconds: Int64) throws {
        let content = try Self.content("lat=1&lon=2&timestamp=\(text)")
        #expect(
            content.readings.map(\.reading.time) == [Timestamp(microseconds: microseconds)])
    }

    @Test func `the place may be one parameter, and unknown values are marked`() throws {
        let content = try Self.content("location=60.0,30.0&timestamp=5")
        #expect(
            content.readings.map(\.reading.values) == [
                [
                    "latitude": .number(60), "longitude": .number(30), "altitude": .number(-9999),
                    "accuracy": .number(-1), "speed": .number(-1), "heading": .number(-1),
                ]
            ])
    }

    @Test(
        arguments: [
            ("id=1&cell=257,02,16,2224", .incomplete), ("lat=1", .incomplete),
            ("lat=91&lon=2", .value), ("lat=nan&lon=2", .value), ("location=1&lat=2", .value),
            ("lat=1&lon=2&speed=fast", .value), ("lat=1&lon=2&timestamp=now", .time),
            ("lat=1&lon=2&valid=false", .otherType), ("", .incomplete),
        ] as [(String, DropReason)])
    func `other requests are counted`(query: String, reason: DropReason) throws {
        let content = try Self.content(query)
        #expect(content.readings.isEmpty)
        #expect(content.dropped == [reason: 1])
    }

    @Test func `JSON has metres per second, a level between 0 and 1, and one or more locations`()
        throws
    {
        let location =
            #"{"timestamp":"2025-05-16T16:10:37.684Z","coords":{"latitude":1.5,"longitude":2,"#
            + #""accuracy":5,"speed":3,"heading":-1,"altitude":7},"is_moving":true,"#
            + #""battery":{"level":0.25,"is_charging":false},"activity":{"type":"walking"}}"#
        let time = Timestamp(microseconds: 1_747_411_837_684_000)
        for (text, count) in [(location, 1), ("[\(location),\(location)]", 2)] {
            let content = try OsmAndReader.content(
                Array(#"{"device_id":"x","location":\#(text)}"#.utf8), of: "ann")
            #expect(content.readings.count == 2 * count)
            #expect(content.readings.allSatisfy { $0.reading.time == time })
            #expect(
                content.readings[0].reading.values == [
                    "latitude": .number(1.5), "longitude": .number(2), "altitude": .number(7),
                    "accuracy": .number(5), "speed": .number(3), "heading": .number(-1),
                ])
            #expect(
                content.readings[1].reading.values
                    == ["level": .number(25), "state": .text("discharging")])
        }
        #expect(throws: PushFault.self) {
            try OsmAndReader.content(Array(#"{"location":1}"#.utf8), of: "ann")
        }
    }
}
