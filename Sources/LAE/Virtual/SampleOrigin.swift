import Samples
import VM

/// Where the samples of a sensor come from.
enum SampleOrigin: Sendable {
    case stored(VirtualMachine)
    /// A virtual sensor's.
    case computed(WindowReader)

    /// The samples that match, in the query's order.
    func batch(_ query: SampleQuery) async throws -> StoredBatch {
        switch self {
        case .stored(let machine): try await machine.samples.batch(query)
        case .computed(let reader): try await reader.batch(query)
        }
    }

    /// The time of the latest sample.
    func newest(of sensor: SensorID) async throws -> Timestamp? {
        switch self {
        case .stored(let machine): return await machine.samples.newest(of: sensor)?.time
        case .computed(let reader):
            let query = SampleQuery(sensor: sensor, order: .descending, limit: 1)
            return try await reader.batch(query).samples.times.first
        }
    }

    /// Where samples of a range are known to be damaged: the sensor's, or those that its own are computed
    /// from.
    func damage(of sensor: SensorID, in range: TimeRange) async -> [TimeRange] {
        switch self {
        case .stored(let machine):
            return await machine.samples.damage(of: sensor, in: range).clipped(to: range)
        case .computed(let reader):
            var found: [TimeRange] = []
            for input in reader.computation.inputs {
                found += await reader.machine.samples.damage(of: input.sensor, in: range)
            }
            return found.joined.clipped(to: range)
        }
    }

    /// Whether no summaries of its samples are kept.
    var isComputed: Bool {
        if case .computed = self { true } else { false }
    }
}
