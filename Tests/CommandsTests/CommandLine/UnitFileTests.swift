import Foundation
import Glibc
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

    @Test func `systemd accepts the unit without unknown keys`() throws {
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

    @Test func `collecting continues when the terminal is killed`() throws {
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

    @Test func `systemd learns of the start, of a reload and its result, and that the host works`()
        throws
    {
        let sandbox = try Sandbox()
        let (socket, log) = (try NotifySocket(), sandbox.path("log"))
        try Data().write(to: URL(filePath: log))
        let facts = try FileManager.default.attributesOfItem(atPath: log)
        let (device, file) = (facts[.systemNumber] ?? "", facts[.systemFileNumber] ?? "")
        let host = try ServingHost(
            sandbox, errors: log,
            environment: [
                "NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "200000",
                "JOURNAL_STREAM": "\(device):\(file)",
            ])
        /// Waits for a message other than the signs of life.
        func message() throws -> String {
            var found: String?
            try waitUntil {
                found = socket.next()
                return found != nil && found != "WATCHDOG=1"
            }
            return found ?? ""
        }
        #expect(try message() == "READY=1\nSTATUS=Serving at http://localhost:\(host.port)/")
        try waitUntil { socket.next() == "WATCHDOG=1" }

        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (text, result) in [
            ("{}", "Applied the policy"), (#"{"budget": 1}"#, "Nothing was changed."),
        ] {
            try Data(text.utf8).write(to: URL(filePath: folder + "/config.json"))
            host.kill(SIGHUP)
            #expect(try message().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
            #expect(try message().hasPrefix("READY=1\nSTATUS=\(result)"))
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        // The journal takes the number in front of each line as its severity.
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("<5>Applied the policy") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("<3>Nothing was changed.") }, "\(lines)")
        #expect(lines.allSatisfy { $0.hasPrefix("<") }, "\(lines)")
    }
}
