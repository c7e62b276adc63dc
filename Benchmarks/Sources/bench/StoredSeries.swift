import Foundation
import SampleStore
import Samples

/// A store full of what an accelerometer of 100 Hz and a resolution of 1/16384 g would give: a random
/// walk with noise, the same in every run.
struct StoredSeries {
    static let sensor: SensorID = "accelerometer"
    static let start: Int64 = 1_700_000_000_000_000
    static let interval: Int64 = 10_000
    static let group = 1000

    let folder: String
    let fields: [Field]
    let count: Int
    private(set) var store: SampleStore

    var range: TimeRange {
        TimeRange(
            from: Timestamp(microseconds: Self.start),
            to: Timestamp(microseconds: Self.start + Int64(count) * Self.interval))
    }

    private init(folder: String, fields: [Field], count: Int, store: SampleStore) {
        (self.folder, self.fields, self.count, self.store) = (folder, fields, count, store)
    }

    /// Fills a store in groups of 1 000, each acknowledged before the next one comes.
    ///
    /// - Returns: the store, and the thousands of samples a second of each tenth of the way.
    static func filled(
        _ count: Int, axes: Int, _ durability: SampleStore.Durability = .process
    ) async throws -> (StoredSeries, rates: [Double]) {
        let folder =
            FileManager.default.temporaryDirectory.path + "/nervous-bench-\(getpid())-\(axes)"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let store = try await SampleStore(path: folder + "/samples.sqlite")
        let fields = ["x", "y", "z"].prefix(axes).map { Field($0, unit: "[g]") }
        try await store.register(sensor, fields: fields)
        var random = Walk()
        let values = (0..<64).map { _ in
            (0..<axes).map { axis in Column.numbers((0..<group).map { _ in random.next(axis) }) }
        }
        var rates: [Double] = []
        let tenth = max(1, count / group / 10)
        for part in 0..<10 {
            var taken = 0.0
            for number in part * tenth..<(part + 1) * tenth {
                let batch = SampleBatch(
                    times: (0..<group).map { row in
                        Timestamp(microseconds: start + Int64(number * group + row) * interval)
                    }, columns: values[number % values.count])
                taken += try await seconds {
                    try await store.append(batch, to: sensor)
                    try await store.flush(durability)
                }
            }
            rates.append(Double(tenth * group) / taken / 1000)
        }
        let series = StoredSeries(
            folder: folder, fields: fields, count: tenth * 10 * group, store: store)
        return (series, rates)
    }

    /// Bytes of the whole file for each sample, once it is closed; it is opened again.
    mutating func bytesPerSample() async throws -> Double {
        try await store.close()
        let path = folder + "/samples.sqlite"
        let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        store = try await SampleStore(path: path)
        try await store.register(Self.sensor, fields: fields)
        return Double(bytes) / Double(count)
    }

    func remove() async {
        try? await store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014) drives the walk.
    private struct Walk {
        private var state: UInt64 = 1
        private var levels: [Int64] = [0, 0, 0]

        mutating func next(_ axis: Int) -> Double {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            mixed ^= mixed >> 31
            levels[axis] += Int64(mixed % 201) - 100
            if abs(levels[axis]) > 30_000 { levels[axis] = 0 }
            return Double(levels[axis]) / 16384
        }
    }
}
