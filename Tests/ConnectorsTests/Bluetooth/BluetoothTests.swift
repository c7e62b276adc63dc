import DBus
import Ingest
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

/// Values of Bluetooth devices received through a fake BlueZ.
@Suite(
    .blocking, .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.lack)"),
    .timeLimit(.minutes(10)))
struct BluetoothTests {
    typealias Device = FakeBlueZ.Device

    @Test func `a device is found by name, connected and subscribed to`()
        async throws
    {
        let bluez = try FakeBlueZ([
            Device(address: "AA:BB:CC:DD:EE:02", name: "IOTDoor2"), BluetoothLock.device(),
        ])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        var samples = source.samples().makeAsyncIterator()
        try await ConnectorKindTests.connected(source)
        try await bluez.notify([BluetoothLock.text("1")], of: BluetoothLock.lock)
        try await bluez.notify([BluetoothLock.text("97.7")], of: BluetoothLock.battery)
        #expect(try await samples.next()?.values == [.text("locked"), .number(97.7)])
        let log = try await bluez.log().filter { !$0.hasPrefix("ReadValue") }
        #expect(
            log == [
                "SetDiscoveryFilter le", "StartDiscovery", "StopDiscovery",
                "Connect \(BluetoothLock.address)", "StartNotify \(BluetoothLock.lock)",
                "StartNotify \(BluetoothLock.battery)",
            ])
    }

    @Test(arguments: ["door-contact-ble", "door-contact-ble-gatt"])
    func `the packs of the IOTDoor find its battery in any service`(name: String) async throws {
        let pack = try BundledPackTests.pack(name)
        let described = try #require(pack.connector as? BluetoothConnector)
        let (first, second) = (described.characteristics[0], described.characteristics[1])
        let service = try #require(first.service).full
        let flags = ["read", "write", "notify", "indicate"]
        // The firmware has the battery in the service of the lock.
        let bluez = try FakeBlueZ([
            Device(services: [
                service: [
                    first.characteristic.full: .init(flags: flags),
                    second.characteristic.full: .init(flags: flags),
                ], "0af2d54c-4d33-4fc7-9e34-823b02c294d5": [:],
            ])
        ])
        let connector = BluetoothConnector(
            described.target, characteristics: described.characteristics, bus: bluez.address)
        let source = SupervisedSource(connector, maker: pack.maker)
        var samples = source.samples().makeAsyncIterator()
        try await ConnectorKindTests.connected(source)
        try await bluez.notify([[1], [1]], of: first.characteristic.full)
        #expect(try await samples.next()?.values == [.text("locked"), .number(-1)])
        try await bluez.notify([BluetoothLock.text("80.0")], of: second.characteristic.full)
        #expect(try await samples.next()?.values == [.text("locked"), .number(80)])
    }

    @Test func `initial values are read, so that the first sample is complete`()
        async throws
    {
        let bluez = try FakeBlueZ([
            BluetoothLock.device {
                $0.services[BluetoothLock.service]?[BluetoothLock.lock]?.value = "31"
                $0.services[BluetoothLock.service]?[BluetoothLock.battery]?.value = "38302e30"
            }
        ])
        let source = try BluetoothLock.source(
            try BluetoothLock.connector(bluez), takesOnlyChanges: true)
        var samples = source.samples().makeAsyncIterator()
        #expect(try await samples.next()?.values == [.text("locked"), .number(80)])
        try await bluez.notify([BluetoothLock.text("0")], of: BluetoothLock.lock)
        #expect(try await samples.next()?.values == [.text("unlocked"), .number(80)])
    }

    @Test func `every encoding of a lock state is decoded and reported once`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device(BluetoothLock.unreadable)])
        let source = try BluetoothLock.source(
            try BluetoothLock.connector(bluez), takesOnlyChanges: true)
        var samples = source.samples().makeAsyncIterator()
        try await ConnectorKindTests.connected(source)
        try await bluez.notify([BluetoothLock.text("50.0 %")], of: BluetoothLock.battery)
        try await ConnectorKindTests.reach(source, "the battery") { $0.received == 1 }
        let same = [[UInt8]](repeating: [0x01], count: 10)
        try await bluez.notify(
            same + [BluetoothLock.text("1"), BluetoothLock.text("0"), [0x00]],
            of: BluetoothLock.lock)
        #expect(try await samples.next()?.values == [.text("locked"), .number(50)])
        #expect(try await samples.next()?.values == [.text("unlocked"), .number(50)])
        try await ConnectorKindTests.reach(source, "all") { $0.received == 14 }
        #expect(source.report?.accepted == 2)
        #expect(source.report?.dropped.repeated == 11)
    }

    @Test func `invalid values are dropped, counted and reported`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device(BluetoothLock.unreadable)])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        var samples = source.samples().makeAsyncIterator()
        try await ConnectorKindTests.connected(source)
        try await bluez.notify(
            [[], [0xFF], [0x31, 0xC3], [UInt8](repeating: 0x31, count: 600)], of: BluetoothLock.lock
        )
        for invalid: BusValue in [.string("1"), .int32(1), .options([:]), .array(of: "ay", [])] {
            try await bluez.control(
                "NotifyInvalid", .string(BluetoothLock.address), .string(BluetoothLock.lock),
                .variant(invalid))
        }
        try await ConnectorKindTests.reach(source, "all") { $0.received == 8 }
        #expect(source.report?.dropped.malformed == 8)
        #expect(source.report?.problem == "IOTDoor sent a value of lock that is not a valid lock.")
        #expect(source.report?.link == .connected)
        try await bluez.notify([BluetoothLock.text("1")], of: BluetoothLock.lock)
        try await bluez.notify([BluetoothLock.text("7")], of: BluetoothLock.battery)
        #expect(try await samples.next()?.values == [.text("locked"), .number(7)])
        #expect(source.report?.problem == nil)
    }

    @Test func `several parts of a value are one reading, and each interval is a sample`()
        async throws
    {
        let (service, uuid) = (
            "0000180d-0000-1000-8000-00805f9b34fb", "00002a37-0000-1000-8000-00805f9b34fb"
        )
        let values: [[UInt8]] = [[0x16, 72, 0x00, 0x04, 0x00, 0x02], [0x14, 0]]
        for (name, samples) in [
            (
                "heart-rate",
                [[.number(72), .text("detected")], [.number(0), .text("missing")]]
            ), ("heart-beats", [[.number(1000)], [.number(500)]]),
        ] as [(String, [[Value]])] {
            let pack = try BundledPackTests.pack(name)
            let described = try #require(pack.connector as? BluetoothConnector)
            let bluez = try FakeBlueZ([Device(services: [service: [uuid: .init()]])])
            let connector = BluetoothConnector(
                .address(Device().address), characteristics: described.characteristics,
                bus: bluez.address)
            let source = SupervisedSource(connector, maker: pack.maker)
            var iterator = source.samples().makeAsyncIterator()
            try await ConnectorKindTests.connected(source)
            try await bluez.notify(values, of: uuid)
            for sample in samples { #expect(try await iterator.next()?.values == sample) }
            #expect(source.report?.received == 2)
        }
    }

    @Test func `a value that is too long is rejected in every format`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device(BluetoothLock.unreadable)])
        let bare = BluetoothCharacteristic(
            name: nil, service: nil,
            characteristic: try #require(BluetoothUUID(BluetoothLock.lock)),
            form: nil, interval: nil)
        let connector = BluetoothConnector(
            .name("IOTDoor"), characteristics: [bare], bus: bluez.address)
        let source = try ConnectorKindTests.source(connector)
        var samples = source.samples().makeAsyncIterator()
        try await ConnectorKindTests.connected(source)
        let padding = String(repeating: " ", count: 600)
        try await bluez.notify(
            [BluetoothLock.text("v: 1\(padding)"), BluetoothLock.text("v: 2")],
            of: BluetoothLock.lock)
        #expect(try await samples.next()?.values == [.number(2)])
        #expect(source.report?.dropped.malformed == 1)
    }

    @Test func `a characteristic without notifications is read periodically`()
        async throws
    {
        let bluez = try FakeBlueZ([
            BluetoothLock.device {
                $0.services[BluetoothLock.service]?[BluetoothLock.lock] = .init(
                    flags: ["read"], value: "01")
                $0.services[BluetoothLock.service]?[BluetoothLock.battery] = .init(
                    flags: ["read"], value: "3939")
            }
        ])
        let source = try BluetoothLock.source(
            try BluetoothLock.connector(bluez, every: .milliseconds(5)))
        let taken = try await source.take(20)
        #expect(taken.allSatisfy { $0.values == [.text("locked"), .number(99)] })
        try await bluez.waitUntilReleased()
        #expect(try await bluez.log().allSatisfy { !$0.hasPrefix("StartNotify") })
    }
}
