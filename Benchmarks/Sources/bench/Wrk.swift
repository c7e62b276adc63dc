import Foundation

/// Load over HTTP on loopback from `wrk`: one thread, several connections, one call after the other on
/// each.
enum Wrk {
    static let rounds = 5
    static let secondsPerRound = 3
    static let connections = 16

    /// - Parameter script: Lua that makes the requests; without it they are plain `GET`.
    static func load(
        _ url: String, _ token: String, script: String? = nil
    ) throws -> [(rate: Double, p99: Double)] {
        let arguments = [
            "-t1", "-c\(connections)", "-d\(secondsPerRound)s", "--latency", "-H",
            "Authorization: Bearer \(token)",
        ]
        return try (0..<rounds).map { _ in
            let text = try Programs.run(
                "/usr/bin/wrk", arguments + (script.map { ["-s", $0] } ?? []) + [url])
            guard !text.contains("Non-2xx") else {
                throw Programs.Failure(description: "\(url) answered errors")
            }
            let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
            func word(after name: String) -> String? {
                lines.first { $0.first == name[...] }?.last.map(String.init)
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
