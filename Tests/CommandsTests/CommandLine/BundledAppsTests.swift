import Foundation
import TestSupport
import Testing

/// Every app in `jsapps/`, packed, installed and run headless.
@Suite(.blocking)
struct BundledAppsTests {
    static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: Binary.repository + "/jsapps"))?
        .sorted() ?? []

    @Test func `the bundled apps are found`() {
        #expect(
            Self.names == [
                "denied-demo", "external-hardware", "gait", "hello-sensors", "home", "load-watch",
                "probes", "trips", "wall", "workouts",
            ])
    }

    @Test(arguments: names)
    func `a bundled app packs to the same bytes twice, installs, runs and is removed`(
        name: String
    ) throws {
        let sandbox = try Sandbox()
        let folder = "\(Binary.repository)/jsapps/\(name)"
        let archives = [sandbox.path("a.zip"), sandbox.path("b.zip")]
        for archive in archives {
            #expect(try sandbox.nervous("pack", folder, "--output", archive).code == 0)
        }
        let bytes = try archives.map { try Data(contentsOf: URL(filePath: $0)) }
        #expect(bytes[0] == bytes[1])
        #expect(FileManager.default.fileExists(atPath: "\(folder)/README.md"))
        #expect(try sandbox.nervous("install", archives[0]).code == 0)
        #expect(try sandbox.nervous("apps").output.contains(name))
        let run = try sandbox.nervous("run", name, "--allow-all", "--for", "10s")
        #expect(run.code == 0, "\(run.errors)")
        #expect(!run.errors.contains("uncaught"))
        #expect(!run.output.isEmpty)
        #expect(try sandbox.nervous("uninstall", name).code == 0)
        #expect(!sandbox.installedFiles.contains { $0.hasPrefix(name) })
    }

    private static let tested = names.filter { name in
        let folder = "\(Binary.repository)/jsapps/\(name)"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains { $0.hasSuffix(".test.js") }
    }

    @Test func `apps with tests of their own are found`() {
        #expect(Self.tested == ["gait", "home", "probes", "trips", "wall", "workouts"])
    }

    @Test(arguments: tested)
    func `the tests of a bundled app pass`(name: String) throws {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous("test", "\(Binary.repository)/jsapps/\(name)")
        #expect(call.code == 0, "\(call.output)\(call.errors)")
    }

    @Test func `gait records three accelerometers at once`() throws {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous(
            "test", "\(Binary.repository)/jsapps/gait", "--filter", "G18", "--sensor",
            "accelerometer.left-ankle", "--sensor", "accelerometer.right-ankle", "--sensor",
            "accelerometer.hip")
        #expect(call.code == 0, "\(call.output)\(call.errors)")
    }

    @Test func `hello-sensors prints live readings and statistics`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous(
            "run", "\(Binary.repository)/jsapps/hello-sensors", "--allow-all")
        #expect(run.output.matches(of: /% busy/).count == 5)
        #expect(run.output.contains("GB in use"))
        #expect(run.output.contains("on average"))
        #expect(!run.output.contains("not available"))
    }

    @Test func `load-watch warns when the processor is busy`() throws {
        let sandbox = try Sandbox()
        let proc = sandbox.path("proc")
        try FileManager.default.createDirectory(atPath: proc, withIntermediateDirectories: true)
        // The counters of a fixture are constant: a host serves while the test changes them.
        try Self.busy(0, proc)
        let host = try ServingHost(sandbox, ["--proc-root", proc])
        #expect(try sandbox.nervous("sensors", "set", "cpu", "20ms").code == 0)
        let terminal = try sandbox.terminal(
            "run", "\(Binary.repository)/jsapps/load-watch", "--allow-all")
        try terminal.await("Watching the processor")
        var ticks = 0
        try waitUntil(otherwise: { terminal.text }) {
            ticks += 1000
            try Self.busy(ticks, proc)
            try? terminal.await("busier than 80 %\n", atMost: .milliseconds(50))
            return terminal.text.contains("busier than 80 %\n")
        }
        #expect(terminal.text.contains("100.0 %  busier than 80 %"))
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
        host.kill(SIGTERM)
    }

    private static func busy(_ ticks: Int, _ proc: String) throws {
        let line = "\(ticks) 0 0 1000 0 0 0 0 0 0"
        try "cpu  \(line)\ncpu0 \(line)\n".write(
            toFile: "\(proc)/stat", atomically: true, encoding: .utf8)
    }
}
