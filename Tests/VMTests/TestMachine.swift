import Foundation
import Samples
import TestSupport
import Testing

@testable import VM

/// Starts virtual machines in a temporary folder with a clock that the test advances.
final class TestMachine: Sendable {
    let folder: URL
    let clock = ManualTime()
    var path: String { folder.path() }

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "machine-\(UUID().uuidString)", directoryHint: .notDirectory)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func start(
        _ drivers: any SensorDriver..., derivers: [any SensorDeriver] = []
    ) async throws(VirtualMachineError) -> VirtualMachine {
        try await VirtualMachine.start(
            in: path, drivers: drivers, derivers: derivers, time: clock)
    }

    /// Starts a machine, and closes and releases it again.
    @discardableResult
    func using<Result>(
        _ drivers: any SensorDriver..., body: (VirtualMachine) async throws -> Result
    ) async throws -> Result {
        let machine = try await VirtualMachine.start(
            in: path, drivers: drivers, time: clock)
        let result = try await body(machine)
        await machine.close()
        return result
    }

    /// Collects while `body` runs; `sleepers` tasks wait for the clock before it begins.
    ///
    /// Two further tasks always wait for the clock: flushing and discovery.
    func collecting(
        _ machine: VirtualMachine, sleepers: Int,
        _ body: @Sendable () async throws -> Void
    ) async throws {
        let work = Task { await machine.collect() }
        await clock.waitForSleepers(sleepers + 2)
        do {
            try await body()
        } catch {
            work.cancel()
            await work.value
            throw error
        }
        work.cancel()
        await work.value
    }
}

extension VirtualMachine {
    /// Every sample of a sensor, by time.
    func all(_ id: SensorID) async throws -> [StoredSample] {
        try await samples.rows(SampleQuery(sensor: id, limit: .max))
    }
}

extension ManualTime {
    /// The time since this call, against which drivers measure rates.
    var awake: AwakeTime {
        let start = instant()
        return { start.duration(to: self.instant()) }
    }
}
