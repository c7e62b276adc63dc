import DBus
import Ingest
import Motion
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

/// A Bluetooth device with the characteristics of a lock and a battery, and connectors for it.
enum BluetoothLock {
    typealias Device = FakeBlueZ.Device

    static let service = "0000aaaa-0000-1000-8000-00805f9b34fb"
    static let lock = "0000aa01-0000-1000-8000-00805f9b34fb"
    static let battery = "0000aa02-0000-1000-8000-00805f9b34fb"
    static let address = Device().address

    /// The device with its two characteristics.
    static func device(_ change: (inout Device) -> Void = { _ in }) -> Device {
        var device = Device(services: [
            service: [
                lock: .init(flags: ["notify", "read"]),
                battery: .init(flags: ["indicate", "read"]),
            ]
        ])
        change(&device)
        return device
    }

    /// Makes the values of the device unreadable, so that it only notifies.
    static func unreadable(_ device: inout Device) {
        for uuid in [lock, battery] { device.services[service]?[uuid]?.flags = ["notify"] }
    }

    static func characteristic(
        _ name: String, _ uuid: String, _ form: String, every interval: Duration? = nil
    ) throws -> BluetoothCharacteristic {
        let decoder = try #require(CharacteristicDecoder(form))
        let service = try #require(BluetoothUUID(service))
        return BluetoothCharacteristic(
            name: name, service: service, characteristic: try #require(BluetoothUUID(uuid)),
            form: decoder, interval: interval)
    }

    static func connector(
        _ bluez: FakeBlueZ, _ target: BluetoothTarget = .name("IOTDoor"), adapter: String? = nil,
        every interval: Duration? = nil, scanLimit: Duration = Program.patience,
        stepLimit: Duration = Program.patience
    ) throws -> BluetoothConnector {
        BluetoothConnector(
            target, adapter: adapter,
            characteristics: [
                try characteristic("lock", lock, "lock", every: interval),
                try characteristic("battery", battery, "utf8-float", every: interval),
            ], scanLimit: scanLimit, stepLimit: stepLimit, bus: bluez.address)
    }

    static func maker(takesOnlyChanges: Bool = false) throws -> SampleMaker {
        try SampleMaker(
            format: .named, names: ["lock", "battery"],
            rules: [
                FieldRule(Field("lock", kind: .state)), FieldRule(Field("battery", unit: "%")),
            ], isSparse: true, takesOnlyChanges: takesOnlyChanges)
    }

    static func source(
        _ connector: BluetoothConnector, takesOnlyChanges: Bool = false
    ) throws -> SupervisedSource {
        SupervisedSource(
            connector, maker: try maker(takesOnlyChanges: takesOnlyChanges),
            time: ScriptedTime(
                clock: { SourceTests.start },
                wait: { _ in try await Task.sleep(for: .milliseconds(5)) }))
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The error of one connection; checks that nothing stays open.
    static func fault(_ connector: BluetoothConnector, _ bluez: FakeBlueZ) async throws -> String {
        let sink = SampleSink(
            maker: try maker(), limit: TokenBucket(rate: 10),
            time: ScriptedTime(clock: { SourceTests.start }))
        do {
            try await connector.connect(sink)
            return "it ended"
        } catch {
            try await bluez.waitUntilReleased()
            return "\(error)"
        }
    }
}
