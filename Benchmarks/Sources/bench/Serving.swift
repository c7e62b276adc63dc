import Foundation

/// Requests a second for the newest sample, over HTTP on loopback, with the load of `wrk`.
enum Serving {
    static func figures() async throws -> [Figure] {
        try await BenchHost.with { host in
            let token = try host.nervous("token", "create", "bench", "--allow", "sensor:load")
            return try figures(host, token) + [try await batch(host, token)]
        }
    }

    /// A hundred small calls in one batch, on one connection.
    private static func batch(_ host: BenchHost, _ token: String) async throws -> Figure {
        let connection = try HTTPConnection(port: host.port, token: token)
        let call = #"{"path":"/api/v1/sensors/load/latest"}"#
        let calls = Array(repeating: call, count: 100).joined(separator: ",")
        let body = Array("{\"calls\":[\(calls)]}".utf8)
        let batches = try await Figure.rounds {
            try await 1000
                * seconds { try connection.post("/api/v1/batch", body, type: "application/json") }
        }
        let single = try await Figure.rounds {
            try await 1000
                * seconds {
                    for _ in 0..<100 { try connection.get("/api/v1/sensors/load/latest") }
                }
        }
        return Figure(
            name: "a batch of 100 newest samples", unit: "ms", rounds: batches,
            limit: String(
                format: "the same calls one by one: %.2f ms", Figure.median(single)))
    }

    private static func figures(_ host: BenchHost, _ token: String) throws -> [Figure] {
        let base = "http://localhost:\(host.port)"
        let idle = BenchHost.resident(host.process.processIdentifier)
        // The host reads each sensor when it starts, so there is a sample.
        let latest = try Wrk.load("\(base)/api/v1/sensors/load/latest", token)
        let floor = try Wrk.load("\(base)/health", token)
        let highest = Figure.median(floor.map(\.rate))
        let crowd = try SlowSenders(count: 1000, port: host.port)
        let crowded = try Wrk.load("\(base)/api/v1/sensors/load/latest", token)
        let kept = crowd.end()
        return [
            Figure(
                name: "latest over HTTP, \(Wrk.connections) connections", unit: "req/s",
                rounds: latest.map(\.rate),
                limit: String(format: "/health, which does nothing: %.0f req/s", highest)),
            Figure(
                name: "latest over HTTP, p99", unit: "ms", rounds: latest.map(\.p99),
                limit: String(
                    format: "/health: %.2f ms",
                    Figure.median(floor.map(\.p99)))),
            Figure(
                name: "the same beside 1 000 slow senders, p99", unit: "ms",
                rounds: crowded.map(\.p99),
                limit: String(
                    format: "without them: %.2f ms; %d were connected at the end",
                    Figure.median(latest.map(\.p99)), kept)),
            Figure(
                name: "memory of the host at rest, resident", unit: "MiB", rounds: [idle],
                limit: ""),
        ]
    }
}
