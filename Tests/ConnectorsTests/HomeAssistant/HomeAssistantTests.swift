import Connectors
import Foundation
import Samples
import TestSupport
import Testing
import VM

/// Announcements of a real broker, up to the stored samples.
@Suite(.blocking, .enabled(if: TestBroker.isInstalled), .timeLimit(.minutes(10)))
struct HomeAssistantTests {
    private static let topic = "homeassistant/sensor/kitchen/config"
    private static let kitchen = #"""
        {"~": "z2m/kitchen", "stat_t": "~", "val_tpl": "{{ value_json.t }}", "dev_cla": "temperature",
         "unit_of_meas": "°C", "dev": {"name": "Kitchen"}}
        """#

    private let broker: TestBroker

    init() throws {
        broker = try TestBroker()
        try broker.start()
    }

    @Test func `an announced sensor is discovered and its samples are stored`() async throws {
        try announce(Self.kitchen)
        try broker.publish(#"{"t": 1}"#, to: "z2m/kitchen", isRetained: true)
        try await collecting { machine in
            try await until(machine, "temperature.kitchen", Self.isConnected)
            let status = try #require(await machine.status(of: "temperature.kitchen"))
            #expect(status.sensor.title == "Kitchen")
            #expect(status.sensor.fields == [Field("temperature", unit: "Cel")])
            #expect(status.sensor.source == "mqtt://127.0.0.1:\(broker.port)/z2m/kitchen $.t")
            var signals = await machine.samples.arrivalSignals(of: "temperature.kitchen")
                .makeAsyncIterator()
            try broker.publish(lines: [#"{"t": 21.5}"#], to: "z2m/kitchen")
            _ = await signals.next()
            try broker.publish(lines: [#"{"t": "?"}"#, #"{"t": 22}"#], to: "z2m/kitchen")
            _ = await signals.next()
            // Retained messages are not among them.
            #expect(try await values(machine, "temperature.kitchen") == [21.5, 22])
            try await until(machine, "mqtt-discovery") { $0.state == .available }
        }
    }

    @Test func `a changed announcement updates a sensor, and an empty one removes it`()
        async throws
    {
        try announce(Self.kitchen)
        try await collecting { machine in
            try await until(machine, "temperature.kitchen", Self.isConnected)
            // A changed template with the same field: the samples continue.
            try announce(Self.kitchen.replacing("value_json.t", with: "value_json.outside"))
            try await until(machine, "temperature.kitchen") {
                $0.sensor.source.hasSuffix("$.outside") && Self.isConnected($0)
            }
            var signals = await machine.samples.arrivalSignals(of: "temperature.kitchen")
                .makeAsyncIterator()
            try broker.publish(#"{"t": 1, "outside": 2}"#, to: "z2m/kitchen")
            _ = await signals.next()
            #expect(try await values(machine, "temperature.kitchen") == [2])
            // Another unit: another field.
            try announce(Self.kitchen.replacing("°C", with: "hPa"))
            try await until(machine, "temperature.kitchen") {
                $0.sensor.fields.first?.unit == "hPa" && Self.isConnected($0)
            }
            // A template with a function that is not supported.
            try announce(Self.kitchen.replacing("value_json.t", with: "states(value_json.t)"))
            try await until(machine, "temperature.kitchen") {
                if case .unavailable(let reason, _) = $0.state {
                    reason.contains("value_template")
                } else {
                    false
                }
            }
            try announce(Self.kitchen)
            try await until(machine, "temperature.kitchen", Self.isConnected)
            try announce("")
            try await until(machine, "temperature.kitchen") {
                $0.state == .unavailable(reason: "it was removed", remedy: nil)
            }
        }
    }

    @Test func `an announced door has the kind door`() async throws {
        try broker.publish(
            #"{"stat_t": "tasmota/door", "dev_cla": "door", "name": "Front"}"#,
            to: "homeassistant/binary_sensor/tasmota/front/config", isRetained: true)
        try await collecting { machine in
            try await until(machine, "door.front", Self.isConnected)
            var signals = await machine.samples.arrivalSignals(of: "door.front").makeAsyncIterator()
            try broker.publish("ON", to: "tasmota/door")
            _ = await signals.next()
            let sample = await machine.samples.newest(of: "door.front")
            #expect(sample?.values == [.text("open")])
        }
    }

    @Test func `sensors continue when a broker is back`() async throws {
        try announce(Self.kitchen)
        try await collecting { machine in
            try await until(machine, "temperature.kitchen", Self.isConnected)
            broker.stop()
            try await until(machine, "temperature.kitchen") { $0.source?.link == .disconnected }
            try await until(machine, "mqtt-discovery") {
                if case .unavailable(let reason, _) = $0.state {
                    reason.contains("127.0.0.1")
                } else {
                    false
                }
            }
            try broker.start()
            // This broker keeps no messages across a restart, so nothing is announced again.
            try await until(machine, "temperature.kitchen", Self.isConnected)
            var signals = await machine.samples.arrivalSignals(of: "temperature.kitchen")
                .makeAsyncIterator()
            try broker.publish(#"{"t": 3}"#, to: "z2m/kitchen")
            _ = await signals.next()
            #expect(try await values(machine, "temperature.kitchen") == [3])
        }
    }

    @Test func `the numbers of announced and rejected sensors are reported`() async throws {
        try announce(Self.kitchen)
        try broker.publish("{", to: "homeassistant/sensor/bad/config", isRetained: true)
        try await collecting { machine in
            try await until(machine, "mqtt-discovery") {
                $0.newest?.values == [.integer(1), .integer(1)]
            }
        }
    }

    @Test func `the broker is not connected before collecting begins`() throws {
        let driver = HomeAssistantDriver(broker: MQTTBroker(host: "127.0.0.1", port: broker.port))
        let found = driver.discover()
        #expect(found.map(\.sensor.id) == ["mqtt-discovery"])
        guard case .unavailable(let reason, _) = try #require(found.first).availability else {
            Issue.record("it is there")
            return
        }
        #expect(reason == "the broker is not connected yet")
    }

    // MARK: - Private

    private func announce(_ text: String) throws {
        let line = text.split(separator: "\n").joined(separator: " ")
        try broker.publish(line, to: Self.topic, isRetained: true)
    }

    private func collecting(_ body: (VirtualMachine) async throws -> Void) async throws {
        let machine = try await VirtualMachine.start(
            in: broker.folder.appending(path: "data").path(percentEncoded: false),
            drivers: [
                HomeAssistantDriver(broker: MQTTBroker(host: "127.0.0.1", port: broker.port))
            ])
        try await machine.setLevel(.high, of: "mqtt-discovery")
        let work = Task { await machine.collect() }
        let result: (any Error)?
        do {
            try await body(machine)
            result = nil
        } catch {
            result = error
        }
        work.cancel()
        await work.value
        await machine.close()
        if let result { throw result }
    }

    private func until(
        _ machine: VirtualMachine, _ id: SensorID, _ condition: (SensorStatus) -> Bool
    ) async throws {
        try await TestSupport.until { await machine.status(of: id).map(condition) == true }
    }

    private static func isConnected(_ status: SensorStatus) -> Bool {
        status.state == .available && status.source?.link == .connected
    }

    private func values(_ machine: VirtualMachine, _ id: SensorID) async throws -> [Double] {
        try await machine.samples.rows(SampleQuery(sensor: id, limit: .max)).compactMap {
            if case .number(let number) = $0.values.first { number } else { nil }
        }
    }
}
