import Foundation
import Glibc
import SampleStore
import Samples

/// Samples of three axes a second that a process can put into the store.
enum Storing {
    static let rounds = 10
    static let perRound = 100_000
    static let group = 1000

    static func figures() async throws -> [Figure] {
        let folder = FileManager.default.temporaryDirectory.path + "/nervous-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try await SampleStore(path: folder + "/samples.sqlite")
        let fields = ["x", "y", "z"].map { Field($0, unit: "m/s2") }
        try await store.register("accelerometer", fields: fields)
        var rates: [Double] = []
        var time: Int64 = 1_700_000_000_000_000
        for _ in 0..<rounds {
            let groups = (0..<(perRound / group)).map { _ in
                (0..<group).map { _ in
                    time += 10_000
                    let step = Double(time % 4096) / 16384
                    return Sample(
                        time: Timestamp(microseconds: time),
                        values: [.number(step), .number(-step), .number(9.81 + step)])
                }
            }
            let taken = try await seconds {
                for samples in groups {
                    try await store.append(samples, to: "accelerometer")
                    try await store.flush()
                }
            }
            rates.append(Double(perRound) / taken / 1000)
        }
        let bytes = await store.status.bytes
        try await store.close()
        let perSample = Double(bytes) / Double(rounds * perRound)
        let rate = try await synchronisations(folder)
        return [
            Figure(
                name: "samples stored, 3 axes, groups of \(group)", unit: "thousand/s",
                rounds: rates,
                limit: String(format: "one fdatasync of 4 KiB: %.0f/s", rate)),
            Figure(
                name: "bytes a sample, 3 axes, whole file", unit: "B", rounds: [perSample],
                limit: "24 B of values, 8 B of time"),
        ]
    }

    /// Blocks of 4 KiB that reach the disk one by one in a second.
    private static func synchronisations(_ folder: String) async throws -> Double {
        let descriptor = open(folder + "/sync", O_CREAT | O_RDWR, 0o600)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 7, count: 4096)
        let taken = await seconds {
            for _ in 0..<200 {
                _ = write(descriptor, block, block.count)
                fdatasync(descriptor)
            }
        }
        return 200 / taken
    }
}
