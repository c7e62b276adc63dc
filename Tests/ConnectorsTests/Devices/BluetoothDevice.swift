import DBus

@testable import Connectors

/// A device of Bluetooth Low Energy that sends lines, as a serial line over Bluetooth does.
final class BluetoothDevice: TestDevice {
    private static let service = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    private static let output = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
    /// The maximum size of a value in one packet.
    private static let portion = 244

    let connector: any Connector
    private let bluez: FakeBlueZ
    private let address = FakeBlueZ.Device().address

    init() throws {
        guard let service = BluetoothUUID(Self.service), let output = BluetoothUUID(Self.output)
        else { throw DeviceFault("no UUID") }
        bluez = try FakeBlueZ([
            FakeBlueZ.Device(near: false, services: [Self.service: [Self.output: .init()]])
        ])
        connector = BluetoothConnector(
            .name("IOTDoor"),
            characteristics: [
                BluetoothCharacteristic(
                    name: nil, service: service, characteristic: output, form: nil, interval: nil)
            ], takesLines: true, scanLimit: .milliseconds(300), bus: bluez.address)
    }

    var isInUse: Bool {
        get async { (try? await bluez.openCount()) != 0 }
    }

    func attach() async throws {
        try await bluez.control("Appear", .string(address))
    }

    func send(_ bytes: [UInt8]) async throws {
        let portions = stride(from: 0, to: bytes.count, by: Self.portion).map {
            Array(bytes[$0..<min($0 + Self.portion, bytes.count)])
        }
        guard try await bluez.notify(portions, of: Self.output) else {
            throw DeviceFault("no client enabled notifications")
        }
    }

    func detach(sending bytes: [UInt8]) async throws {
        if !bytes.isEmpty { try await send(bytes) }
        try await bluez.control("Disappear", .string(address))
    }
}
