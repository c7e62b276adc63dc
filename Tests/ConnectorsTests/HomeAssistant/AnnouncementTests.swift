import Ingest
import Motion
import Samples
import Scheduling
import Testing
import VM

@testable import Connectors

/// Parsing of announcements, without a broker.
struct AnnouncementTests {
    @Test(arguments: [
        ("°C", "Cel"), ("°F", "[degF]"), ("%", "%"), ("hPa", "hPa"), ("lx", "lx"), ("W", "W"),
        ("kWh", "kW.h"), ("V", "V"), ("A", "A"), ("ppm", "[ppm]"), ("µg/m³", "ug/m3"),
        ("μg/m³", "ug/m3"), ("mbar", "mbar"), ("dBm", "dB[mW]"), ("m³", "m3"),
        ("lux", "lx"), ("Lux", "lx"), ("VAr", "V.A"), ("lqi", "{lqi}"), ("cm²", "cm2"),
        ("pulses/min", "{pulse}/min"), ("Cos φ", "1"), (" °C ", "Cel"),
    ])
    func `units are converted to UCUM`(unit: String, ucum: String) throws {
        let announcement = try Self.announcement(
            #"{"state_topic": "a", "unit_of_measurement": "\#(unit)"}"#)
        #expect(announcement.rule.field.unit == ucum)
        #expect(announcement.foreignUnit == nil)
    }

    @Test func `an unknown unit is shown in the title`() throws {
        let announcement = try Self.announcement(
            #"{"stat_t": "a", "name": "Speed", "unit_of_meas": "furlong/fortnight"}"#)
        #expect(announcement.rule.field.unit == "1")
        #expect(announcement.title == "Speed (furlong/fortnight)")
    }

    @Test(arguments: [
        ("Living Room", "Temperature", "temperature.living-room"),
        ("Living Room", nil, "temperature.living-room"),
        ("Living Room", "Living room temperature", "temperature.living-room"),
        ("Living Room", "Outside", "temperature.living-room-outside"),
        (nil, "Küche", "temperature.k-che"), (nil, nil, "temperature.node-object"),
        ("🌡", "Temperature", "temperature.unnamed"),
    ])
    func `the instance is named after the device`(device: String?, name: String?, id: String) throws
    {
        let announcement = try Self.announcement(
            """
            {"~": "z2m/1", "stat_t": "~/state", "dev_cla": "temperature"
             \(name.map { #", "name": "\#($0)""# } ?? #", "name": null"#)
             \(device.map { #", "dev": {"name": "\#($0)"}"# } ?? "")}
            """)
        #expect(announcement.topic == "z2m/1/state")
        #expect(AnnouncedNames(["x": announcement])["x"]?.description == id)
    }

    @Test(arguments: [
        ("temperature", "temperature", "temperature"), ("humidity", "humidity", "humidity"),
        ("pressure", "barometer", "pressure"), ("atmospheric_pressure", "barometer", "pressure"),
        ("illuminance", "light", "illuminance"), ("battery", "battery", "level"),
        ("carbon_dioxide", "carbon-dioxide", "carbonDioxide"), ("energy", "energy", "energy"),
        ("No class", "measurement", "value"), ("t", "t", "value"),
    ])
    func `device classes map to kinds`(given: String, kind: String, field: String) throws {
        let announcement = try Self.announcement(
            #"{"state_topic": "a", "device_class": "\#(given)", "unit_of_measurement": "%"}"#)
        #expect(announcement.classification.kind.description == kind)
        #expect(announcement.rule.field.name == field)
        #expect(announcement.rule.field.kind == .number)
    }

    @Test func `states have the same names for all sources`() throws {
        let names: [SensorID: Set<String>] = [
            "battery": ["charging", "discharging", "not-charging", "full", "unknown"],
            "power": ["online", "offline"], "lock": ["locked", "unlocked"],
            "door": ["closed", "open"],
            "connection": ["unknown", "scanning", "connecting", "connected", "disconnected"],
        ]
        for name in DeviceClass.binaryNames {
            let known = DeviceClass.binary(name)
            let states = try #require(known.states)
            #expect(states.on != states.off)
            guard let canonical = names[known.kind] else { continue }
            #expect(canonical.contains(states.on), "\(name)")
            #expect(canonical.contains(states.off), "\(name)")
        }
        #expect(DeviceClass.binary("door").states == DeviceClass.States(on: "open", off: "closed"))
        #expect(DeviceClass.binary(nil).states == DeviceClass.States(on: "on", off: "off"))
    }

    @Test(arguments: [
        ("{}", "ON", "open"), ("{}", "OFF", "closed"), ("{}", "on", nil),
        (#"{"payload_on": "1", "payload_off": 0}"#, "1", "open"),
        (#"{"payload_on": "1", "payload_off": 0}"#, "0", "closed"),
        (#"{"pl_on": false, "pl_off": true}"#, "false", "open"),
        (#"{"pl_on": "False", "pl_off": "True"}"#, "true", "closed"),
    ])
    func `a door has the states open and closed, whatever it sends`(
        payloads: String, raw: String, state: String?
    ) throws {
        let rest = payloads.dropFirst().dropLast()
        let announcement = try Self.announcement(
            #"{"stat_t": "a", "dev_cla": "door"\#(rest.isEmpty ? "" : ", ")\#(rest)}"#,
            component: "binary_sensor")
        #expect(announcement.rule.value(of: .text(raw)) == state.map { .text($0) })
    }

    @Test func `a sensor without unit and class is a text, or a state if its names are given`()
        throws
    {
        let text = try Self.announcement(#"{"state_topic": "a"}"#)
        #expect(text.rule.field == Field("state", kind: .text))
        let state = try Self.announcement(#"{"state_topic": "a", "device_class": "enum"}"#)
        #expect(state.rule.field == Field("state", kind: .state))
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"state_topic": ""}"#, ##"{"state_topic": "#"}"##,
        ##"{"state_topic": "+/#"}"##, #"{"state_topic": "a+/b"}"#,
        #"{"state_topic": "a", "state_topic": "b"}"#,
        #"{"state_topic": "a\u0000b"}"#, #"{"state_topic": 1e999}"#,
        #"{"state_topic": "\#(String(repeating: "a", count: 300))"}"#,
        #"{"state_topic": "a", "x": "\#(String(repeating: "a", count: 17 << 10))"}"#,
    ])
    func `an invalid announcement is rejected`(message: String) {
        #expect(throws: PayloadError.self) { _ = try Self.announcement(message) }
    }

    @Test(arguments: [
        "other/sensor/a/config", "homeassistant/sensor/config", "homeassistant/light/a/config",
        "homeassistant/sensor/a/b/c/config", "homeassistant/sensor/a",
        "homeassistantsensor/a/config",
    ])
    func `other topics are ignored`(topic: String) {
        #expect(AnnouncementTopic(topic, prefix: "homeassistant") == nil)
    }

    @Test func `hostile names are escaped and truncated`() throws {
        let name = String(repeating: "\\u202e\\u0007🏴", count: 100)
        let announcement = try Self.announcement(
            #"{"state_topic": "a", "name": "\#(name)", "unit_of_measurement": "\#(name)"}"#)
        let sensor = try Sensor(
            external: "measurement.x", title: announcement.title, fields: [announcement.rule.field],
            source: "x")
        #expect(sensor.title.utf8.count <= 120)
    }

    @Test func `sensors with the same name get suffixes that do not depend on the order`() throws {
        let announcement = try Self.announcement(#"{"state_topic": "a", "name": "x"}"#)
        let names = AnnouncedNames(["p": announcement, "q": announcement])
        let first = try #require(names["p"])
        let second = try #require(names["q"])
        #expect(first != second)
        #expect(first.description.wholeMatch(of: /condition\.x-[0-9a-f]+/) != nil)
        let others = AnnouncedNames(["q": announcement, "p": announcement])
        #expect(others["p"] == first && others["q"] == second)
    }

    @Test func `the number of sensors is limited, and a removed one makes room`() {
        let announcements = Announcements(
            broker: MQTTBroker(host: "a"), prefix: "homeassistant", time: .system)
        func announce(_ number: Int, _ payload: String) -> Announcements.Change {
            announcements.take(
                MQTTMessage(
                    topic: "homeassistant/sensor/\(number)/config", payload: Array(payload.utf8),
                    isRetained: true))
        }
        for number in 0..<Announcements.sensorLimit {
            let change = announce(number, #"{"state_topic": "a/\#(number)"}"#)
            #expect(change.subscribe == ["a/\(number)"])
        }
        #expect(announce(1000, #"{"state_topic": "b"}"#).subscribe.isEmpty)
        #expect(announcements.counts == (Announcements.sensorLimit, 1))
        #expect(announcements.sensors().count == Announcements.sensorLimit)
        #expect(announce(7, "").unsubscribe == ["a/7"])
        #expect(announce(1000, #"{"state_topic": "b"}"#).subscribe == ["b"])
        #expect(announcements.counts == (Announcements.sensorLimit, 0))
        // A topic of two sensors is subscribed to once, until both are removed.
        #expect(announce(1, #"{"state_topic": "b"}"#).subscribe.isEmpty)
        #expect(announce(1000, "").unsubscribe.isEmpty)
        #expect(announce(1, "").unsubscribe == ["b"])
        for number in 2000..<3000 { _ = announce(number, "nonsense") }
        #expect(announcements.counts.refused == Announcements.sensorLimit)
    }

    @Test(arguments: [("°F", 212.0), ("°C", 100), ("K", 373.15)])
    func `temperatures are in degrees Celsius`(unit: String, boiling: Double) throws {
        let announcement = try Self.announcement(
            #"{"state_topic": "a", "device_class": "temperature", "unit_of_measurement": "\#(unit)"}"#
        )
        #expect(announcement.rule.field.unit == "Cel")
        let value = announcement.rule.value(of: .number(boiling))?.double
        #expect(abs((value ?? 0) - 100) < 1e-9)
    }

    private static func announcement(
        _ text: String, component: String = "sensor"
    ) throws -> Announcement {
        let topic = "homeassistant/\(component)/node/object/config"
        let announcementTopic = try #require(AnnouncementTopic(topic, prefix: "homeassistant"))
        let message = MQTTMessage(topic: topic, payload: Array(text.utf8), isRetained: true)
        let sensors = AnnouncedSensor.sensors(message, announcementTopic)
        return try #require(sensors.first).result.get()
    }
}
