import Foundation
import Glibc

/// Requests a second for the newest sample, over HTTP on loopback, with the load of `wrk`.
enum Serving {
    static let rounds = 5
    static let secondsPerRound = 3
    static let connections = 16

    static func figures() async throws -> [Figure] {
        try await BenchHost.with { host in
            let token = try host.nervous("token", "create", "bench", "--allow", "sensor:load")
            return try figures(host, token)
        }
    }

    private static func figures(_ host: BenchHost, _ token: String) throws -> [Figure] {
        let base = "http://localhost:\(host.port)"
        // The first sample of a sensor comes within a second of the start.
        let status = try String(
            contentsOfFile: "/proc/\(host.process.processIdentifier)/status", encoding: .utf8)
        let latest = try load("\(base)/api/v1/sensors/load/latest", token)
        let floor = try load("\(base)/health", token)
        let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
        let idle = resident.flatMap { Double($0.filter(\.isNumber)) }.map { $0 / 1024 } ?? .nan
        let most = Figure(name: "", unit: "", rounds: floor.map(\.rate), limit: "").median
        return [
            Figure(
                name: "latest over HTTP, \(connections) connections", unit: "req/s",
                rounds: latest.map(\.rate),
                limit: String(format: "/health, which does nothing: %.0f req/s", most)),
            Figure(
                name: "latest over HTTP, p99", unit: "ms", rounds: latest.map(\.p99),
                limit: String(
                    format: "/health: %.2f ms",
                    Figure(name: "", unit: "", rounds: floor.map(\.p99), limit: "").median)),
            Figure(
                name: "memory of the host at rest, resident", unit: "MiB", rounds: [idle],
                limit: ""),
        ]
    }

    private static func load(_ url: String, _ token: String) throws -> [(rate: Double, p99: Double)]
    {
        try (0..<rounds).map { _ in
            let text = try Programs.run(
                "/usr/bin/wrk",
                [
                    "-t1", "-c\(connections)", "-d\(secondsPerRound)s", "--latency", "-H",
                    "Authorization: Bearer \(token)", url,
                ])
            guard !text.contains("Non-2xx") else {
                throw Programs.Failure(description: "\(url) answered errors")
            }
            func word(after name: String) -> String? {
                text.split(separator: "\n").first { $0.contains(name) }?
                    .split(separator: " ").last.map(String.init)
            }
            let rate = word(after: "Requests/sec:").flatMap(Double.init) ?? .nan
            return (rate, milliseconds(word(after: "99%") ?? ""))
        }
    }

    /// `1.20ms`, `850.00us`, `1.1s` as wrk writes them.
    private static func milliseconds(_ text: String) -> Double {
        for (unit, factor) in [("us", 0.001), ("ms", 1.0), ("s", 1000.0)] where text.hasSuffix(unit)
        {
            return (Double(text.dropLast(unit.count)) ?? .nan) * factor
        }
        return .nan
    }
}
