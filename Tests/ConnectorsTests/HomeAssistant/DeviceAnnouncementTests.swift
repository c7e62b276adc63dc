import Samples
import Testing
import Text
import VM

@testable import Connectors

/// What Home Assistant is told about sensors.
struct DeviceAnnouncementTests {
    private static let topics = DeviceAnnouncement.Topics(prefix: "homeassistant", host: "a1b2")

    private static func announcement(
        _ id: SensorID, _ fields: [Field], expireAfter: Int? = nil
    ) throws -> JSONValue {
        let sensor = Sensor(id: id, title: "A \"title\"", fields: fields, source: "test")
        let made = DeviceAnnouncement(
            sensor, expireAfter: expireAfter, topics: topics, version: "1.2")
        return try StrictJSON().parse(made.payload)
    }

    @Test func `a sensor is a device, and each field an entity`() throws {
        let json = try Self.announcement(
            "temperature.living-room",
            [Field("temperature", unit: "Cel"), Field("note", kind: .text)], expireAfter: 30)
        #expect(
            json["device"]?["identifiers"]?.array?.first?.string
                == "nervous_a1b2_temperature_living-room")
        #expect(json["device"]?["name"]?.string == "A \"title\"")
        #expect(json["origin"]?["name"]?.string == "Nervous")
        #expect(json["state_topic"]?.string == "nervous/a1b2/temperature.living-room/values")
        #expect(json["availability_topic"]?.string == "nervous/a1b2/status")
        let number = json["components"]?["temperature"]
        #expect(number?["platform"]?.string == "sensor")
        #expect(
            number?["unique_id"]?.string == "nervous_a1b2_temperature_living-room_temperature")
        #expect(number?["unit_of_measurement"]?.string == "°C")
        #expect(number?["device_class"]?.string == "temperature")
        #expect(number?["state_class"]?.string == "measurement")
        #expect(number?["value_template"]?.string == "{{ value_json['temperature'] }}")
        #expect(number?["expire_after"]?.number?.int64 == 30)
        let text = json["components"]?["note"]
        #expect(text?["state_class"] == nil && text?["unit_of_measurement"] == nil)
    }

    @Test func `a door is a binary sensor with its states`() throws {
        let json = try Self.announcement("door.front", [Field("state", kind: .state)])
        let door = json["components"]?["state"]
        #expect(door?["platform"]?.string == "binary_sensor")
        #expect(door?["device_class"]?.string == "door")
        #expect(door?["payload_on"]?.string == "open" && door?["payload_off"]?.string == "closed")
        #expect(door?["expire_after"] == nil)
    }

    @Test(
        arguments: [
            ("humidity", "humidity", "%", "%", "humidity", "measurement"),
            ("battery", "level", "%", "%", "battery", "measurement"),
            ("tank", "level", "%", "%", nil, "measurement"),
            ("meter", "energy", "kW.h", "kWh", "energy", "total"),
            ("barometer", "pressure", "hPa", "hPa", "atmospheric_pressure", "measurement"),
            ("network", "rxRate", "By/s", "B/s", "data_rate", "measurement"),
            ("steps", "steps", "{step}", "step", nil, "measurement"),
            ("pulse", "rate", "{beat}/min", "beat/min", nil, "measurement"),
            ("mood", "score", "1", nil, nil, "measurement"),
            ("dose", "rate", "uSv/h", "µSv/h", nil, "measurement"),
        ] as [(SensorID, String, String, String?, String?, String)])
    func `units and classes are those of Home Assistant`(
        kind: SensorID, field: String, ucum: String, unit: String?, deviceClass: String?,
        stateClass: String
    ) {
        let measure = HomeAssistantMeasure(Field(field, unit: ucum), of: kind)
        #expect(measure.unit == unit)
        #expect(measure.deviceClass == deviceClass)
        #expect(measure.stateClass == stateClass)
    }

    @Test(arguments: ["cpu", "network.eth0", "a-b.c-d.e"] as [SensorID])
    func `the topic of an announcement names its sensor, and is not discovered`(id: SensorID) {
        let topic = Self.topics.announcement(of: id)
        #expect(Self.topics.sensor(announcedAt: topic) == id)
        let other = DeviceAnnouncement.Topics(prefix: "homeassistant", host: "a1b3")
        #expect(other.sensor(announcedAt: topic) == nil)
        #expect(AnnouncementTopic(topic, prefix: "homeassistant") == nil)
        #expect(AnnouncementTopic("homeassistant/device/x/config", prefix: "homeassistant") != nil)
    }

    @Test(
        arguments: [
            (.milliseconds(100), nil, 15), (.seconds(5), nil, 30), (.seconds(300), nil, 960),
            (.seconds(5), 60, 60), (.seconds(1), 60, 15), (.seconds(60), 30, 240),
        ] as [(Duration, Int?, Int)])
    func `values expire after three intervals, in few steps`(
        interval: Duration, known: Int?, seconds: Int
    ) {
        #expect(DeviceAnnouncement.expiry(of: interval, known: known) == seconds)
    }
}
