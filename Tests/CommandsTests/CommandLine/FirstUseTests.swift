import Foundation
import TestSupport
import Testing

/// Nervousnet apps, which declare no privileges, at a terminal and in scripts.
@Suite(.blocking)
struct FirstUseTests {
    /// An axon whose script reads the processor twice, without declaring it.
    private static func app(_ sandbox: Sandbox) throws -> String {
        let folder = sandbox.path("Old-Demo-master")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let script = """
            (async () => {
              for (const turn of ["first", "second"]) {
                try {
                  await nervous.sensor("memory").latest();
                  console.log(turn, "allowed");
                } catch (error) {
                  console.log(turn, error.name, error.privilege, error.fix);
                }
              }
            })();
            """
        let manifest = #"{"name": "Old Demo", "version": "1"}"#
        for (name, text) in [
            "package.json": manifest, "axon.js": script, "axon.html": "<p>demo</p>",
        ] {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        return folder
    }

    @Test(arguments: [
        ("a", "first allowed", "second allowed"), ("o", "first allowed", "second allowed"),
        ("", "first NotAllowedError sensor:memory", "second NotAllowedError"),
        ("s", "first NotAllowedError", "second NotAllowedError"),
    ])
    func `the terminal asks once for each sensor, at its first use`(
        key: String, first: String, second: String
    ) throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", try Self.app(sandbox))
        try terminal.await("o/a/s/e/n/v/?> ")
        #expect(terminal.text.contains("old-demo"))
        #expect(terminal.text.contains("every sample of memory"))
        terminal.type(key + "\n")
        #expect(try terminal.finish() == 0)
        let confirmations = [
            "a": "always allowed", "o": "allowed for this run", "": "denied for this run",
            "s": "only statistics allowed",
        ]
        #expect(terminal.text.contains("memory: \(confirmations[key] ?? "")\n"))
        for line in [first, second] { #expect(terminal.text.contains(line), "\(terminal.text)") }
        #expect(terminal.text.matches(of: /Nervous asks you/).count == 1)
    }

    @Test func `without a terminal the call is refused, with a message`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("run", try Self.app(sandbox))
        #expect(run.code == 77)
        #expect(run.output.contains("first NotAllowedError sensor:memory"))
        #expect(run.output.contains("Ask the owner to allow sensor:memory."))
        #expect(run.errors.contains("old-demo needs sensor:memory, which is undecided."))
        #expect(run.errors.contains("nervous run old-demo --allow sensor:memory"))
        #expect(run.errors.matches(of: /which is undecided/).count == 1)
    }

    @Test(arguments: [
        (["--allow", "sensor:memory"], "first allowed", Int32(0)),
        (["--allow-all"], "first allowed", 0), (["--no-prompt"], "first NotAllowedError", 0),
        (["--deny", "sensor:memory"], "first NotAllowedError", 0),
    ])
    func `flags decide in a script`(flags: [String], line: String, code: Int32) throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous(["run", try Self.app(sandbox)] + flags)
        #expect(run.code == code, "\(run.errors)")
        #expect(run.output.contains(line))
    }

    @Test func `installing reports the name of the app and that it asks at first use`() throws {
        let sandbox = try Sandbox()
        let installed = try sandbox.nervous("install", try Self.app(sandbox))
        #expect(installed.code == 0)
        #expect(installed.output.contains("Installed old-demo 1."))
        #expect(installed.output.contains("published as Old Demo; here its name is old-demo"))
        #expect(installed.output.contains("asks for each sensor on first use"))
    }

    @Test func `the doctor reports missing libraries`() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #"{"libraries": "/nowhere"}"#.write(
            toFile: "\(folder)/config.json", atomically: true, encoding: .utf8)
        let missing = try sandbox.nervous("doctor", "libraries")
        for package in ["libjs-jquery", "libjs-leaflet", "libjs-chart.js"] {
            #expect(missing.output.contains("apt install \(package)"))
        }
        try FileManager.default.removeItem(atPath: "\(folder)/config.json")
        let fine = try sandbox.nervous("doctor", "libraries")
        #expect(!fine.output.contains("apt install"))
    }
}
