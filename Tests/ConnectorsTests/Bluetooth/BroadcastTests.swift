import DBus
import Ingest
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

/// Broadcasts received through the BlueZ of python3-dbusmock.
@Suite(
    .blocking, .enabled(if: PrivateDesktop.isInstalled, "python3-dbusmock is not installed"),
    .timeLimit(.minutes(10)))
struct BroadcastTests {
    private static let address = "AA:BB:CC:DD:EE:01"
    private static let path = "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_01"
    private static let uuid = "0000fcd2-0000-1000-8000-00805f9b34fb"

    /// A bus with a BlueZ, an adapter and a device.
    private final class Mock {
        let bus: PrivateBus
        private let connection: BusConnection

        init() async throws {
            bus = try PrivateBus()
            try bus.start(["-m", "dbusmock", "--session", "-t", "bluez5"], until: "org.bluez")
            connection = try BusConnection(address: bus.address)
            try await call("/", "org.bluez.Mock", "AddAdapter", .string("hci0"), .string("tests"))
            try await addDevice(BroadcastTests.address)
        }

        func addDevice(_ address: String) async throws {
            try await call(
                "/", "org.bluez.Mock", "AddDevice", .string("hci0"), .string(address),
                .string("Sensor"))
        }

        @discardableResult
        func call(
            _ path: String, _ interface: String, _ method: String, _ arguments: BusValue...
        ) async throws -> [BusValue] {
            try await connection.call(
                BusCall(
                    "org.bluez", path: path, interface: interface, method, arguments))
        }

        /// Announces service data of a device, as BlueZ does for each broadcast.
        ///
        /// The signal is emitted as it is: not every version of dbusmock can change properties that are
        /// dictionaries.
        func broadcast(_ bytes: [UInt8], from path: String = BroadcastTests.path) async throws {
            let data = BusValue.options([BroadcastTests.uuid: .bytes(bytes)])
            try await call(
                path, "org.freedesktop.DBus.Mock", "EmitSignal",
                .string("org.freedesktop.DBus.Properties"), .string("PropertiesChanged"),
                .string("sa{sv}as"),
                .array(
                    of: "v",
                    [
                        .variant(.string("org.bluez.Device1")),
                        .variant(.options(["ServiceData": data])), .variant(.array(of: "s", [])),
                    ]))
        }

        var isDiscovering: Bool {
            get async throws {
                try await call(
                    "/org/bluez/hci0", "org.freedesktop.DBus.Properties", "Get",
                    .string("org.bluez.Adapter1"), .string("Discovering")
                ).first?.flag == true
            }
        }
    }

    private static func source(_ mock: Mock) throws -> SupervisedSource {
        let connector = AdvertisementConnector(address, .bthome, bus: mock.bus.address)
        let maker = try SampleMaker(
            format: .named, names: ["temperature", "battery"],
            rules: [
                FieldRule(Field("temperature", unit: "Cel")),
                FieldRule(Field("battery", unit: "%")),
            ], isSparse: true)
        return SupervisedSource(connector, maker: maker)
    }

    @Test func `values are received while scanning, repeated ones once, and others not at all`()
        async throws
    {
        let mock = try await Mock()
        try await mock.addDevice("AA:BB:CC:DD:EE:02")
        // What was sent before the scan began does not count.
        try await mock.broadcast([0x40, 0x00, 0x01, 0x01, 0x32, 0x02, 0x64, 0x00])
        let source = try Self.source(mock)
        var samples = source.samples().makeAsyncIterator()
        try await until { try await mock.isDiscovering }
        try await mock.broadcast(
            [0x40, 0x01, 0x01, 0x02, 0x64, 0x00],
            from: Self.path.replacing("EE_01", with: "EE_02"))
        let first: [UInt8] = [0x40, 0x00, 0x02, 0x01, 0x64, 0x02, 0xC4, 0x09]
        try await mock.broadcast(first)
        try await mock.broadcast(first)
        try await mock.broadcast([0x40, 0x00, 0x03, 0x02, 0x38, 0xFF])
        #expect(try await samples.next()?.values == [.number(25), .number(100)])
        #expect(try await samples.next()?.values == [.number(-2), .number(100)])
        #expect(source.report?.received == 2)
        #expect(source.report?.link == .connected)
    }

    @Test func `encrypted values are a problem with a remedy`() async throws {
        let mock = try await Mock()
        let source = try Self.source(mock)
        let samples = source.samples()
        try await until { try await mock.isDiscovering }
        try await mock.broadcast([0x41, 1, 2, 3])
        let report = try await ConnectorKindTests.reach(source, "a problem") { $0.problem != nil }
        #expect(report.problem?.contains("encrypts its values") == true)
        #expect(report.dropped.malformed == 1)
        withExtendedLifetime(samples) {}
    }
}
