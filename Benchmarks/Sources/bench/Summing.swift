import Foundation
import SampleStore
import Samples
import Statistics

/// The time of queries over many stored samples of one axis, in process.
enum Summing {
    static func figures(_ options: Options) async throws -> [Figure] {
        let series =
            if let folder = options.folder {
                try await StoredSeries.kept(in: BenchFolder(folder), options.samples)
            } else {
                try await StoredSeries.filled(options.samples, axes: 1).0
            }
        let size = options.size
        let limit = String(format: "memory, one core: %.1f GB/s", memoryBandwidth())
        var figures: [Figure] = []
        func measure(_ name: String, _ body: () async throws -> Void) async throws {
            let taken = try await Figure.rounds { try await seconds(body) * 1000 }
            figures.append(Figure(name: name, unit: "ms", rounds: taken, limit: limit))
        }
        let (field, range) = (series.fields[0], series.range)
        let width = Int64(series.count) * StoredSeries.interval
        let part = TimeRange(
            from: range.from.advanced(byMicroseconds: width / 7),
            to: range.to.advanced(byMicroseconds: -width / 9))
        func query(_ range: TimeRange, step: Int64? = nil, hasSketch: Bool = false) -> SummaryQuery
        {
            SummaryQuery(
                sensor: StoredSeries.sensor, fields: [field], range: range, step: step,
                hasSketch: hasSketch)
        }
        try await measure("mean, deviation, min, max, count of \(size)") {
            _ = try await series.store.summaries(query(range))
        }
        try await measure("the same, of an unaligned part") {
            _ = try await series.store.summaries(query(part))
        }
        try await measure("percentiles within 1 %, of \(size)") {
            let windows = try await series.store.summaries(query(range, hasSketch: true))
            _ = windows[0].fields[0].sketch?.quantile(0.99)
        }
        try await measure("p99 of \(size), exact") {
            try await exactPercentile(series, field, range)
        }
        try await measure("1 000 windows of \(size), unaligned") {
            let shifted = TimeRange(
                from: range.from.advanced(byMicroseconds: 123), to: range.to)
            _ = try await series.store.summaries(query(shifted, step: width / 1000))
        }
        try await measure("scan of \(size) values") {
            _ = try await series.store.reduce(
                field, of: StoredSeries.sensor, in: range, into: 0
            ) { $0 += $1.count }
        }
        await series.remove()
        return figures
    }

    private static func exactPercentile(
        _ series: StoredSeries, _ field: Field, _ range: TimeRange
    ) async throws {
        let sensor = StoredSeries.sensor
        let summary = try await series.store.summaries(
            SummaryQuery(sensor: sensor, fields: [field], range: range, hasSketch: true)
        )[0].fields[0]
        let rank = Int(0.99 * Double(summary.count - 1))
        guard let sketch = summary.sketch else { return }
        var selection = RankSelection(
            ranks: [rank], of: summary.count, candidates: [sketch.bounds(ofRank: rank)])
        repeat {
            selection = try await series.store.reduce(
                field, of: sensor, in: range, into: selection
            ) { $0.insert($1) }
        } while selection.endPass()
    }

    /// Gigabytes a second that one core reads.
    private static func memoryBandwidth() -> Double {
        let words = [UInt64](repeating: 1, count: 32 << 20)
        var best = Double.infinity
        for _ in 0..<3 {
            let clock = ContinuousClock()
            let taken = clock.measure { if words.reduce(0, &+) == 0 { print("") } }
            let parts = taken.components
            best = min(best, Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
        }
        return Double(words.count * 8) / best / 1e9
    }
}
