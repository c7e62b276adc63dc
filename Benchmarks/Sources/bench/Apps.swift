import Foundation
import Glibc

/// What apps cost in a host that serves: to start, to wait, and to ask.
enum Apps {
    static let rounds = 30
    static let few = 20
    static let many = 300

    static func figures() async throws -> [Figure] {
        try await BenchHost.with { host in
            let token = try host.nervous("token", "create", "bench", "--owner")
            let call = HTTPCall(port: host.port, token: token)
            try host.install("bench-idle", "console.log('up'); setInterval(() => {}, 3600e3)")
            try host.install("bench-calls", script, privileges: #"["load"]"#)
            _ = try host.nervous("permissions", "grant", "bench-calls", "sensor:load")
            return try await starts(call) + calls(host) + waiting(host)
        }
    }

    private static let script = """
        (async () => {
          for (let round = 0; round < 6; round++) {
            const start = performance.now();
            for (let i = 0; i < 1000; i++) await (await fetch("/api/v1/sensors/load/latest")).text();
            console.log(performance.now() - start);
          }
        })();
        """

    /// From the call that starts an app to its first line at the caller.
    private static func starts(_ call: HTTPCall) async throws -> [Figure] {
        var spare: [Double] = []
        var forked: [Double] = []
        for _ in 0..<rounds {
            // Long enough for the spare to be there; the second start comes too soon for one.
            try await Task.sleep(for: .milliseconds(400))
            spare.append(try await start(call))
            forked.append(try await start(call))
        }
        return [
            Figure(
                name: "app start in the host, spare ready", unit: "ms", rounds: spare,
                limit: "HTTP call to first line at the caller"),
            Figure(
                name: "app start in the host, forked", unit: "ms", rounds: forked,
                limit: "the same, without a spare"),
        ]
    }

    private static func start(_ call: HTTPCall) async throws -> Double {
        let run = try prepare(call)
        return try await seconds {
            _ = try call.post("/api/v1/runs/\(run)/start", until: #""event":"console""#)
        } * 1000
    }

    private static func prepare(_ call: HTTPCall) throws -> String {
        let text = try call.post("/api/v1/apps/bench-idle/runs", until: "}")
        guard let start = text.range(of: #""run":""#)?.upperBound else {
            throw Programs.Failure(description: text)
        }
        return String(text[start...].prefix { $0 != "\"" })
    }

    /// A call of an app, in the host's own process.
    private static func calls(_ host: BenchHost) async throws -> [Figure] {
        let lines = try host.nervous("run", "bench-calls").split(separator: "\n")
        // The first round finds nothing warm.
        let each = lines.compactMap { Double($0) }.dropFirst()
        let floor = Figure(name: "", unit: "", rounds: try await ColdStart.pings(), limit: "")
            .median
        return [
            Figure(
                name: "a host call of an app, latest", unit: "µs", rounds: Array(each),
                limit: String(format: "a runner's answer to a ping: %.0f µs", floor))
        ]
    }

    private static func waiting(_ host: BenchHost) async throws -> [Figure] {
        var figures: [Figure] = []
        var started = 0
        for count in [few, many] {
            while started < count {
                _ = try host.nervous("run", "bench-idle", "--background")
                started += 1
            }
            try await Task.sleep(for: .seconds(1))
            let memory = runners(of: host).compactMap { BenchHost.memory("Pss", of: $0) }
            guard memory.count >= count else {
                throw Programs.Failure(description: "\(memory.count) of \(count) apps run")
            }
            figures.append(
                Figure(
                    name: "memory of one of \(count) waiting apps (PSS)", unit: "MiB",
                    rounds: memory.map { $0 / 1024 },
                    limit: String(format: "all: %.0f MiB", memory.reduce(0, +) / 1024)))
        }
        _ = try host.nervous("stop", "bench-idle")
        return figures
    }

    /// The processes whose parent is a zygote of the host's.
    private static func runners(of host: BenchHost) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let parents = all.compactMap { Int32($0) }.map { ($0, parent(of: $0)) }
        let zygotes = parents.filter { $0.1 == host.process.processIdentifier }.map(\.0)
        return parents.filter { zygotes.contains($0.1 ?? 0) }.map(\.0)
    }

    private static func parent(of process: Int32) -> Int32? {
        let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { Int32($0.filter(\.isNumber)) }
    }
}
