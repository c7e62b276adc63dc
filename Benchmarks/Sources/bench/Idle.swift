import Foundation
import Glibc

/// What an unused host writes to the disk and keeps in memory.
enum Idle {
    /// How long the host takes to start, with its first discovery and its first commits.
    private static let warmUp = Duration.seconds(30)
    /// The megabytes a day that correspond to a byte a second.
    private static let megabytesPerDay = 86_400 / 1e6

    static func figures(_ options: Options) async throws -> [Figure] {
        let folder = try BenchFolder()
        defer { folder.remove() }
        var written: [Double] = []
        var dirty = Double.nan
        var shared = Double.nan
        try await BenchHost.with(folder) { host in
            let process = host.process.processIdentifier
            try await Task.sleep(for: warmUp)
            let clock = ContinuousClock()
            for _ in 0..<options.minutes {
                let (bytes, start) = (try bytesWritten(by: process), clock.now)
                try await Task.sleep(for: .seconds(60))
                let seconds = start.duration(to: clock.now) / .seconds(1)
                written.append(Double(try bytesWritten(by: process) - bytes) / seconds)
            }
            dirty = BenchHost.memory("Private_Dirty", of: process) ?? .nan
            shared = (BenchHost.memory("Rss", of: process) ?? .nan) - dirty
        }
        let mean = written.reduce(0, +) / Double(written.count)
        return [
            Figure(
                name: "bytes that an idle host writes a second", unit: "B", rounds: written,
                limit: String(
                    format: "%.0f MB a day at the mean rate of %d min", mean * megabytesPerDay,
                    written.count)),
            Figure(
                name: "private memory of an idle host", unit: "MiB", rounds: [dirty / 1024],
                limit: String(
                    format: "besides %.1f MiB of reclaimable file pages", shared / 1024)),
        ]
    }

    /// What a process has caused to be written to disks.
    private static func bytesWritten(by process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        guard let count = line.flatMap({ Int($0.dropFirst("write_bytes: ".count)) }) else {
            throw Programs.Failure(description: "no write_bytes of \(process)")
        }
        return count
    }
}
