import Foundation
import Glibc

/// What collecting costs: processor time and memory of a host that nobody asks anything.
enum Collecting {
    private static let sensors = 50
    private static let rate = 10
    private static let rounds = 3
    private static let span = Duration.seconds(20)

    private struct SensorList: Decodable {
        struct Item: Decodable {
            let id: String
        }
        let items: [Item]
    }

    static func figures() async throws -> [Figure] {
        let still = try await BenchHost.with { host in
            let list = try host.nervous("sensors", "--json")
            let items = try JSONDecoder().decode(SensorList.self, from: Data(list.utf8)).items
            for kind in Set(items.compactMap { $0.id.split(separator: ".").first }) {
                _ = try host.nervous("sensors", "set", String(kind), "off")
            }
            return try await shares(host)
        }
        let (usual, memory, own) = try await BenchHost.with { host in
            let process = host.process.processIdentifier
            let shares = try await shares(host)
            let own = BenchHost.memory("Anonymous", of: process).map { $0 / 1024 } ?? .nan
            return (shares, BenchHost.resident(process), own)
        }
        let busy = try await BenchHost.with { host in
            for number in 0..<sensors { try install(number, on: host) }
            return try await shares(host)
        }
        return [
            Figure(
                name: "processor, every sensor off", unit: "% of a core", rounds: still, limit: ""),
            Figure(
                name: "the machine's own sensors at 1 Hz", unit: "% of a core",
                rounds: usual, limit: ""),
            Figure(
                name: "… and \(sensors) more sensors at \(rate) Hz", unit: "% of a core",
                rounds: busy, limit: "includes the cost of simulating the \(sensors)"),
            Figure(
                name: "memory of the host that only collects", unit: "MiB", rounds: [memory],
                limit: "all but the next line is code, which processes share"),
            Figure(
                name: "… of it the host's data", unit: "MiB", rounds: [own], limit: ""),
        ]
    }

    private static func install(_ number: Int, on host: BenchHost) throws {
        let file = "\(host.folder.path)/pack.json"
        let text = """
            {"id": "bench.\(number)", "title": "bench",
             "fields": [{"name": "x", "unit": "m/s2"}, {"name": "y", "unit": "m/s2"},
                        {"name": "z", "unit": "m/s2"}],
             "source": {"kind": "simulated", "sensor": "accelerometer", "rate": \(rate),
                        "seed": \(number)}}
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try host.nervous("sensors", "install", file, "--yes")
    }

    /// Percent of one core, span by span.
    private static func shares(_ host: BenchHost) async throws -> [Double] {
        // What the start costs is not meant.
        try await Task.sleep(for: .seconds(3))
        var shares: [Double] = []
        for _ in 0..<rounds {
            let before = try used(by: host.process.processIdentifier)
            let taken = try await seconds { try await Task.sleep(for: span) }
            shares.append(100 * (try used(by: host.process.processIdentifier) - before) / taken)
        }
        return shares
    }

    /// Seconds of processor time, of user and system, by proc_pid_stat(5).
    private static func used(by process: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The name before the last parenthesis may hold anything.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13])
        else { throw Programs.Failure(description: "no processor time") }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
