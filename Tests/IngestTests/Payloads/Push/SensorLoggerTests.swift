import Motion
import Samples
import Testing
import Tracks

@testable import Ingest

struct SensorLoggerTests {
    private static let nanoseconds: Int64 = 1_698_501_144_401_740_000
    private static let time = Timestamp(microseconds: nanoseconds / 1000)

    private static func item(_ name: String, _ values: String) -> String {
        #"{"name":"\#(name)","time":\#(nanoseconds),"accuracy":3,"values":\#(values)}"#
    }

    private static func content(_ items: String...) throws -> PushedContent {
        let text = """
            {"messageId":36,"sessionId":"c5241337","deviceId":"7d1c0bff","payload":[\
            \(items.joined(separator: ","))]}
            """
        return try SensorLoggerReader.content(Array(text.utf8), of: "ann")
    }

    @Test(
        arguments: [
            (
                "accelerometer", #"{"z":-0.25,"y":0.5,"x":1}"#, "accelerometer.ann",
                ["x": .number(1), "y": .number(0.5), "z": .number(-0.25)]
            ),
            (
                "TotalAcceleration", #"{"x":0,"y":0,"z":9.81}"#, "total-acceleration.ann",
                ["x": .number(0), "y": .number(0), "z": .number(9.81)]
            ),
            (
                "gravity", #"{"x":0,"y":0,"z":-9.80665}"#, "gravity.ann",
                ["x": .number(0), "y": .number(0), "z": .number(-9.80665)]
            ),
            (
                "gyroscope", #"{"x":1e-3,"y":0,"z":0}"#, "gyroscope.ann",
                ["x": .number(0.001), "y": .number(0), "z": .number(0)]
            ),
            (
                "magnetometer", #"{"x":20.5,"y":-3,"z":44}"#, "magnetometer.ann",
                ["x": .number(20.5), "y": .number(-3), "z": .number(44)]
            ),
            (
                "barometer", #"{"relativeAltitude":0.34,"pressure":994.28662109375}"#,
                "barometer.ann",
                ["relativeAltitude": .number(0.34), "pressure": .number(994.28662109375)]
            ),
            ("pedometer", #"{"steps":12}"#, "steps.ann", ["steps": .integer(12)]),
            ("microphone", #"{"dBFS":-42.5}"#, "noise.ann", ["level": .number(-42.5)]),
            ("light", #"{"lux":120}"#, "light.ann", ["illuminance": .number(120)]),
            ("heartrate", #"{"bpm":61}"#, "heart-rate.ann", ["rate": .number(61)]),
            (
                "orientation",
                #"{"qx":0,"qy":0,"qz":0,"qw":1,"roll":0.1,"pitch":0.2,"yaw":0.3}"#,
                "orientation.ann",
                [
                    "qx": .number(0), "qy": .number(0), "qz": .number(0), "qw": .number(1),
                    "roll": .number(0.1), "pitch": .number(0.2), "yaw": .number(0.3),
                ]
            ),
        ] as [(String, String, String, [String: Value])])
    func `each name maps to a sensor with this project's fields and units`(
        name: String, json: String, sensor: String, values: [String: Value]
    ) throws {
        let content = try Self.content(Self.item(name, json))
        #expect(content.dropped.isEmpty)
        let only = try #require(content.readings.first)
        #expect(only.sensor.description == sensor)
        #expect(only.reading == Reading(time: Self.time, values: values))
        // The declared sensor of a phone accepts the reading.
        let declared = try #require(PhoneSensor.all.first { $0.id(of: "ann") == only.sensor })
        let sample = try only.reading.sample(of: declared.fields, arrival: Self.time)
        #expect(Set(declared.fields.map(\.name)) == Set(values.keys))
        #expect(sample.time == Self.time)
    }

    @Test func `a location without speed and bearing has -1 for both`() throws {
        let content = try Self.content(
            Self.item(
                "location",
                """
                {"latitude":47.3769,"longitude":8.5417,"altitude":455.5,\
                "altitudeAboveMeanSeaLevel":408.25,"horizontalAccuracy":4.5,"speed":-1,\
                "bearing":-1,"verticalAccuracy":3}
                """))
        let reading = try #require(content.readings.first)
        #expect(
            reading.reading.values == [
                "latitude": .number(47.3769), "longitude": .number(8.5417),
                "altitude": .number(408.25), "accuracy": .number(4.5), "speed": .number(-1),
                "heading": .number(-1),
            ])
        let sample = try reading.reading.sample(of: Fix.fields, arrival: Self.time)
        let fix = try #require(Fix(sample, fields: Fix.fields))
        #expect(fix.altitude == 408.25)
        #expect(fix.speed == nil)
        #expect(fix.heading == nil)
    }

    @Test(
        arguments: [
            ("unplugged", "discharging"), ("charging", "charging"), ("full", "full"),
            ("UNPLUGGED", "discharging"), ("unknown", "unknown"), ("on fire", "unknown"),
        ])
    func `a battery's state has the same names for all sources`(
        reported: String, state: String
    ) throws {
        let json = #"{"batteryLevel":0.5,"batteryState":"\#(reported)","lowPowerMode":false}"#
        let content = try Self.content(Self.item("battery", json))
        #expect(
            content.readings.first?.reading.values == ["level": .number(50), "state": .text(state)])
    }

    @Test(
        arguments: [
            "walking", "running", "cycling", "automotive", "stationary", "tilting", "unknown", "?",
        ], ["low", "medium", "high", "unknown"])
    func `an activity has the same names for all sources`(
        activity: String, confidence: String
    ) throws {
        let json = #"{"activity":"\#(activity)","confidence":"\#(confidence)"}"#
        let values = try #require(
            try Self.content(Self.item("activity", json)).readings.first?.reading.values)
        guard case .text(let state) = values["activity"],
            case .text(let sure) = values["confidence"]
        else {
            Issue.record("no states: \(values)")
            return
        }
        let names = ["automotive": "driving", "tilting": "unknown", "?": "unknown"]
        #expect(names[activity] ?? activity == state)
        #expect(confidence == "unknown" ? sure == "low" : sure == confidence)
    }

    @Test(
        arguments: [
            (#"{"name":"wifi","time":1,"values":{"ssid":"x"}}"#, .unknownName),
            (#"{"name":"test","time":1,"values":{}}"#, .unknownName),
            (#"{"time":1,"values":{"lux":1}}"#, .malformed), ("7", .malformed),
            (#"{"name":7,"time":1,"values":{"lux":1}}"#, .malformed),
            (#"{"name":"light","values":{"lux":1}}"#, .incomplete),
            (#"{"name":"light","time":"1","values":{"lux":1}}"#, .time),
            (#"{"name":"light","time":1.5,"values":{"lux":1}}"#, .time),
            (#"{"name":"light","time":1e300,"values":{"lux":1}}"#, .time),
            (#"{"name":"light","time":1,"values":{}}"#, .incomplete),
            (#"{"name":"light","time":1,"values":{"lux":null}}"#, .incomplete),
            (#"{"name":"light","time":1,"values":[1]}"#, .incomplete),
            (#"{"name":"light","time":1,"values":{"lux":"1"}}"#, .value),
            (#"{"name":"light","time":1,"values":{"lux":true}}"#, .value),
            (#"{"name":"pedometer","time":1,"values":{"steps":1.5}}"#, .value),
            (#"{"name":"pedometer","time":1,"values":{"steps":-1}}"#, .value),
            (#"{"name":"battery","time":1,"values":{"batteryLevel":50}}"#, .value),
            (#"{"name":"battery","time":1,"values":{"batteryLevel":-1}}"#, .incomplete),
            (#"{"name":"location","time":1,"values":{"latitude":91,"longitude":0}}"#, .value),
            (#"{"name":"location","time":1,"values":{"latitude":1}}"#, .incomplete),
            (#"{"name":"activity","time":1,"values":{"activity":1}}"#, .value),
        ] as [(String, DropReason)])
    func `an invalid reading is counted, and the others are kept`(
        item: String, reason: DropReason
    ) throws {
        let content = try Self.content(item, Self.item("light", #"{"lux":5}"#))
        #expect(content.dropped == [reason: 1])
        #expect(content.readings.map(\.reading.values) == [["illuminance": .number(5)]])
    }

    @Test func `values can be beside the name, as in older versions`() throws {
        let content = try Self.content(#"{"name":"light","time":1000,"lux":5}"#)
        let reading = Reading(
            time: Timestamp(microseconds: 1), values: ["illuminance": .number(5)])
        #expect(content.readings.map(\.reading) == [reading])
    }

    @Test(arguments: ["Ann", "a.b", "", "a b", String(repeating: "x", count: 60)])
    func `a phone with an invalid name has no sensors`(phone: String) throws {
        let text = #"{"payload":[{"name":"light","time":1,"values":{"lux":1}}]}"#
        let content = try SensorLoggerReader.content(Array(text.utf8), of: phone)
        #expect(content.readings.isEmpty)
        #expect(content.dropped == [.unknownName: 1])
    }
}
