import Foundation
import TestSupport
import Testing

/// `nervous doctor` on this machine, with valid and with damaged data.
@Suite(.blocking)
struct DoctorTests {
    private struct Report: Decodable {
        struct Finding: Decodable {
            let check: String
            let state: String
            let message: String
            let fix: String?
            let figures: [String: Int]?
        }

        let ok: Bool
        let findings: [Finding]

        func of(_ check: String) -> [Finding] { findings.filter { $0.check == check } }
        var broken: [Finding] { findings.filter { $0.state == "broken" } }
    }

    private func doctor(_ sandbox: Sandbox, _ checks: String...) throws -> Report {
        let call = try sandbox.nervous(["doctor", "--json"] + checks)
        #expect(call.errors.isEmpty)
        let report = try JSONDecoder().decode(Report.self, from: Data(call.output.utf8))
        #expect(call.code == (report.ok ? 0 : 1))
        #expect(report.ok == report.broken.isEmpty)
        return report
    }

    @Test func `a working machine passes, with an empty data directory and with a running host`()
        throws
    {
        let sandbox = try Sandbox()
        let empty = try doctor(sandbox)
        #expect(empty.ok)
        #expect(!FileManager.default.fileExists(atPath: sandbox.data))
        let escapes = try #require(empty.of("escapes").first?.figures)
        #expect(escapes["blocked"] == escapes["total"])
        #expect(try #require(escapes["total"]) >= 100)
        let layers = empty.of("confinement").map { $0.message.prefix { $0 != ":" && $0 != " " } }
        for layer in ["process", "no_new_privs", "capabilities", "landlock", "memory", "seccomp"] {
            #expect(layers.contains(layer[...]))
        }

        let host = try ServingHost(sandbox)
        let report = try doctor(sandbox, "host", "data", "databases", "access-log", "confinement")
        #expect(report.ok)
        #expect(report.of("host").contains { $0.message.contains("process \(host.pid) ") })
        #expect(report.of("host").contains { $0.message == "the host serves on port \(host.port)" })
        #expect(report.of("data").contains { $0.message == "process \(host.pid) uses it" })
        #expect(report.of("databases").map(\.state) == Array(repeating: "fine", count: 6))
        #expect(report.of("access-log").first?.message.hasSuffix("entries intact") == true)
        // The host itself finds the same.
        let token = try sandbox.nervous("token", "create", "desk", "--owner").output
            .trimmingCharacters(in: .newlines)
        let answer = try sandbox.curl(
            "-H", "Authorization: Bearer \(token)", host.url("/api/v1/doctor"))
        #expect(answer.status == 200)
        let own = try JSONDecoder().decode(Report.self, from: Data(answer.body.utf8))
        #expect(own.ok)
        #expect(own.of("confinement").map(\.message) == report.of("confinement").map(\.message))
        #expect(own.of("data").contains { $0.message == "process \(host.pid) uses it" })
        #expect(own.of("escapes").isEmpty && own.of("databases").isEmpty)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `each missing kind of sensor is reported, with its remedy`()
        throws
    {
        let sandbox = try Sandbox()
        let report = try doctor(sandbox, "sensors")
        let findings = report.of("sensors")
        // No test machine has all of these.
        for kind in [
            "location", "proximity", "mqtt", "bluetooth", "session", "lid", "orientation",
            "geoclue",
        ] {
            #expect(findings.contains { $0.state == "note" && $0.message.hasPrefix("\(kind): ") })
        }
        let location = try #require(findings.first { $0.message.hasPrefix("location: ") })
        #expect(location.fix == "sudo apt-get install gpsd")
        #expect(findings.contains { $0.state == "fine" && $0.message.contains("cpu") })
    }

    @Test(.enabled(if: PrivateDesktop.isInstalled, "python3-dbusmock is not installed"))
    func `missing requirements of Bluetooth are reported, one after the other`() throws {
        let bus = try PrivateBus()
        let sandbox = try Sandbox(systemBus: bus.address)
        func bluetooth(_ sandbox: Sandbox) throws -> Report.Finding {
            try #require(
                try doctor(sandbox, "sensors").findings.first {
                    $0.message.hasPrefix("bluetooth: ")
                })
        }
        let alone = try bluetooth(try Sandbox())
        #expect(alone.message.hasPrefix("bluetooth: the system bus cannot be reached: "))
        let absent = try bluetooth(sandbox)
        #expect(absent.message == "bluetooth: BlueZ is not running.")
        #expect(absent.fix?.hasSuffix("sudo systemctl enable --now bluetooth") == true)
        try bus.start(["-m", "dbusmock", "--session", "-t", "bluez5"], until: "org.bluez")
        let bare = try bluetooth(sandbox)
        #expect(bare.message == "bluetooth: no adapter found.")
        #expect(bare.fix == "plug one in, then: bluetoothctl list")
        let mock = ["--dest", "org.bluez", "--object-path"]
        try bus.call(mock + ["/", "--method", "org.bluez.Mock.AddAdapter", "hci0", "machine"])
        let adapter = mock + ["/org/bluez/hci0", "--method", "org.freedesktop.DBus.Properties.Set"]
        for (isOn, message) in [(false, "the adapter hci0 is off."), (true, "hci0 is on")] {
            try bus.call(adapter + ["org.bluez.Adapter1", "Powered", "<\(isOn)>"])
            let found = try bluetooth(sandbox)
            #expect(found.message == "bluetooth: \(message)")
            #expect(found.state == (isOn ? "fine" : "note"))
            #expect(found.fix == (isOn ? nil : "rfkill unblock bluetooth && bluetoothctl power on"))
        }
    }

