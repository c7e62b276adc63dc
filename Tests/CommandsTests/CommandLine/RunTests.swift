import Foundation
import TestSupport
import Testing

/// Exit codes and messages of runs.
@Suite(.blocking)
struct RunTests {
    /// An app of one script.
    private func app(_ script: String, in sandbox: Sandbox) throws -> String {
        let folder = sandbox.path("demo")
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files = [
            "package.json":
                #"{"name":"demo","version":"1","privileges":[{"sensor":"cpu","reason":"test"}]}"#,
            "app.js": script, "app.html": "<p>demo</p>",
        ]
        for (name, text) in files {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        return folder
    }

    struct Ending: CustomTestStringConvertible, Sendable {
        let script: String
        let code: Int32
        let expected: String

        var testDescription: String { script }
    }

    @Test(arguments: [
        Ending(script: "console.log('done')", code: 0, expected: ""),
        Ending(script: "nervous.exit(7)", code: 7, expected: ""),
        Ending(script: "\n  undefined.x", code: 1, expected: "uncaught: app.js:2:"),
        Ending(script: "\n\nlet = ;", code: 1, expected: "uncaught: app.js:3"),
        Ending(
            script: "setTimeout(() => {\n throw new TypeError('late') }, 1)", code: 1,
            expected: "app.js:2:"),
        Ending(script: "Promise.reject(new Error('left'))", code: 1, expected: "left"),
        Ending(script: "for (;;);", code: 124, expected: "(budget turn"),
        Ending(
            script: "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))", code: 137,
            expected: "memory"),
        Ending(
            script: "console.log('\\u001b[2J\\u001b]0;owned\\u0007')", code: 0, expected: ""),
    ])
    func `a run exits with the code of its script, and reports errors`(ending: Ending) throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("run", app(ending.script, in: sandbox), "--allow-all")
        // With exhausted memory, the engine throws or crashes.
        let isMemory = ending.code == 137
        #expect(run.code == ending.code || isMemory && run.code == 1)
        let errors = run.errors.split(separator: "\n").filter { !$0.hasPrefix("Installed") }
        let isReported =
            ending.expected.isEmpty
            ? errors.isEmpty : errors.contains { $0.contains(ending.expected) }
        #expect(isReported || isMemory && run.code == 1)
        #expect(!run.errors.contains("\u{1B}"))
    }

