import Foundation
import Glibc
import SampleStore

/// How soon a host with many samples serves, and what it keeps in memory.
enum Opening {
    private static let rounds = 9

    static func figures(_ options: Options) async throws -> [Figure] {
        let folder = try options.folder.map { try BenchFolder($0) } ?? BenchFolder()
        defer {
            if options.folder == nil { folder.remove() }
        }
        try await StoredSeries.kept(in: folder, options.samples).store.close()
        let token = try folder.nervous(["token", "create", "bench-\(getpid())", "--owner"])
        let path = "/api/v1/sensors/\(StoredSeries.sensor)"
        var starts: [Double] = []
        var resident: [Double] = []
        var asked: [Double] = []
        for _ in 0..<rounds {
            let clock = ContinuousClock()
            let start = clock.now
            try await BenchHost.with(folder) { host in
                let call = try HTTPConnection(port: host.port, token: token)
                try call.get(path + "/latest")
                let taken = start.duration(to: clock.now).components
                starts.append(Double(taken.seconds) * 1000 + Double(taken.attoseconds) / 1e15)
                resident.append(BenchHost.resident(host.process.processIdentifier))
                asked.append(
                    try await seconds {
                        try call.get(path + "/stats?fn=mean,stddev,min,max,count")
                    } * 1000)
            }
        }
        var floor: [Double] = []
        for _ in 0..<rounds {
            floor.append(try await seconds { try folder.nervous(["--version"]) } * 1000)
        }
        return [
            Figure(
                name: "start to the newest of \(options.size)", unit: "ms", rounds: starts,
                limit: String(format: "nervous --version: %.0f ms", Figure.median(floor))),
            Figure(
                name: "resident memory at that time", unit: "MiB", rounds: resident, limit: ""),
            Figure(
                name: "first statistics of all samples, over HTTP", unit: "ms", rounds: asked,
                limit: ""),
        ]
    }
}
