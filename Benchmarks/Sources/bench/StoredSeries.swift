import Foundation
import SampleStore
import Samples
import Statistics

/// A store full of what an accelerometer of 100 Hz and a resolution of 1/16384 g would give: a random
/// walk with noise, the same in every run.
struct StoredSeries {
    static let sensor: SensorID = "bench.walk"
    static let start: Int64 = 1_700_000_000_000_000
    static let interval: Int64 = 10_000
    static let group = 1000

    /// Samples that one call brings where nobody measures how fast.
    private static let large = 10_000

    let folder: String
    let fields: [Field]
    let count: Int
    private(set) var store: SampleStore
    private let isKept: Bool

    var range: TimeRange {
        TimeRange(
            from: Timestamp(microseconds: Self.start),
            to: Timestamp(microseconds: Self.start + Int64(count) * Self.interval))
    }

    private init(folder: String, axes: Int, count: Int, isKept: Bool = false) async throws {
        (self.folder, self.count, self.isKept) = (folder, count, isKept)
        fields = ["x", "y", "z"].prefix(axes).map { Field($0, unit: "[g]") }
        store = try await SampleStore(path: folder + "/samples.sqlite")
        try await store.register(Self.sensor, fields: fields)
    }

    /// Fills a store in groups of 1 000, each acknowledged before the next one comes.
    ///
    /// - Returns: the store, and the thousands of samples a second of each tenth of the way.
    static func filled(
        _ count: Int, axes: Int, _ durability: SampleStore.Durability = .committed
    ) async throws -> (StoredSeries, rates: [Double]) {
        let folder =
            FileManager.default.temporaryDirectory.path + "/nervous-bench-\(getpid())-\(axes)"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let tenth = max(1, count / group / 10)
        let series = try await StoredSeries(
            folder: folder, axes: axes, count: tenth * 10 * group)
        let walk = Walk.columns(axes: axes, group)
        var rates: [Double] = []
        for part in 0..<10 {
            var taken = 0.0
            for number in part * tenth..<(part + 1) * tenth {
                let batch = batch(number, of: group, walk)
                taken += try await seconds {
                    try await series.store.append(batch, to: sensor)
                    try await series.store.flush(durability)
                }
            }
            rates.append(Double(tenth * group) / taken / 1000)
        }
        return (series, rates)
    }

    /// A store of one axis in the folder of a host; what an earlier run left there is taken as it is.
    static func kept(in folder: BenchFolder, _ count: Int) async throws -> StoredSeries {
        let data = folder.path + "/data"
        if !FileManager.default.fileExists(atPath: data + "/samples.sqlite") {
            try folder.declare(sensor.description, axes: 1)
        }
        let series = try await StoredSeries(folder: data, axes: 1, count: count, isKept: true)
        let query = SummaryQuery(
            sensor: sensor, fields: [series.fields[0]], range: .all, step: nil, hasSketch: false)
        let stored = try await series.store.summaries(query)[0].count
        guard stored != count else { return series }
        guard stored == 0 else {
            throw Programs.Failure(description: "\(data) has \(stored) samples, not \(count)")
        }
        // Longer than any budget it would have been given.
        try await series.store.maintenance.setBudget(1 << 40)
        let walk = Walk.columns(axes: 1, large)
        for number in 0..<count / large {
            try await series.store.append(batch(number, of: large, walk), to: sensor)
            try await series.store.flush()
        }
        // So fast a source leaves some to be packed behind it.
        try await Task.sleep(for: .seconds(1))
        return series
    }

    static func batch(_ number: Int, of size: Int, _ walk: [[Column]]) -> SampleBatch {
        SampleBatch(
            times: (0..<size).map { row in
                Timestamp(microseconds: start + Int64(number * size + row) * interval)
            }, columns: walk[number % walk.count])
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
        if !isKept { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014) drives the walk.
    struct Walk {
        private var state: UInt64 = 1
        private var levels: [Int64] = [0, 0, 0]

        /// Columns that are used again and again.
        static func columns(axes: Int, _ size: Int) -> [[Column]] {
            var walk = Walk()
            return (0..<64).map { _ in
                (0..<axes).map { axis in Column.numbers((0..<size).map { _ in walk.next(axis) }) }
            }
        }

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