    @Test func `a pipe gets the console as the app wrote it`() throws {
        let sandbox = try Sandbox()
        let script = #"""
            console.log(JSON.stringify({ a: 'x"y\\z', b: '\t\u00a0' }));
            console.log('a\tb');
            """#
        let run = try sandbox.nervous("run", app(script, in: sandbox), "--allow-all")
        #expect(run.output == #"{"a":"x\"y\\z","b":"\t"# + "\u{A0}\"}\na\tb\n", "\(run.errors)")
    }

    @Test(arguments: [
        ("America/New_York", "300 240 America/New_York\n"), ("UTC", "0 0 UTC\n"),
        (":Europe/Zurich", "-60 -120 Europe/Zurich\n"),
    ])
    func `an app sees dates in the time zone of the host`(zone: String, shown: String) throws {
        let sandbox = try Sandbox()
        let script = """
            const offset = (month) => new Date(Date.UTC(2024, month, 1)).getTimezoneOffset();
            console.log(offset(0), offset(6), Intl.DateTimeFormat().resolvedOptions().timeZone);
            """
        let environment = sandbox.environment.merging(["TZ": zone]) { $1 }
        let folder = try app(script, in: sandbox)
        for options in [[], ["--insecure-no-sandbox"]] {
            let run = try Invocation(
                Binary.nervous, ["run", folder, "--allow-all"] + options, environment: environment)
            #expect(run.output == shown, "\(run.errors)")
        }
    }

    @Test func `a revocation affects the next call of a run in a serving host`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try sandbox.nervous("sensors", "set", "cpu", "20ms").code == 0)
        let script = """
            (async () => {
              for await (const sample of nervous.sensor("cpu").stream()) console.log("got one");
            })().catch((error) => console.log(error.name));
            """
        let folder = try app(script, in: sandbox)
        #expect(try sandbox.nervous("install", folder).code == 0)
        #expect(try sandbox.nervous("permissions", "grant", "demo", "sensor:cpu").code == 0)
        let terminal = try sandbox.terminal("run", "demo")
        try terminal.await("got one")
        #expect(try sandbox.nervous("permissions", "deny", "demo", "sensor:cpu").code == 0)
        try terminal.await("NotAllowedError")
        #expect(try terminal.finish() == 0)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `an app cannot call other origins of the host`() throws {
        let sandbox = try Sandbox()
        let script = """
            (async () => {
              for (const url of ["http://127.0.0.1:1/", "http://localhost/api/v1/apps",
                                 "/api/v1/apps", "/api/v1/grants", "//evil/"]) {
                try {
                  const response = await fetch(url, { headers: { authorization: "Bearer x",
                                                                 host: "localhost" } });
                  console.log(url, response.status);
                } catch (error) { console.log(url, error.name); }
              }
            })();
            """
        let run = try sandbox.nervous("run", app(script, in: sandbox), "--allow-all")
        #expect(
            run.output == """
                http://127.0.0.1:1/ TypeError
                http://localhost/api/v1/apps TypeError
                /api/v1/apps 403
                /api/v1/grants 403
                //evil/ TypeError

                """)
    }

    @Test func `the events of a run are JSON lines`() throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous(
            "run", app("console.warn('hi')", in: sandbox), "--allow-all", "--json")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines.first?.contains(#""event":"started""#) == true)
        #expect(lines.first?.contains("seccomp") == true)
        let console = try #require(lines.dropFirst().first)
        #expect(console.hasPrefix(#"{"event":"console","level":"warn","text":"hi","time":1"#))
        #expect(lines.last?.contains(#""ending":{"#) == true)
    }

    @Test func `a run without confinement is marked as such, during and after it`() throws {
        let sandbox = try Sandbox()
        let folder = try app("console.log('up')", in: sandbox)
        let run = try sandbox.nervous("run", folder, "--allow-all", "--insecure-no-sandbox")
        #expect(run.code == 0)
        #expect(run.output == "up\n")
        #expect(run.errors.contains("warning: the app runs without confinement"))
        #expect(try sandbox.nervous("apps").output.contains("finished, not confined"))
        #expect(try sandbox.nervous("run", "demo", "--allow-all").code == 0)
        #expect(try !sandbox.nervous("apps").output.contains("not confined"))
    }

    @Test func `an app makes several calls at once, and gets an answer to each`() throws {
        let sandbox = try Sandbox()
        let script = """
            const sensor = "/api/v1/sensors";
            const calls = ["/cpu/samples", "/memory/samples", "/cpu/stream"]
              .map((path) => ({ path: sensor + path }));
            nervous.batch(calls.slice(0, 2)).then(
              (answers) => console.log(answers.map((one) => one.status).join()));
            nervous.batch(calls).catch((error) => console.log(error.problem));
            """
        let run = try sandbox.nervous("run", app(script, in: sandbox), "--allow-all")
        #expect(run.code == 0)
        #expect(Set(run.output.split(separator: "\n")) == ["200,403", "invalid-body"])
    }

    @Test func `a permission set decides what the app declares, and denials win`() throws {
        let sandbox = try Sandbox()
        try sandbox.configure(
            #"""
            {"permissionSets": {
                "watch": {"allow": ["sensor:cpu", "sensor:memory", "notify"]},
                "quiet": {"deny": ["sensor:cpu"]}
            }}
            """#)
        let script = """
            nervous.sensor("cpu").samples({ last: "1m" })
              .then(() => console.log("read"), (error) => console.log(error.problem));
            """
        let folder = try app(script, in: sandbox)
        for (options, output) in [
            (["-P", "watch"], "read\n"), (["-P", "watch", "-P", "quiet"], "denied\n"),
            (["-P", "quiet", "--allow", "sensor:cpu"], "denied\n"),
            (["--permission-set", "watch", "--no-prompt"], "read\n"),
        ] {
            let run = try sandbox.nervous(["run", folder] + options)
            #expect(run.code == 0 && run.output == output, "\(options): \(run.errors)")
        }
        let unknown = try sandbox.nervous("run", folder, "-P", "loud")
        #expect(unknown.code == 64 && unknown.errors.contains("quiet, watch"))
    }

    @Test func `the hint for what is undecided repeats the options that were given`() throws {
        let sandbox = try Sandbox()
        let app = Binary.repository + "/jsapps/hello-sensors"
        let run = try sandbox.nervous(
            "run", app, "--allow", "sensor:cpu", "--deny", "sensor:memory")
        #expect(run.code == 77)
        let hint =
            "nervous run hello-sensors --allow sensor:cpu --deny sensor:memory --allow sensor:load:stats"
        #expect(run.errors.contains(hint), "\(run.errors)")
    }
}
