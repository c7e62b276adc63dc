import Samples
import Statistics
import Testing

@testable import SampleStore

/// The file that a killed writer left.
struct KilledStore {
    let path: String

    /// The writer uses the number of a sample as its time, and appends `group` samples at once.
    ///
    /// - Parameter sessions: the number of sessions that wrote; each may leave one gap.
    func check(
        after acknowledged: Int64, sessions: Int, of group: Int = 48, _ moment: String
    ) async throws {
        let store = try await SampleStore(path: path)
        let fields = [Field("n", kind: .integer), Field("note", kind: .text)]
        try await store.register("written", fields: fields)
        let batch = try await store.batch(SampleQuery(sensor: "written", limit: .max))
        let query = SummaryQuery(sensor: "written", fields: [fields[0]], range: .all)
        let windows = try await store.summaries(query)
        try await store.close()
        #expect(try await SampleStore.faults(inFile: path).isEmpty, "\(moment)")
        let numbers = batch.sequences
        #expect(numbers == batch.samples.times.map(\.microseconds), "\(moment)")
        #expect(batch.samples.columns.first == .integers(numbers), "\(moment)")
        #expect(windows[0].count == numbers.count, "\(moment)")
        #expect(numbers.last ?? 0 >= acknowledged, "\(moment)")
        let gaps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
        #expect(gaps.allSatisfy { $1 > $0 + 1 }, "\(moment)")
        #expect(gaps.count < sessions, "\(moment)")
        #expect(numbers.count.isMultiple(of: group), "\(moment)")
    }
}
