import Foundation
import TestSupport
import Testing

/// Collecting in the background: the systemd unit, and a host that survives its terminal.
@Suite(.blocking)
struct UnitFileTests {
    /// The unit as `make install` writes it.
    private func unit(_ prefix: String) throws -> String {
        try String(
            contentsOfFile: "\(Binary.repository)/Scripts/nervous.service", encoding: .utf8
        ).replacing("@PREFIX@", with: prefix)
    }

    @Test func `F9: systemd accepts the unit without unknown keys`() throws {
        let sandbox = try Sandbox()
        let bin = sandbox.path("prefix/bin")
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(bin)/nervous", withDestinationPath: Binary.nervous)
        let file = sandbox.path("nervous.service")
        for (text, isTaken) in [
            (try unit(sandbox.path("prefix")), true),
            // Errors in it would be reported.
            (try unit(sandbox.path("elsewhere")), false),
            (try unit(sandbox.path("prefix")).replacing("Restart=", with: "Begin="), false),
        ] {
            try Data(text.utf8).write(to: URL(filePath: file))
            let call = try Invocation(
                "/usr/bin/systemd-analyze", ["verify", "--user", file],
                environment: sandbox.environment)
            #expect(
                (call.code == 0 && !call.errors.contains("nervous.service")) == isTaken,
                "\(call.code): \(call.errors)")
        }
    }

    private struct Status: Decodable {
        let samples: Int
    }

    @Test func `F9: collecting continues when the terminal is killed`() throws {
        func samples(_ sandbox: Sandbox) throws -> Int {
            let text = try sandbox.nervous("status", "--json").output
            return try JSONDecoder().decode(Status.self, from: Data(text.utf8)).samples
        }
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try sandbox.nervous("sensors", "set", "load", "10ms").code == 0)
        let made = try sandbox.nervous("sessions", "new", "Watched", "--sensor", "load")
        let id = made.output.trimmingCharacters(in: .newlines)
        #expect(try sandbox.nervous("sessions", "start", id).code == 0)
        var client: PseudoTerminal? = try sandbox.terminal("sessions", "watch", id)
        try client?.await("0 min")
        client?.signal(SIGKILL)
        _ = try client?.finish()
        client = nil
        let before = try samples(sandbox)
        try waitUntil { try samples(sandbox) >= before + 20 }
        #expect(try sandbox.nervous("sessions").output.contains("active"))
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
