import DBus
import Foundation
import Samples
import Synchronization
import TestSupport
import Testing
import VM

@testable import Connectors

/// Sensors of logind, iio-sensor-proxy and GeoClue, which python3-dbusmock simulates.
@Suite(
    .blocking, .enabled(if: PrivateDesktop.isInstalled, "python3-dbusmock is not installed"),
    .timeLimit(.minutes(10)))
struct SystemBusTests {
    private static let user: UInt32 = 1000
    private static let session = "/org/freedesktop/login1/session/c1"

    /// A bus, and the calls that change what services on it say.
    private final class Mock {
        let bus: PrivateBus
        private let connection: BusConnection

        init() throws {
            bus = try PrivateBus()
            connection = try BusConnection(address: bus.address)
        }

        func start(_ template: String, _ name: String) throws {
            try bus.start(["-m", "dbusmock", "--session", "-t", template], until: name)
        }

        @discardableResult
        func call(
            _ name: String, _ path: String, _ interface: String, _ method: String,
            _ arguments: BusValue...
        ) async throws -> [BusValue] {
            try await connection.call(
                BusCall(name, path: path, interface: interface, method, arguments),
                within: Program.patience)
        }

        func addSession() async throws {
            try await call(
                "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
                "AddSession", .string("c1"), .string("seat0"), .uint32(SystemBusTests.user),
                .string("ann"), .bool(true))
        }

        /// Changes properties of an object of dbusmock, with the signal.
        func update(
            _ name: String, _ path: String, _ interface: String, _ values: [String: BusValue]
        ) async throws {
            try await call(
                name, path, "org.freedesktop.DBus.Mock", "UpdateProperties", .string(interface),
                .options(values))
        }

        /// Changes a property of iio-sensor-proxy, with the signal to those who claimed it.
        func sense(_ property: String, _ value: BusValue) async throws {
            let name = "net.hadess.SensorProxy"
            try await call(
                name, "/net/hadess/SensorProxy", "org.freedesktop.DBus.Mock",
                "SetInternalProperty", .string(name), .string(property), .variant(value))
        }
    }

    private static func driver(
        _ mock: Mock, _ tree: FileTree? = nil, usesGeoClue: Bool = false,
        time: ScriptedTime = ScriptedTime()
    ) -> SystemBusDriver {
        SystemBusDriver(
            roots: SystemRoots(proc: "/proc", sys: tree?.path ?? "/nonexistent"),
            bus: mock.bus.address, usesGeoClue: usesGeoClue, user: user, time: time)
    }

    private static func source(
        _ id: String, _ driver: SystemBusDriver
    ) throws -> any SampleSource {
        let found = try #require(driver.discover().first { $0.sensor.id.description == id })
        guard case .pushed(let source) = found.availability else {
            throw ConnectorError("\(id): \(found.availability)")
        }
        return source
    }

    private static func missing(
        _ id: String, _ driver: SystemBusDriver
    ) throws -> (reason: String, remedy: String?) {
        let found = try #require(driver.discover().first { $0.sensor.id.description == id })
        guard case .unavailable(let reason, let remedy) = found.availability else {
            throw ConnectorError("\(id) is available")
        }
        return (reason, remedy)
    }

