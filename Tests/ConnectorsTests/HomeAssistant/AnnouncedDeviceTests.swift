import Samples
import Scheduling
import Testing
import VM

@testable import Connectors

/// Announcements of whole devices, their availability, and refusals, without a broker.
struct AnnouncedDeviceTests {
    private let announcements = Announcements(
        broker: MQTTBroker(host: "a"), prefix: "homeassistant", time: .system)

    private static let device = #"""
        {"~": "plant", "dev": {"name": "Plant"}, "o": {"name": "x"}, "state_topic": "~/state",
         "avty": [{"t": "~/a"}, {"t": "bridge", "val_tpl": "{{ value_json.state }}"}],
         "avty_mode": "all", "cmps": {
           "t": {"p": "sensor", "dev_cla": "temperature", "unit_of_meas": "°C",
                 "val_tpl": "{{ value_json.t }}"},
           "w": {"p": "binary_sensor", "dev_cla": "moisture", "stat_t": "~/wet"},
           "s": {"p": "switch", "cmd_t": "~/set"}, "gone": {"p": "sensor"}}}
        """#

    @Test func `a device announces several sensors`() {
        let change = take("homeassistant/device/plant/config", Self.device)
        #expect(change.subscribe == ["bridge", "plant/a", "plant/state", "plant/wet"])
        #expect(ids == ["temperature.plant", "wetness.plant"])
        // A sensor that is no longer in the announcement is removed.
        let fewer = Self.device.replacing(#""p": "binary_sensor""#, with: #""p": "light""#)
        #expect(take("homeassistant/device/plant/config", fewer).unsubscribe == ["plant/wet"])
        #expect(ids == ["temperature.plant"])
        #expect(take("homeassistant/device/plant/config", "").unsubscribe.count == 3)
        #expect(ids.isEmpty)
    }

    @Test func `an unavailable device is disconnected, with the topic that says so`() throws {
        _ = announcements.connected()
        _ = take("homeassistant/device/plant/config", Self.device)
        let source = try #require(self.source("temperature.plant"))
        let samples = source.samples()
        #expect(source.report?.link == .connected)
        _ = take("plant/a", "offline")
        #expect(source.report?.link == .disconnected)
        #expect(source.report?.problem?.contains("plant/a") == true)
        _ = take("bridge", #"{"state": "offline"}"#)
        _ = take("plant/a", "online")
        #expect(source.report?.link == .disconnected)
        _ = take("bridge", #"{"state": "online"}"#)
        #expect(source.report?.link == .connected)
        #expect(source.report?.problem == nil)
        withExtendedLifetime(samples) {}
    }

    @Test func `Tasmota's own discovery has topics from its pattern`() {
        let config = #"""
            {"dn": "Plug", "t": "plug1", "ft": "home/%topic%/%prefix%/", "hn": "plug1-1",
             "tp": ["cmnd", "stat", "tele"], "onln": "Online", "ofln": "Offline", "ver": 1}
            """#
        let sensors = #"""
            {"sn": {"Time": "2026-01-01T00:00:00", "AM2301": {"Temperature": null, "Humidity": 40.5},
             "ENERGY": {"TotalStartTime": "2025", "Total": 1.5, "Power": [10, 20]}, "TempUnit": "C"}}
            """#
        #expect(take("tasmota/discovery/AABBCCDDEEFF/sensors", sensors).subscribe.isEmpty)
        let change = take("tasmota/discovery/AABBCCDDEEFF/config", config)
        #expect(
            change.subscribe == [
                "home/plug1/tele/LWT", "home/plug1/tele/SENSOR", "home/plug1/tele/STATE",
            ])
        #expect(
            ids == [
                "electric-power.plug-energy-power-0", "electric-power.plug-energy-power-1",
                "energy.plug-energy-total", "humidity.plug-am2301-humidity",
                "signal-strength.plug-wifi-signal", "temperature.plug-am2301-temperature",
            ])
        #expect(take("tasmota/discovery/AABBCCDDEEFF/config", "").unsubscribe.count == 3)
    }

    @Test func `a topic filter receives messages of several topics, each once`() async throws {
        _ = announcements.connected()
        _ = take(
            "homeassistant/sensor/a/config",
            #"{"stat_t": "+/ble/x", "unit_of_meas": "%", "name": "a"}"#)
        _ = take(
            "homeassistant/sensor/b/config",
            #"{"stat_t": "home/ble/x", "unit_of_meas": "%", "name": "b"}"#)
        let source = try #require(self.source("measurement.a"))
        var samples = source.samples().makeAsyncIterator()
        // A broker may send a copy for each of the two subscriptions.
        for _ in 1...2 { _ = take("home/ble/x", "1", isRetained: false) }
        _ = take("other/ble/x", "2", isRetained: false)
        #expect(try await samples.next()?.values == [.number(1)])
        #expect(try await samples.next()?.values == [.number(2)])
    }

    @Test func `refusals are listed with their topics and reasons`() {
        #expect(announcements.remark == nil)
        _ = take("homeassistant/sensor/a/config", #"{"name": "x"}"#)
        _ = take(
            "homeassistant/sensor/b/config", #"{"stat_t": "b", "val_tpl": "{{ now() }}"}"#)
        let remark = announcements.remark ?? ""
        #expect(remark.contains("homeassistant/sensor/a/config: it has no state_topic"))
        #expect(remark.contains("homeassistant/sensor/b/config: unsupported value_template"))
        for number in 0..<100 { _ = take("homeassistant/sensor/\(number)/config", "{") }
        #expect(announcements.remark?.split(separator: "\n").count == 22)
        #expect(announcements.remark?.hasSuffix("and 82 more") == true)
    }

    private var ids: [String] {
        announcements.sensors().map(\.sensor.id.description).sorted()
    }

    private func source(_ id: SensorID) -> (any SampleSource)? {
        let found = announcements.sensors().first { $0.sensor.id == id }
        guard case .pushed(let source)? = found?.availability else { return nil }
        return source
    }

    private func take(
        _ topic: String, _ payload: String, isRetained: Bool = true
    ) -> Announcements.Change {
        announcements.take(
            MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained))
    }
}
