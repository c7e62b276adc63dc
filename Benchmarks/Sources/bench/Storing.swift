import Foundation
import SampleStore

/// Samples a second that a process can store, and the disk space that they take.
enum Storing {
    private static let count = 10_000_000

    static func figures() async throws -> [Figure] {
        var figures: [Figure] = []
        for axes in [3, 1] {
            var (series, rates) = try await StoredSeries.filled(count, axes: axes)
            let columns = axes == 1 ? "1 axis" : "\(axes) axes"
            figures.append(
                Figure(
                    name: "samples stored, \(columns), groups of 1000", unit: "thousand/s",
                    rounds: rates, limit: "memory bandwidth, as measured by the group sum"))
            figures.append(
                Figure(
                    name: "bytes a sample, \(columns), whole file", unit: "B",
                    rounds: [try await series.bytesPerSample()],
                    limit: "\(axes * 8 + 8) B uncompressed"))
            await series.remove()
        }
        let (series, rates) = try await StoredSeries.filled(count, axes: 3, .power)
        figures.append(
            Figure(
                name: "the same, each group synced to the disk", unit: "thousand/s", rounds: rates,
                limit: String(
                    format: "one fdatasync of 4 KiB: %.0f/s",
                    try await Disk.synchronisations(series.folder))))
        await series.remove()
        return figures
    }
}
