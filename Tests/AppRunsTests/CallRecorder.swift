import Auth
import RunnerProtocol
import Synchronization
import Text

@testable import AppRuns

/// Receives calls like the host, answers some, leaves others open, and records malformed ones.
final class CallRecorder: HostConnection {
    private struct State {
        var count = 0
        var open = 0
        var faults: [String] = []
    }

    private let state = Mutex(State())

    /// Calls received.
    var count: Int { state.withLock { $0.count } }
    /// Calls that have not returned.
    var open: Int { state.withLock { $0.open } }
    /// Violations found in calls.
    var faults: [String] { state.withLock { $0.faults } }

    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws {
        let number = state.withLock { state in
            state.count += 1
            state.open += 1
            state.faults += Self.faults(of: call)
            return state.count
        }
        defer { state.withLock { $0.open -= 1 } }
        switch number % 4 {
        case 0: throw CancellationError()
        case 1: for await _ in AsyncStream<Void>.makeStream().stream {}
        case 2:
            try await receive(.whole(status: 404, headers: [], body: [66]))
        default:
            try await receive(.head(status: 200, headers: [("a", "b")]))
            try await receive(.body([UInt8](repeating: 65, count: number % 3 * 70_000)))
            try await receive(.end)
        }
    }

    private static func faults(of call: HostCall) -> [String] {
        let allowed: Set = [
            "accept", "content-type", "idempotency-key", "if-match", "if-none-match",
            "last-event-id", "authorization", "nervous-request",
        ]
        var faults: [String] = []
        if call.host != "demo.localhost" { faults.append("host \(call.host)") }
        if !["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(call.method) {
            faults.append("method \(call.method)")
        }
        let target = call.target
        if !target.hasPrefix("/") || target.hasPrefix("//") || target.utf8.count > 8 << 10
            || !target.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        {
            faults.append("target \(target.prefix(80))")
        }
        if call.body.count > 1 << 20 { faults.append("body") }
        // The address of another server is only an argument of the route that calls it.
        let request = call.headers.first { $0.name == "Nervous-Request" }?.value
        if let request, target == "/api/v1/fetch" {
            let url = try? StrictJSON().parse(Array(request.utf8))["url"]?.string
            if url == nil || call.method != "POST" {
                faults.append("request \(request.prefix(80))")
            }
        }
        let authorizations = call.headers.filter { $0.name.lowercased() == "authorization" }
        if authorizations.map(\.value) != ["Bearer secret"] { faults.append("authorization") }
        for (name, value) in call.headers
        where !allowed.contains(name.lowercased())
            || !value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        {
            faults.append("header \(name)")
        }
        return faults
    }
}
