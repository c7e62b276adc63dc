import AppRuns
import Foundation
import NIOCore
import Testing

/// Runs in the foreground, whose output goes to the client that started them.
@Suite(.timeLimit(.minutes(10)))
struct ForegroundRunTests {
    private static let chatty = "setInterval(() => console.log('x'.repeat(10000)), 1)"

    /// Starts a run over a new connection, and disconnects when `body` returns.
    private static func watch(
        _ run: String, _ host: ServedHost,
        _ body: @Sendable (TCPConnection.Reader) async throws -> Void
    ) async throws {
        let call = Call("POST", "/api/v1/runs/\(run)/start", token: host.owner)
        try await TCPConnection.with(port: host.port) { reader, writer in
            try await writer.write(
                ByteBuffer(bytes: call.bytes(standardHost: "localhost:\(host.port)")))
            try await body(reader)
        }
    }

    @Test(arguments: [chatty, "console.log('x'); setInterval(() => {}, 1000)"])
    func `a client that disconnects ends the run`(script: String) async throws {
        try await ServedHost.with { host in
            try await host.install("demo", script: script)
            let run = try await host.supervisor.prepare(app: "demo").id
            try await Self.watch(run, host) { reader in
                var text = ""
                while !text.contains("\"console\""), let more = await reader.next() {
                    text += String(decoding: more, as: UTF8.self)
                }
            }
            let report = try await host.report(run) { $0.state == .ended }
            #expect(report.ending?.name == "stopped")
        }
    }

    @Test func `a client that does not read pauses the app and does not end it`() async throws {
        var budget = RunBudget()
        budget.turn = .seconds(3)
        budget.logPerMinute = .max / 2
        let chosen = budget
        try await ServedHost.with(budget: { _ in chosen }) { host in
            try await host.install(
                "demo", script: "for (let i = 0; i < 100; i++) console.log('x'.repeat(16000))")
            let run = try await host.supervisor.prepare(app: "demo").id
            let lines = Lines()
            let report = try await host.supervisor.run(run) { event in
                lines.take(event)
                // Longer in total than the limit of a turn.
                if lines.all.count < 3 { try? await Task.sleep(for: .milliseconds(1600)) }
            }
            #expect(report.ending?.name == "finished")
            #expect(lines.all.count == 100)
        }
    }

    @Test func `a watching client gets the end of a run that is stopped`() async throws {
        try await ServedHost.with { host in
            try await host.install("demo", script: Self.chatty)
            let run = try await host.supervisor.prepare(app: "demo").id
            try await Self.watch(run, host) { reader in
                async let stopped = host.report(run) { $0.state == .running }
                _ = try await stopped
                try await host.supervisor.stop(run)
                let rest = String(decoding: await reader.rest(), as: UTF8.self)
                #expect(rest.contains(#""event":"ended""#))
                #expect(rest.contains(#""name":"stopped""#))
            }
        }
    }
}
