import Foundation
import Samples
import VM

@testable import Connectors

/// A virtual machine that makes sensors of those that a test feeds.
final class DerivedMachine {
    static let acceleration = ["x", "y", "z"].map { Field($0, unit: "m/s2") }
    static let pressure = [Field("pressure", unit: "hPa")]

    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "derived-\(UUID().uuidString)", directoryHint: .notDirectory)

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Collects for as long as `body` runs, then lets go of the data.
    func run(
        _ sensors: [(SensorID, [Field])],
        _ body: (VirtualMachine, FedDriver) async throws -> Void
    ) async throws {
        let driver = FedDriver(sensors.map { (id: $0, fields: $1) })
        let machine = try await VirtualMachine.start(
            in: folder.path(percentEncoded: false), drivers: [driver],
            derivers: [DerivedDriver()])
        let work = Task { await machine.collect() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(machine, driver))
        } catch {
            result = .failure(error)
        }
        work.cancel()
        await work.value
        await machine.close()
        try result.get()
    }
}

extension VirtualMachine {
    /// The last total of a counter; 0 before there is one.
    func total(_ id: SensorID = "steps") async -> Int {
        guard case .integer(let total)? = await samples.newest(of: id)?.values.first else {
            return 0
        }
        return Int(total)
    }

    func all(_ id: SensorID) async throws -> [StoredSample] {
        try await samples.rows(SampleQuery(sensor: id, limit: .max))
    }
}
