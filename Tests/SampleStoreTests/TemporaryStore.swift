import Foundation
import Samples
import Testing

@testable import SampleStore

/// A store in its own folder, which is removed with this value.
final class TemporaryStore: Sendable {
    static let sensor: SensorID = "probe"
    static let fields = [Field("n", kind: .integer)]

    let folder: URL
    var path: String { folder.appending(path: "samples.sqlite").path() }

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "store-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Opens the store with the sensor `probe`.
    func open(
        _ fields: [Field] = TemporaryStore.fields, rules: ChunkRules = .standard
    ) async throws -> SampleStore {
        let store = try await SampleStore(path: path, rules: rules)
        try await store.register(Self.sensor, fields: fields)
        return store
    }

    static func sample(_ time: Int64, _ number: Int64) -> Sample {
        Sample(time: Timestamp(microseconds: time), values: [.integer(number)])
    }

    static func query(
        _ range: TimeRange = .all, _ order: SampleQuery.Order = .ascending,
        after: SampleQuery.Position? = nil, limit: Int = .max
    ) -> SampleQuery {
        SampleQuery(sensor: sensor, range: range, order: order, after: after, limit: limit)
    }
}

extension SampleStore {
    /// Appends integers, each at its time.
    func add(_ samples: [(time: Int64, number: Int64)]) throws {
        try append(
            samples.map { TemporaryStore.sample($0.time, $0.number) }, to: TemporaryStore.sensor)
    }

    /// Every sample of `probe`, by time.
    func all(
        _ order: SampleQuery.Order = .ascending
    ) async throws(SampleStoreError) -> [StoredSample] {
        try await samples(TemporaryStore.query(.all, order))
    }
}
