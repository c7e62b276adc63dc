import Foundation
import TestSupport
import Testing

/// The use of the configuration file and the log format by commands and the host.
@Suite(.blocking)
struct ConfigurationFileTests {
    @Test func `a budget of the configuration ends the app, and both are shown`() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Data(#"{"budgets": {"apps": {"demo": {"turnCPUMilliseconds": 250}}}}"#.utf8)
            .write(to: URL(filePath: folder + "/config.json"))
        let package = sandbox.path("demo.zip")
        try Data(try sandbox.package(script: "for (;;);")).write(to: URL(filePath: package))
        let run = try sandbox.nervous("run", package)
        #expect(run.code == 124)
        #expect(run.errors.contains("budget turn-cpu"), "\(run.errors)")
        let shown = try sandbox.nervous("apps", "demo").output
        #expect(shown.contains("turn-cpu          0.25 s"), "\(shown)")
        #expect(shown.contains("last run: budget-turn-cpu"), "\(shown)")
    }

    @Test func `the file is read by every command and by the host`() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        func configure(_ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: folder + "/config.json"))
        }
        let package = sandbox.path("demo.zip")
        try Data(try sandbox.package()).write(to: URL(filePath: package))
        try configure(#"{"packages": {"entries": 3}}"#)
        let many = try sandbox.nervous("install", package)
        #expect(many.code == 65)
        #expect(many.errors.contains("4 entries; 3 are allowed"), "\(many.errors)")
        try configure(#"{"packages": {"depth": 2}}"#)
        #expect(try sandbox.nervous("install", package).code == 0)
        try configure(#"{"packages": {"dept": 2}}"#)
        for command in [["install", package], ["apps"], ["serve", "--port", "0"]] {
            let wrong = try sandbox.nervous(command)
            #expect(wrong.code == 78)
            #expect(wrong.errors.contains("config.json:1:15: “dept” is not a setting of packages"))
        }
    }

    @Test func `status and storage show the budget of the access log`() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try Data(#"{"accessLog": {"budgetMiB": 3}}"#.utf8)
            .write(to: URL(filePath: folder + "/config.json"))
        let status = try sandbox.nervous("status", "--json").output
        #expect(status.contains(#""budget":3145728"#), "\(status)")
        for command in ["status", "storage"] {
            let shown = try sandbox.nervous(command).output
            #expect(shown.contains(/Access log: [0-9.]+ [a-zA-Z]+, budget 3\.1 MB/), "\(shown)")
        }
    }

    private struct LogLine: Decodable {
        let message: String
    }

    @Test func `a serving host writes JSON on standard error with --log-format json`() throws {
        let sandbox = try Sandbox()
        let log = sandbox.path("log")
        let host = try ServingHost(sandbox, ["--log-format", "json"], errors: log)
        #expect(try sandbox.curl(host.url("/api/v1/me")).status == 401)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        let messages = try lines.map {
            try JSONDecoder().decode(LogLine.self, from: Data($0.utf8)).message
        }
        #expect(messages.contains { $0.hasPrefix("refused: The call has no token.") })
    }
}
