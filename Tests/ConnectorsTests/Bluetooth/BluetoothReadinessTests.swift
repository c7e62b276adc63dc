import DBus
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

/// The states of the bus, BlueZ and the adapter.
@Suite(
    .blocking, .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.lack)"),
    .timeLimit(.minutes(10)))
struct BluetoothReadinessTests {
    private static func readiness(_ bus: String) async -> Result<String, BluetoothProblem> {
        do throws(BluetoothProblem) {
            return .success(try await BluetoothReadiness.adapter(bus: bus))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: [
            ([:], nil, BluetoothProblem.noAdapter(nil)), (["hci0": false], nil, .off("hci0")),
            (["hci0": true], "hci1", .noAdapter("hci1")),
            (["hci0": true, "hci1": false], "hci1", .off("hci1")),
        ] as [([String: Bool], String?, BluetoothProblem)])
    func `a missing adapter and one that is off have different errors`(
        adapters: [String: Bool], wanted: String?, problem: BluetoothProblem
    ) async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device()], adapters: adapters)
        let connector = try BluetoothLock.connector(bluez, adapter: wanted)
        let fault = try await BluetoothLock.fault(connector, bluez)
        #expect(fault == problem.error.message)
        #expect(fault.contains(problem.remedy))
        #expect(try await bluez.log() == [])
        if wanted == nil {
            #expect(await Self.readiness(bluez.address) == .failure(problem))
        } else {
            #expect(await Self.readiness(bluez.address) == .success("hci0"))
        }
    }

    @Test func `a missing BlueZ or bus is reported`() async throws {
        let bus = try PrivateBus()
        #expect(await Self.readiness(bus.address) == .failure(.noBlueZ))
        bus.close()
        let problem = await Self.readiness(bus.address)
        guard case .failure(.noBus(let reason)) = problem else {
            Issue.record("\(problem)")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test func `the adapter that is on is used`() async throws {
        let bluez = try FakeBlueZ([], adapters: ["hci0": false, "hci1": true])
        #expect(await Self.readiness(bluez.address) == .success("hci1"))
    }

    @Test func `an adapter that is switched off and on again is used again`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device()])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        let samples = source.samples()
        for session in 1...2 {
            try await ConnectorKindTests.connected(source, times: session)
            try await bluez.control("Power", .bool(false))
            try await ConnectorKindTests.reach(source, "the problem") {
                $0.problem == BluetoothProblem.off("hci0").error.message
            }
            try await bluez.control("Power", .bool(true))
        }
        try await ConnectorKindTests.connected(source, times: 3)
        try await bluez.control("Unplug")
        try await ConnectorKindTests.reach(source, "the problem") {
            $0.problem == BluetoothProblem.noAdapter(nil).error.message
        }
        try await bluez.control("Plug", .string("hci1"), .bool(true))
        try await ConnectorKindTests.connected(source, times: 4)
        withExtendedLifetime(samples) {}
    }

    @Test func `BlueZ and the bus are used again after a restart`() async throws {
        let bluez = try FakeBlueZ([BluetoothLock.device()])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        let samples = source.samples()
        try await ConnectorKindTests.connected(source)
        bluez.stop()
        try await ConnectorKindTests.reach(source, "the problem") {
            $0.problem == BluetoothProblem.noBlueZ.error.message
        }
        try bluez.start()
        try await ConnectorKindTests.connected(source, times: 2)
        bluez.closeBus()
        try await ConnectorKindTests.reach(source, "the problem") {
            $0.problem?.contains("the system bus cannot be reached") == true
        }
        try bluez.openBus()
        try await ConnectorKindTests.connected(source, times: 3)
        withExtendedLifetime(samples) {}
    }

    @Test func `a device that disconnects or is removed is reconnected`()
        async throws
    {
        let bluez = try FakeBlueZ([BluetoothLock.device()])
        let source = try BluetoothLock.source(try BluetoothLock.connector(bluez))
        let samples = source.samples()
        try await ConnectorKindTests.connected(source)
        try await bluez.control("Drop", .string(BluetoothLock.address))
        try await ConnectorKindTests.connected(source, times: 2)
        try await bluez.control("Remove", .string(BluetoothLock.address))
        try await ConnectorKindTests.connected(source, times: 3)
        withExtendedLifetime(samples) {}
    }
}
