import Foundation
import Synchronization
import TestSupport
import Testing

/// `nervous alerts`, with a host that is killed while a server is down.
@Suite(.blocking)
struct AlertsTests {
    private struct History: Decodable {
        struct Event: Decodable {
            struct Delivery: Decodable {
                let action: String
                let state: String
                let attempts: Int
            }

            let event: String
            let deliveries: [Delivery]
        }

        let items: [Event]
    }

    private struct State: Sendable {
        var isDown = true
        var keys: [String] = []
        var accepted = 0
    }

    /// A server that is down until it is told otherwise.
    private final class Receiver: Sendable {
        let state = Mutex(State())

        func answer(_ connection: ScriptedServer.Connection) {
            let key = connection.request.split(separator: "\r\n")
                .first { $0.lowercased().hasPrefix("idempotency-key:") }
            let isDown = state.withLock { state in
                state.keys.append(String(key ?? "none"))
                if !state.isDown { state.accepted += 1 }
                return state.isDown
            }
            connection.answer([], status: isDown ? "503 Service Unavailable" : "204 No Content")
        }
    }

    private func history(_ sandbox: Sandbox, _ name: String) throws -> [History.Event] {
        let shown = try sandbox.nervous("alerts", "history", name, "--json")
        #expect(shown.code == 0, "\(shown.errors)")
        return try JSONDecoder().decode(History.self, from: Data(shown.output.utf8)).items
    }

    @Test func `a host that is killed before a call was accepted makes it, once`() throws {
        let sandbox = try Sandbox()
        let receiver = Receiver()
        let server = try ScriptedServer { receiver.answer($0) }
        var host = try ServingHost(sandbox)
        // Its condition always holds, so it fires at the first evaluation.
        let added = try sandbox.nervous(
            "alerts", "add", "always", "load", "--stats", "count", "--window", "5s", "--above",
            "-1", "--notify", "--webhook", "http://127.0.0.1:\(server.port)/hook")
        #expect(added.code == 0, "\(added.errors)")
        #expect(added.output.contains("count of load."))
        try waitUntil { receiver.state.withLock { !$0.keys.isEmpty } }
        host.kill(SIGKILL)
        #expect(try host.wait() == 128 + SIGKILL)

        receiver.state.withLock { $0.isDown = false }
        host = try ServingHost(sandbox)
        try waitUntil { receiver.state.withLock { $0.accepted > 0 } }
        try waitUntil {
            try history(sandbox, "always").first?.deliveries.allSatisfy { $0.state != "waiting" }
                ?? false
        }
        let events = try history(sandbox, "always")
        #expect(events.map(\.event) == ["fired"])
        #expect(Set(receiver.state.withLock { $0.keys }).count == 1)
        #expect(receiver.state.withLock { $0.accepted } == 1)
        let states = events[0].deliveries.map { "\($0.action) \($0.state)" }
        #expect(["notify done", "notify unknown"].contains(states.first))
        #expect(states.last == "webhook done")
        #expect(events[0].deliveries.first?.attempts ?? 0 <= 1)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `rules are added, listed, tested, turned off and removed`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("alerts").errors.contains("No alert rules."))
        let added = try sandbox.nervous(
            "alerts", "add", "busy", "load", "--window", "5m", "--above", "4", "--clear", "2",
            "--for", "1m")
        #expect(added.code == 0, "\(added.errors)")
        let again = try sandbox.nervous("alerts", "add", "busy", "load", "--silence", "1h")
        #expect(again.code != 0)
        #expect(again.errors.contains("already exists"))
        #expect(again.errors.contains("--replace"))
        let replaced = try sandbox.nervous(
            "alerts", "add", "busy", "load", "--silence", "1h", "--replace")
        #expect(replaced.output.contains("load has no samples for 1h"), "\(replaced.errors)")
        #expect(try sandbox.nervous("alerts", "disable", "busy").output == "Disabled busy.\n")
        #expect(try sandbox.nervous("alerts").output.contains("disabled"))
        #expect(try sandbox.nervous("alerts", "enable", "busy").code == 0)
        let tested = try sandbox.nervous("alerts", "test", "busy", "--last", "2h")
        #expect(tested.code == 0, "\(tested.errors)")
        #expect(tested.output.contains("evaluations, one each 2m"), "\(tested.output)")
        #expect(try sandbox.nervous("alerts", "history", "busy").errors.contains("has not fired"))
        #expect(try sandbox.nervous("alerts", "send", "busy").output == "No calls wait.\n")
        #expect(try sandbox.nervous("alerts", "remove", "busy").output == "Removed busy.\n")
        let missing = try sandbox.nervous("alerts", "remove", "busy")
        #expect(missing.code != 0)
        #expect(missing.errors.contains("hint: List them with: nervous alerts"))
        let wrong = try sandbox.nervous("alerts", "add", "busy", "load", "--window", "5m")
        #expect(wrong.errors.contains("one threshold: above or below"))
    }
}