    @Test func `a fault is reported, with the command that fixes it`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load").code == 0)
        let permissions = "\(sandbox.data)/permissions.sqlite"
        chmod(sandbox.data, 0o750)
        chmod(permissions, 0o644)
        // The header of the second page.
        let samples = try #require(FileHandle(forUpdatingAtPath: "\(sandbox.data)/samples.sqlite"))
        try samples.seek(toOffset: 4096)
        try samples.write(contentsOf: Data(repeating: 0xA5, count: 200))
        try samples.close()
        let report = try doctor(sandbox, "data", "databases")
        #expect(!report.ok)
        let data = report.of("data").filter { $0.state == "broken" }
        #expect(data.map(\.fix) == ["chmod 700 '\(sandbox.data)'", "chmod 600 '\(permissions)'"])
        let damaged = report.broken.filter { $0.check == "databases" }
        #expect(damaged.count == 1)
        #expect(damaged.first?.message.hasPrefix("samples.sqlite ") == true)
        #expect(damaged.first?.fix != nil)
        let shown = try sandbox.nervous("doctor", "data")
        #expect(shown.code == 1)
        #expect(shown.output.contains("→ chmod 700 '\(sandbox.data)'"))
        #expect(shown.output.contains("checks failed."))
    }

    @Test func `a changed entry of the access log is reported`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("query", "load").code == 0)
        let edit = try Invocation(
            "/usr/bin/env",
            [
                "python3", "-c",
                """
                import sqlite3, sys
                with sqlite3.connect(sys.argv[1]) as file:
                    file.execute("DROP TRIGGER ledger_is_not_changed")
                    file.execute("UPDATE ledger SET count = 0, client = 'nobody'")
                """, "\(sandbox.data)/permissions.sqlite",
            ], environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"])
        #expect(edit.code == 0, "\(edit.errors)")
        let report = try doctor(sandbox, "data", "databases", "access-log")
        #expect(report.broken.map(\.check) == ["access-log"])
    }

    @Test(arguments: [
        (nil, "is not installed beside"), ("echo 9.9.9", "has version 9.9.9, but nervous has"),
        ("exit 3", "does not report its version"), ("kill -9 $$", "does not report its version"),
    ])
    func `a runner that is missing or of another version is reported`(
        script: String?, message: String
    ) throws {
        let sandbox = try Sandbox()
        let folder = try elsewhere(sandbox)
        if let script { try Script.write(script, to: "\(folder)/nervous-runner") }
        let call = try Invocation(
            "\(folder)/nervous", ["doctor", "--json"], environment: sandbox.environment)
        #expect(call.code == 1)
        let report = try JSONDecoder().decode(Report.self, from: Data(call.output.utf8))
        let programs = report.of("programs").first { $0.message.contains(message) }
        #expect(programs?.state == "broken")
        #expect(programs?.fix?.isEmpty == false)
        if script != nil {
            #expect(report.of("confinement").map(\.state) == ["broken"])
            #expect(report.of("escapes").allSatisfy { $0.state == "broken" })
        }
    }

    @Test func `a successful escape, and a forged runner, do not pass`() throws {
        let sandbox = try Sandbox()
        let folder = try elsewhere(sandbox)
        // It lists three escapes, and dies of another signal, ends silently, or does nothing.
        let runner = """
            case "$1 $2" in
            "--version ") echo 0.1.0 ;;
            "--probes ") printf 'one\\tfiles\\t0\\ntwo\\tfiles\\t0\\nthree\\tfiles\\t38\\n' ;;
            "--probe one") kill -9 $$ ;;
            "--probe two") exit 0 ;;
            "--probe three") kill -31 $$ ;;
            esac
            """
        try Script.write(runner, to: "\(folder)/nervous-runner")
        let call = try Invocation(
            "\(folder)/nervous", ["doctor", "--json"], environment: sandbox.environment)
        #expect(call.code == 1)
        let report = try JSONDecoder().decode(Report.self, from: Data(call.output.utf8))
        let escapes = report.of("escapes")
        #expect(escapes.first?.figures == ["blocked": 0, "total": 3])
        for name in ["one", "two", "three"] {
            #expect(escapes.contains { $0.message.hasPrefix("\(name) ") }, "\(name)")
        }
    }

    @Test func `an unknown check is a usage error`() throws {
        let call = try Sandbox().nervous("doctor", "weather")
        #expect(call.code == 64)
        #expect(call.errors.contains("kernel, programs, headless, confinement"))
    }

    /// A folder that contains only `nervous`.
    private func elsewhere(_ sandbox: Sandbox) throws -> String {
        let folder = sandbox.path("bin")
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            try manager.linkItem(atPath: Binary.nervous, toPath: "\(folder)/nervous")
        } catch {
            // Built on another file system. Another process writes the copy, as for a `Script`.
            let copy = try Invocation(
                "/usr/bin/install", ["-m", "755", Binary.nervous, "\(folder)/nervous"],
                environment: [:])
            try #require(copy.code == 0, "\(copy.errors)")
        }
        return folder
    }

    @Test func `both programs have the same version`() throws {
        let runner = try Invocation(
            BuiltProgram.folder + "/nervous-runner", ["--version"], environment: [:])
        let host = try Invocation(Binary.nervous, ["--version"], environment: [:])
        #expect(runner.code == 0)
        #expect(runner.output == host.output)
    }
}
