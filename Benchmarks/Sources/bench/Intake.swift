import Connectors
import Samples
import VM

/// The rate at which the messages of one source are stored in a separate store.
enum Intake {
    private struct OneSensor: SensorDriver {
        let sensor: Sensor
        let source: SupervisedSource

        func discover() -> [DiscoveredSensor] { [DiscoveredSensor(sensor, .pushed(source))] }
    }

    /// Takes messages until `count` of them came and what became samples is stored.
    ///
    /// - Parameters:
    ///   - text: the pack of the source.
    ///   - send: begins to send, and does not wait until all is taken.
    /// - Returns: how many were stored, and in how many seconds from when it began to send.
    static func stored(
        _ text: String, in folder: String, count: Int, send: () throws -> Void
    ) async throws -> (count: Int, seconds: Double) {
        let pack = try SensorPack(Array(text.utf8))
        let source = SupervisedSource(pack.connector, maker: pack.maker, highestRate: 1e9)
        let machine = try await VirtualMachine.start(
            in: folder, drivers: [OneSensor(sensor: pack.sensor, source: source)])
        let work = Task { await machine.collect() }
        while source.report?.link != .connected { try await Task.sleep(for: .milliseconds(1)) }
        let taken = try await seconds {
            try send()
            while (source.report?.received ?? 0) < count {
                try await Task.sleep(for: .milliseconds(1))
            }
            while await machine.status().samples < Int64(source.report?.accepted ?? 0) {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        work.cancel()
        await work.value
        let stored = try await machine.samples.rows(SampleQuery(sensor: pack.id, limit: .max)).count
        await machine.close()
        return (stored, taken)
    }
}
