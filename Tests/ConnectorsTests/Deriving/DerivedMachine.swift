import Foundation
import Samples
import VM

@testable import Connectors

/// A virtual machine with derived sensors whose inputs are sent by a test.
final class DerivedMachine {
    static let acceleration = ["x", "y", "z"].map { Field($0, unit: "m/s2") }
    static let pressure = [Field("pressure", unit: "hPa")]

    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "derived-\(UUID().uuidString)", directoryHint: .notDirectory)

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Collects while `body` runs, then closes the machine.
    func run(
        _ sensors: [(SensorID, [Field])],
        _ body: (VirtualMachine, TestDriver) async throws -> Void
    ) async throws {
        let driver = TestDriver(sensors.map { (id: $0, fields: $1) })
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
