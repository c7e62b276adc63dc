import Foundation
import TestSupport
import Testing

/// Messages of apps at the terminal, in the log and on the desktop.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct NotifyTests {
    private static var manifest: [String: Any] {
        [
            "name": "demo", "version": "1",
            "privileges": [["notify": true, "reason": "Tells you when it is done"]],
        ]
    }
    private static let script = """
        nervous.notify("Nervous: \\u001b[31mupdate\\nnow", { body: "<b>1 & 2</b>", tag: "t" })
          .then(() => console.log("sent"));
        """
    /// No text of the app precedes the app's name.
    private static let line = #"demo says: Nervous: \u{1b}[31mupdate now – <b>1 & 2</b>"#

    @Test func `a message is printed after the name of its app`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous(
            "run", try sandbox.app(Self.script, manifest: Self.manifest), "--allow", "notify")
        #expect(run.output == "sent\n")
        #expect(run.errors.split(separator: "\n").contains(Self.line[...]), "\(run.errors)")
    }

    @Test func `the prompt describes the notify privilege`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal(
            "run", try sandbox.app(Self.script, manifest: Self.manifest))
        try terminal.await("o/a/n/v/?> ")
        #expect(terminal.text.contains("to send you messages"))
        #expect(terminal.text.contains("Tells you when it is done"))
        terminal.type("\n")
        _ = try terminal.finish()
        #expect(!terminal.text.contains("demo says"))
    }

    @Test func `a serving host logs messages of apps`() throws {
        let sandbox = try Sandbox()
        let log = sandbox.path("log")
        let host = try ServingHost(sandbox, errors: log)
        let folder = try sandbox.app(Self.script, manifest: Self.manifest)
        #expect(try sandbox.nervous("run", folder, "--allow", "notify").code == 0)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        // The log escapes messages once more.
        #expect(lines.contains { $0.hasPrefix("demo says: Nervous: ") })
    }

    @Test(
        .enabled(
            if: PrivateDesktop.isInstalled, "dbus-daemon and python3-dbusmock are not installed"))
    func `a desktop shows messages and refused calls`() throws {
        let desktop = try PrivateDesktop()
        let sandbox = try Sandbox(bus: desktop.address)
        let host = try ServingHost(sandbox)
        let folder = try sandbox.app(Self.script, manifest: Self.manifest)
        #expect(try sandbox.nervous("run", folder, "--allow", "notify").code == 0)
        #expect(try sandbox.curl(host.url("/api/v1/me")).status == 401)
        let doctor = try sandbox.nervous("doctor", "desktop")
        #expect(doctor.output.contains("messages are displayed by mock-notify"))
        // Messages are displayed asynchronously.
        try waitUntil { try desktop.calls().count >= 2 }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let calls = try desktop.calls()
        #expect(calls.count == 2, "\(calls)")
        #expect(calls.first?.contains(#""demo: Nervous: "#) == true)
        #expect(calls.first?.contains(#""&lt;b&gt;1 &amp; 2&lt;/b&gt;""#) == true)
        #expect(calls.last?.contains(#""Nervous refused a call""#) == true)
    }

    @Test func `without a session bus the doctor reports where messages appear`() throws {
        let doctor = try Sandbox().nervous("doctor", "desktop")
        #expect(doctor.code == 0)
        #expect(doctor.output.contains("No session bus"))
    }
}
