import Foundation
import GRDB
import TestSupport
import Testing

/// `nervous log` as text and as JSON.
@Suite(.blocking)
struct LogTests {
    private struct Verification: Decodable {
        let intact: Bool
        let lines: Int
        let cut: Int
        let head: String
        let expected: Bool?
        let line: Int?
    }

    private func verification(_ sandbox: Sandbox, _ words: String...) throws -> Verification {
        let call = try sandbox.nervous(["log", "--verify", "--json"] + words)
        #expect(call.errors.isEmpty)
        let found = try JSONDecoder().decode(Verification.self, from: Data(call.output.utf8))
        #expect(call.code == (found.intact ? 0 : 1))
        return found
    }

    /// Some entries of several kinds.
    private func fill(_ sandbox: Sandbox) throws {
        for words in [
            ["install", Binary.repository + "/jsapps/hello-sensors"],
            ["token", "create", "curl", "--allow", "sensor:cpu"],
            ["permissions", "deny", "curl", "sensor:cpu"], ["query", "load"],
        ] as [[String]] {
            #expect(try sandbox.nervous(words).code == 0)
        }
    }

    @Test func `the log contains apps, tokens, decisions and reads, and verifies`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("log", "--verify").code == 66)
        try fill(sandbox)
        let shown = try sandbox.nervous("log", "--owner").output
        for word in ["installed", "token-created", "granted", "denied", "allowed"] {
            #expect(shown.contains(word), "\(word) in \(shown)")
        }
        let kinds = try sandbox.nervous("log", "--kind", "denied", "--json").output
        #expect(kinds.contains(#""kind":"denied""#))
        #expect(!kinds.contains(#""kind":"granted""#))

        let text = try sandbox.nervous("log", "--verify")
        #expect(text.code == 0)
        let found = try verification(sandbox)
        #expect(text.output.contains("\(found.lines) entries intact, "))
        #expect(text.output.contains("Head: \(found.head)"))
        #expect(found.lines == 5)
        #expect(try sandbox.nervous("status", "--json").output.contains(found.head))
    }

    @Test func `entries are filtered by the type of their caller`() throws {
        let sandbox = try Sandbox()
        try fill(sandbox)
        let commands = try sandbox.nervous("log", "--client-kind", "command", "--json").output
        #expect(commands.contains(#""clientKind":"command""#))
        #expect(!commands.contains(#""kind":"granted""#))
        #expect(try sandbox.nervous("log", "--client-kind", "app").errors.contains("No entries"))
        let unknown = try sandbox.nervous("log", "--client-kind", "robot")
        #expect(unknown.code == 64 && unknown.errors.contains("dashboard"))
    }

    @Test func `the summary has what programs have read, without commands`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try sandbox.nervous("log", "--recent").errors.contains("No client has read"))
        let made = try sandbox.nervous(
            "token", "create", "curl", "--allow", "sensor:load", "--json")
        let token = try #require(made.output.firstMatch(of: /nvs_[A-Za-z0-9_-]+/)?.output)
        for sensor in ["load", "cpu"] {
            _ = try sandbox.curl(
                host.url("/api/v1/sensors/\(sensor)/samples"),
                "-H", "Authorization: Bearer \(token)")
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        // Another host makes a summary of its own.
        let shown = try sandbox.nervous("log", "--recent")
        #expect(shown.code == 0, "\(shown.errors)")
        let rows = shown.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(rows.first == ["CLIENT", "SAMPLES", "SENSORS", "REFUSALS", "REFUSED"])
        #expect(rows.last?.first == "curl" && rows.last?.suffix(2) == ["1", "cpu"])
        let json = try sandbox.nervous("log", "--recent", "--json").output
        #expect(json.hasPrefix(#"{"items":[{"client":"curl""#))
    }

    @Test func `an earlier head is found, and an unknown one is not`() throws {
        let sandbox = try Sandbox()
        try fill(sandbox)
        let head = try verification(sandbox).head
        #expect(try sandbox.nervous("permissions", "reset", "curl").code == 0)
        #expect(try verification(sandbox, "--expect", head).expected == true)
        let zeros = String(repeating: "0", count: 64)
        #expect(try verification(sandbox, "--expect", zeros).expected == false)
        let result = try sandbox.nervous("log", "--verify", "--expect", zeros)
        #expect(result.code == 1)
        #expect(result.errors.contains("rewritten or removed"))
    }

    @Test func `a changed entry is reported`() throws {
        let sandbox = try Sandbox()
        try fill(sandbox)
        let queue = try DatabaseQueue(path: "\(sandbox.data)/permissions.sqlite")
        try queue.write {
            try $0.execute(
                sql: """
                    DROP TRIGGER ledger_is_not_changed;
                    UPDATE ledger SET client = 'owner' WHERE id = 3
                    """)
        }
        let result = try sandbox.nervous("log", "--verify")
        #expect(result.code == 1)
        #expect(result.errors.contains("Entry 3 was changed"))
        #expect(try verification(sandbox).line == 3)
    }

    @Test func `old entries are pruned on request, and the rest still verifies`() throws {
        let sandbox = try Sandbox()
        try fill(sandbox)
        #expect(
            try sandbox.nervous("log", "--prune", "--before", "1h").output
                .contains("Deleted 0 entries."))
        let head = try verification(sandbox).head
        let cut = try sandbox.nervous("log", "--prune", "--before", "0s")
        #expect(cut.output.contains("Deleted 5 entries."))
        let found = try verification(sandbox, "--expect", head)
        #expect(found.cut == 5)
        #expect(found.lines == 1)
        #expect(found.expected == true)
    }

    @Test(arguments: [
        ("console.log('done')", ["run-began", "run-ended"], "finished"),
        (
            "for (;;) console.log('x'.repeat(16000))", ["run-began", "violation", "run-ended"],
            "budget-log"
        ),
    ])
    func `a run has an entry when it begins, ends and violates a rule`(
        script: String, kinds: [String], end: String
    ) throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("demo")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let manifest = #"{"name":"demo","version":"1"}"#
        for (name, text) in [
            ("package.json", manifest), ("app.js", script), ("app.html", "<p>demo</p>"),
        ] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        _ = try sandbox.nervous("run", folder)
        let queue = try DatabaseQueue(path: "\(sandbox.data)/permissions.sqlite")
        let lines = try queue.read {
            try Row.fetchAll(
                $0,
                sql: """
                    SELECT kind, detail FROM ledger
                    WHERE client = 'demo' AND kind <> 'installed' ORDER BY id
                    """)
        }
        #expect(lines.map { $0["kind"] as String } == kinds)
        let detail: String? = lines.last?["detail"]
        #expect(detail?.contains(": \(end)") == true, "\(detail ?? "")")
    }

    @Test func `a host that is stopped writes its counts`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let latest = host.url("/api/v1/sensors/cpu/latest")
        for _ in 1...20 { #expect(try sandbox.curl(latest).status == 401) }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let queue = try DatabaseQueue(path: "\(sandbox.data)/permissions.sqlite")
        let calls = try queue.read {
            try Int.fetchAll($0, sql: "SELECT calls FROM ledger WHERE kind = 'notice'")
        }
        // Two entries, or four if a minute ended meanwhile.
        #expect(calls.reduce(0, +) == 20)
        #expect(calls.count <= 4)
        let last = try queue.read {
            try String.fetchOne($0, sql: "SELECT kind FROM ledger ORDER BY id DESC LIMIT 1")
        }
        #expect(last == "host-stopped")
        #expect(try verification(sandbox).intact)
    }

    @Test(arguments: [
        ["--expect", "x", "--verify"], ["--expect", String(repeating: "0", count: 64)],
        ["--prune"], ["--before", "1d"], ["--prune", "--before", "yesterday"],
        ["--prune", "--before", "1d", "--verify"], ["--recent", "--verify"],
        ["--recent", "--refused"], ["--verify", "--client-kind", "app"],
    ])
    func `contradictory flags are a usage error`(words: [String]) throws {
        #expect(try Sandbox().nervous(["log"] + words).code == 64)
    }

    @Test func `a killed host leaves a valid log that records its start`() throws {
        let sandbox = try Sandbox()
        do {
            let host = try ServingHost(sandbox)
            let latest = host.url("/api/v1/sensors/cpu/latest")
            for _ in 1...20 { #expect(try sandbox.curl(latest).status == 401) }
            host.kill(SIGKILL)
            _ = try host.wait()
        }
        let found = try verification(sandbox)
        #expect(found.intact)
        // The start, and the first of the refusals; the other 19 were being counted.
        #expect(found.lines >= 2)
        let log = try sandbox.nervous("log", "--json").output
        #expect(log.contains(#""kind":"host-started""#))
        #expect(log.contains(#""kind":"notice""#))
        #expect(!log.contains(#""kind":"host-stopped""#))
    }
}
