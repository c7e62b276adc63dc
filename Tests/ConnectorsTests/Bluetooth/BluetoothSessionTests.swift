import DBus
import Ingest
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

/// Connecting to and disconnecting from Bluetooth devices through a fake BlueZ.
@Suite(
    .blocking, .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.lack)"),
    .timeLimit(.minutes(10)))
struct BluetoothSessionTests {
    typealias Device = FakeBlueZ.Device

    private static let (service, lock, battery) = (
        BluetoothLock.service, BluetoothLock.lock, BluetoothLock.battery
    )

    @Test(arguments: [false, true])
    func `a lost connection is detected at once, also with long read intervals`(
        isRefused: Bool
    ) async throws {
        let bluez = try FakeBlueZ([
            BluetoothLock.device {
                $0.services[Self.service]?[Self.lock]?.value = "01"
                $0.services[Self.service]?[Self.battery] =
                    .init(flags: ["read"], value: "3939", denies: isRefused)
            }
        ])
        let source = try BluetoothLock.source(
            try BluetoothLock.connector(bluez, every: .seconds(3600)))
        let samples = source.samples()
        if !isRefused {
            try await ConnectorKindTests.connected(source)
            try await bluez.control("Disappear", .string(BluetoothLock.address))
        }
        let report = try await ConnectorKindTests.reach(source, "the end") { $0.problem != nil }
        let problem = try #require(report.problem)
        #expect(problem.contains(isRefused ? "return its battery" : "ended the connection"))
        withExtendedLifetime(samples) {}
    }

    private static let faults: [(String, @Sendable (inout Device) -> Void, String)] = [
        ("absent", { $0.near = false }, "IOTDoor was not found: switch it on"),
        ("other name", { $0.name = "iotdoor" }, "IOTDoor was not found: switch it on"),
        (
            "refused connection", { $0.connects = .fails },
            #"IOTDoor did not connect: le-connection-abort-by-local \u{1b}[2J."#
        ),
        (
            "unanswered connection", { $0.connects = .never },
            "IOTDoor did not connect within 500ms."
        ),
        (
            "unresolved services", { $0.resolves = false },
            "IOTDoor is connected but did not report its services"
        ),
        (
            "missing service", { $0.services = ["0000bbbb-0000-1000-8000-00805f9b34fb": [:]] },
            "IOTDoor has no service aaaa; does the sensor pack match the device?"
        ),
        (
            "missing characteristic", { $0.services[service]?[battery] = nil },
            "IOTDoor has no characteristic aa02 in its service aaaa"
        ),
        (
            "no notifications", { $0.services[service]?[battery]?.flags = ["read"] },
            "IOTDoor does not send notifications of battery; set an interval with read."
        ),
        (
            "refused notifications", { $0.services[service]?[battery]?.denies = true },
            "IOTDoor did not enable notifications of battery: Notify refused."
        ),
    ]

    @Test(arguments: faults.indices)
    func `a failed step ends within its time limit, with an error that names it`(
        index: Int
    ) async throws {
        let (name, change, message) = Self.faults[index]
        let bluez = try FakeBlueZ([BluetoothLock.device(change)])
        let connector = try BluetoothLock.connector(
            bluez, scanLimit: .milliseconds(500), stepLimit: .milliseconds(500))
        let fault = try await BluetoothLock.fault(connector, bluez)
        #expect(fault.hasPrefix(message), "\(name): \(fault)")
    }

    @Test func `each state of connecting is reported`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device { $0.near = false }])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        #expect(source.report?.link == .unknown)
        let samples = source.samples()
        try await ConnectorKindTests.reach(source, "scanning") { $0.link == .scanning }
        try await bluez.control("Appear", .string(BluetoothLock.address))
        try await ConnectorKindTests.connected(source)
        try await bluez.control("Disappear", .string(BluetoothLock.address))
        let report = try await ConnectorKindTests.reach(source, "scanning") { $0.link == .scanning }
        #expect(report.problem == "IOTDoor ended the connection.")
        withExtendedLifetime(samples) {}
        let unanswering = try FakeBlueZ([BluetoothLock.device { $0.connects = .never }])
        let other = try BluetoothLock.source(try BluetoothLock.connector(unanswering))
        let task = Task { for try await _ in other.samples() {} }
        try await ConnectorKindTests.reach(other, "connecting") { $0.link == .connecting }
        try await until { try await unanswering.log().contains { $0.hasPrefix("Connect") } }
        task.cancel()
        try await ConnectorKindTests.reach(other, "its end") { $0.link == .disconnected }
        // A pending operation is cancelled.
        try await until {
            try await unanswering.log().last == "Disconnect \(BluetoothLock.address)"
        }
    }

    @Test func `a cancelled connection ends its notifications, then disconnects`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device()])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        let task = Task { for try await _ in source.samples() {} }
        try await ConnectorKindTests.connected(source)
        try await until { try await bluez.log().filter { $0.hasPrefix("Read") }.count == 2 }
        task.cancel()
        try await bluez.waitUntilReleased()
        let log = try await bluez.log().suffix(3)
        #expect(
            Array(log) == [
                "StopNotify \(BluetoothLock.lock)", "StopNotify \(BluetoothLock.battery)",
                "Disconnect \(BluetoothLock.address)",
            ])
    }

    @Test func `a scan ends when it is cancelled`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device { $0.near = false }])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        let task = Task { for try await _ in source.samples() {} }
        try await until { try await bluez.log().last == "StartDiscovery" }
        task.cancel()
        try await bluez.waitUntilReleased()
        #expect(try await bluez.log().last == "StopDiscovery")
    }

    @Test func `a known device is not scanned for, and existing connections stay open`()
        async throws
    {
        let bluez = try FakeBlueZ([BluetoothLock.device { $0.known = true }])
        try await bluez.control("Join", .string(BluetoothLock.address))
        let source = try BluetoothLock.source(
            try BluetoothLock.connector(bluez, .address(BluetoothLock.address)))
        let task = Task { for try await _ in source.samples() {} }
        try await ConnectorKindTests.connected(source)
        task.cancel()
        try await until { try await bluez.control("DisconnectedClients") == [.int32(1)] }
        #expect(try await bluez.openCount() == 1)
        let log = try await bluez.log()
        #expect(log.allSatisfy { !$0.hasPrefix("Connect") && !$0.contains("Disc") }, "\(log)")
    }

    @Test func `a device whose address changed is scanned for`()
        async throws
    {
        let old = "AA:BB:CC:DD:EE:09"
        let bluez = try FakeBlueZ([
            BluetoothLock.device {
                $0.address = old
                $0.known = true
                $0.near = false
            }, BluetoothLock.device(),
        ])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        let samples = source.samples()
        try await ConnectorKindTests.connected(source)
        let connects = try await bluez.log().filter { $0.hasPrefix("Connect") }
        #expect(connects == ["Connect \(old)", "Connect \(BluetoothLock.address)"])
        withExtendedLifetime(samples) {}
    }

    @Test func `many other devices with long names do not hide the target`() async throws {
        let bluez = try FakeBlueZ([
            Device(address: "AA:BB:CC:DD:EE:04", name: "\u{1B}[2J\u{202E}"),
            Device(address: "AA:BB:CC:DD:EE:05", name: nil), BluetoothLock.device(),
        ])
        try await bluez.control("Crowd", .int32(2000))
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        let samples = source.samples()
        try await ConnectorKindTests.connected(source)
        withExtendedLifetime(samples) {}
    }
}
