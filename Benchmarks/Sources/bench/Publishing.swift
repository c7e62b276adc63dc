import Foundation
import Glibc
import Ingest
import Samples

/// The rate at which a host accepts samples with three axes over HTTP; it answers each request when the
/// samples are on the disk.
enum Publishing {
    private static let batches = 100
    private static let size = 10_000

    static func figures() async throws -> [Figure] {
        let folder = try BenchFolder()
        defer { folder.remove() }
        try folder.declare(StoredSeries.sensor.description, axes: 3)
        return try await BenchHost.with(folder) { host in
            let token = try host.nervous("token", "create", "bench", "--owner")
            let disk = String(
                format: "fdatasync of 4 KiB: %.0f/s",
                try await Disk.synchronisations(folder.path))
            var figures: [Figure] = []
            for form in [SampleFormat.columns, .csv, .ndjson] {
                figures.append(try await bodies(form, host, token, disk))
            }
            return figures + (try singles(host, token, disk))
        }
    }

    private static var path: String { "/api/v1/sensors/\(StoredSeries.sensor)/samples" }

    /// Bodies of 10 000 samples each, on one connection; each tenth of the bodies is a round.
    private static func bodies(
        _ form: SampleFormat, _ host: BenchHost, _ token: String, _ disk: String
    ) async throws -> Figure {
        let connection = try HTTPConnection(port: host.port, token: token)
        let fields = ["x", "y", "z"].map { Field($0, unit: "[g]") }
        let walk = StoredSeries.Walk.columns(axes: 3, size)
        let bodies = (0..<batches).map { number in
            var writer = SampleWriter(form, fields: fields)
            writer.begin()
            let batch = StoredSeries.batch(number, of: size, walk)
            writer.write(batch, rows: batch.indices)
            return writer.take { Array($0) }
        }
        var rates: [Double] = []
        for part in stride(from: 0, to: batches, by: batches / 10) {
            let taken = try await seconds {
                for body in bodies[part..<part + batches / 10] {
                    try connection.post(path, body, type: form.rawValue)
                }
            }
            rates.append(Double(size * batches / 10) / taken / 1000)
        }
        let bytes = Double(bodies.reduce(0) { $0 + $1.count }) / Double(size * batches)
        return Figure(
            name: "published as \(form.rawValue)", unit: "thousand/s", rounds: rates,
            limit: String(format: "%.0f B a sample; ", bytes) + disk)
    }

    /// One sample per request, on several connections; the host syncs those of concurrent requests to the
    /// disk together.
    private static func singles(
        _ host: BenchHost, _ token: String, _ disk: String
    ) throws -> [Figure] {
        let script = host.folder.path + "/single.lua"
        try """
        local n = 0
        wrk.method = "POST"
        wrk.headers["Content-Type"] = "\(SampleFormat.ndjson.rawValue)"
        request = function()
          n = n + 1
          return wrk.format(nil, nil, nil, string.format(
            '{"t":%d,"x":0.25,"y":-0.5,"z":%.4f}\\n', 1800000000000 + n, n % 100 / 100))
        end
        """.write(toFile: script, atomically: true, encoding: .utf8)
        let base = "http://localhost:\(host.port)"
        let loads = try Wrk.load(base + path, token, script: script)
        let floor = try Wrk.load(base + "/health", token)
        return [
            Figure(
                name: "single samples published, \(Wrk.connections) connections", unit: "/s",
                rounds: loads.map(\.rate),
                limit: String(format: "/health: %.0f/s; ", Figure.median(floor.map(\.rate))) + disk),
            Figure(
                name: "the same, p99", unit: "ms", rounds: loads.map(\.p99),
                limit: String(format: "/health: %.2f ms", Figure.median(floor.map(\.p99)))),
        ]
    }
}
