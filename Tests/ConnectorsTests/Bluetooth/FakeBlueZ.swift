import DBus
import Foundation
import Synchronization
import TestSupport

@testable import Connectors

/// A fake BlueZ with scripted devices on a private bus.
final class FakeBlueZ: Sendable {
    struct Device: Encodable {
        struct Characteristic: Encodable {
            var flags = ["notify"]
            /// In hexadecimal digits.
            var value = ""
            var denies = false
        }

        enum Connects: String, Encodable { case yes, fails, never }

        var address = "AA:BB:CC:DD:EE:01"
        var name: String? = "IOTDoor"
        var known = false
        var near = true
        var connects = Connects.yes
        var resolves = true
        var services: [String: [String: Characteristic]] = [:]
    }

    private struct Setup: Encodable {
        let adapters: [String: Bool]
        let devices: [Device]
    }

    private let bus: PrivateBus
    private let setup: String
    private let connection = Mutex<BusConnection?>(nil)

    init(_ devices: [Device], adapters: [String: Bool] = ["hci0": true]) throws {
        bus = try PrivateBus()
        let setup = Setup(adapters: adapters, devices: devices)
        self.setup = String(decoding: try JSONEncoder().encode(setup), as: UTF8.self)
        try start()
    }

    var address: String { bus.address }

    func start() throws {
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "bluez.py").path(percentEncoded: false)
        try bus.start([program, setup], until: "org.bluez")
    }

    /// Stops BlueZ, but not the bus.
    func stop() {
        bus.stopPrograms()
    }

    /// Stops the bus, and BlueZ with it.
    func closeBus() {
        connection.withLock { $0 = nil }
        bus.close()
    }

    func openBus() throws {
        try bus.open()
        try start()
    }

    // MARK: - Control

    @discardableResult
    func control(_ method: String, _ arguments: BusValue...) async throws -> [BusValue] {
        let connection = try connection.withLock { connection in
            let open = try connection ?? BusConnection(address: bus.address)
            connection = open
            return open
        }
        let call = BusCall(
            "org.bluez", path: "/control", interface: "org.example.Control", method, arguments)
        return try await connection.call(call, within: Program.patience)
    }

    /// Sends notifications of a characteristic.
    ///
    /// - Returns: whether a client is subscribed.
    @discardableResult
    func notify(
        _ values: [[UInt8]], of uuid: String, at address: String = Device().address
    ) async throws -> Bool {
        try await control(
            "Notify", .string(address), .string(uuid), .array(of: "ay", values.map { .bytes($0) })
        )
        .first?.flag == true
    }

    /// The received calls, in order.
    func log() async throws -> [String] { try await control("Log").first?.texts ?? [] }

    /// The number of open scans, connections and subscriptions.
    func openCount() async throws -> Int64 { try await control("OpenCount").first?.integer ?? -1 }

    func waitUntilReleased() async throws {
        try await until { try await openCount() == 0 }
    }
}