    @Test func `without services each usual sensor is missing, with its remedy`() async throws {
        let mock = try Mock()
        let driver = Self.driver(mock, usesGeoClue: true)
        #expect(try Self.missing("session", driver).reason.contains("not connected yet"))
        await driver.refresh()
        #expect(
            driver.discover().map(\.sensor.id)
                == ["session", "lid", "orientation", "location.geoclue"])
        #expect(try Self.missing("session", driver).remedy?.contains("libpam-systemd") == true)
        #expect(try Self.missing("lid", driver).reason.contains("no lid switch"))
        let orientation = try Self.missing("orientation", driver)
        #expect(orientation.remedy?.contains("iio-sensor-proxy") == true)
        #expect(try Self.missing("location.geoclue", driver).remedy?.contains("geoclue") == true)
        mock.bus.close()
        await driver.refresh()
        #expect(try Self.missing("orientation", driver).reason.contains("cannot be reached"))
    }

    @Test func `the session of the owner is idle or locked`() async throws {
        let mock = try Mock()
        try mock.start("logind", "org.freedesktop.login1")
        let driver = Self.driver(mock)
        await driver.refresh()
        #expect(try Self.missing("session", driver).reason.contains("no session at a screen"))
        try await mock.addSession()
        await driver.refresh()
        var samples = try Self.source("session", driver).samples().makeAsyncIterator()
        #expect(try await samples.next()?.values == [.text("active"), .text("unlocked")])
        for (property, values) in [
            ("IdleHint", ["idle", "unlocked"]), ("LockedHint", ["idle", "locked"]),
        ] {
            try await mock.update(
                "org.freedesktop.login1", Self.session, "org.freedesktop.login1.Session",
                [property: .bool(true)])
            #expect(try await samples.next()?.values == values.map { .text($0) })
        }
    }

    @Test func `a lid is read at intervals, since logind does not signal its changes`()
        async throws
    {
        let mock = try Mock()
        try mock.start("logind", "org.freedesktop.login1")
        let login = "org.freedesktop.login1"
        try await mock.call(
            login, "/org/freedesktop/login1", "org.freedesktop.DBus.Mock", "AddProperty",
            .string("\(login).Manager"), .string("LidClosed"), .variant(.bool(false)))
        let tree = try FileTree([
            "class/input/input0/capabilities/sw": "0\n",
            "class/input/input3/capabilities/sw": "1 8021\n",
        ])
        let readings = Mutex(0)
        let time = ScriptedTime(wait: { span in
            #expect(span == .seconds(5))
            readings.withLock { $0 += 1 }
            try await Task.sleep(for: .milliseconds(1))
        })
        let driver = Self.driver(mock, tree, time: time)
        await driver.refresh()
        var samples = try Self.source("lid", driver).samples().makeAsyncIterator()
        #expect(try await samples.next()?.values == [.text("open")])
        try await mock.call(
            login, "/org/freedesktop/login1", "org.freedesktop.DBus.Properties", "Set",
            .string("\(login).Manager"), .string("LidClosed"), .variant(.bool(true)))
        #expect(try await samples.next()?.values == [.text("closed")])
        let before = readings.withLock(\.self)
        try await until { readings.withLock(\.self) > before }
        // A switch for headphones is no lid.
        let other = try FileTree(["class/input/input0/capabilities/sw": "14\n"])
        #expect(
            try Self.missing("lid", Self.driver(mock, other)).reason.contains("no lid switch"))
    }

    @Test func `iio-sensor-proxy has those sensors that it found`() async throws {
        let mock = try Mock()
        try mock.start("iio-sensors-proxy", "net.hadess.SensorProxy")
        let driver = Self.driver(mock)
        await driver.refresh()
        #expect(try Self.missing("orientation", driver).reason.contains("not found"))
        for name in ["HasAccelerometer", "HasAmbientLight", "HasProximity"] {
            try await mock.sense(name, .bool(true))
        }
        await driver.refresh()
        var orientation = try Self.source("orientation", driver).samples().makeAsyncIterator()
        #expect(try await orientation.next()?.values == [.text("unknown")])
        try await mock.sense("AccelerometerOrientation", .string("left-up"))
        #expect(try await orientation.next()?.values == [.text("left-up")])
        var light = try Self.source("light.sensor-proxy", driver).samples().makeAsyncIterator()
        #expect(try await light.next()?.values == [.number(0)])
        try await mock.sense("LightLevel", .double(312.5))
        #expect(try await light.next()?.values == [.number(312.5)])
        let proximity = try Self.source("proximity.sensor-proxy", driver)
        var near = proximity.samples().makeAsyncIterator()
        #expect(try await near.next()?.values == [.text("far")])
        try await mock.sense("ProximityNear", .bool(true))
        #expect(try await near.next()?.values == [.text("near")])
        let fields = driver.discover().first { $0.sensor.id == "light.sensor-proxy" }?.sensor.fields
        #expect(fields == [Field("illuminance", unit: "lx")])
        try await mock.sense("LightLevelUnit", .string("vendor"))
        await driver.refresh()
        let relative = driver.discover().first { $0.sensor.id == "light.sensor-proxy" }?.sensor
        #expect(relative?.fields == [Field("level", unit: "%")])
    }

    @Test func `a light sensor that the kernel offers is not listed twice`() async throws {
        let mock = try Mock()
        try mock.start("iio-sensors-proxy", "net.hadess.SensorProxy")
        try await mock.sense("HasAmbientLight", .bool(true))
        let tree = try FileTree(["bus/iio/devices/iio:device0/in_illuminance_raw": "5\n"])
        let driver = Self.driver(mock, tree)
        await driver.refresh()
        #expect(!driver.discover().contains { $0.sensor.id == "light.sensor-proxy" })
    }

    @Test func `services that start and stop later are noticed`() async throws {
        let mock = try Mock()
        let driver = Self.driver(mock)
        let changes = try #require(driver.changes())
        let listening = Task { for await _ in changes {} }
        defer { listening.cancel() }
        try await until { try Self.missing("session", driver).reason.contains("not running") }
        try mock.start("logind", "org.freedesktop.login1")
        try await until { try Self.missing("session", driver).reason.contains("no session") }
        try await mock.addSession()
        // dbusmock does not emit this signal by itself.
        try await mock.call(
            "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
            "EmitSignal", .string("org.freedesktop.login1.Manager"), .string("SessionNew"),
            .string("so"),
            .array(of: "v", [.variant(.string("c1")), .variant(.path(Self.session))])
        )
        try await until { !driver.discover()[0].isUnavailable }
        mock.bus.stopPrograms()
        try await until { driver.discover()[0].isUnavailable }
        try await until { try Self.missing("session", driver).reason.contains("not running") }
    }

    @Test func `a session that ends is a problem of its source`() async throws {
        let mock = try Mock()
        try mock.start("logind", "org.freedesktop.login1")
        try await mock.addSession()
        let driver = Self.driver(mock, time: ScriptedTime.withoutWaiting)
        await driver.refresh()
        let source = try Self.source("session", driver)
        let samples = source.samples()
        try await until { source.report?.link == .connected }
        mock.bus.stopPrograms()
        try await until { source.report?.problem == "logind is not running." }
        withExtendedLifetime(samples) {}
    }

    @Test func `GeoClue sends positions, and an error if it refuses`() async throws {
        let mock = try Mock()
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "geoclue.py").path(percentEncoded: false)
        try mock.bus.start([program], until: "org.freedesktop.GeoClue2")
        let driver = Self.driver(mock, usesGeoClue: true, time: ScriptedTime.withoutWaiting)
        await driver.refresh()
        let source = try Self.source("location.geoclue", driver)
        var samples = source.samples().makeAsyncIterator()
        let expected: [[Double]] = [
            [47.5, 8.25, -9999, 1000, -1, -1], [47.75, 8.5, 412.5, 12, 1.5, 90],
        ]
        for (index, values) in expected.enumerated() {
            let sample = try await samples.next()
            #expect(sample?.values == values.map { .number($0) })
            let seconds = 1_700_000_000 + Int64(index)
            #expect(sample?.time.microseconds == seconds * 1_000_000 + 250_000)
        }
        #expect(source.report?.dropped.total == 0)
        try await mock.call(
            "org.freedesktop.GeoClue2", "/control", "org.example.Control", "Deny")
        try await until { source.report?.problem?.contains("/etc/geoclue/geoclue.conf") == true }
    }
}

/// A folder of files, which is removed with this object.
private final class FileTree {
    let path: String

    init(_ files: [String: String]) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "tree-\(UUID().uuidString)")
        path = folder.path(percentEncoded: false)
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
