import Foundation
import TestSupport
import Testing

/// Traces: recording them, reading damaged ones, and running apps on them.
@Suite(.blocking)
struct TraceTests {
    /// A trace of 11 seconds of processor load, a sample a second.
    private static let lines =
        [
            #"{"format":"nervous-trace","sensors":[{"fields":[{"kind":"number","name":"busy","unit":"%"}],"id":"cpu","title":"Processor load"}],"start":1700000000000,"version":1}"#
        ]
        + (0...10).map { second in
            #"{"sensor":"cpu","t":\#(1_700_000_000_000 + second * 1000),"values":[\#(second * 10)]}"#
        } + [#"{"end":1700000010500,"samples":11}"#]

    private static let script = """
        (async () => {
          console.log((await nervous.sensor("cpu").latest()).busy, new Date().toISOString());
          for await (const { t, busy } of nervous.sensor("cpu").stream()) {
            const { max } = await nervous.sensor("cpu").stats({ last: "1m", fn: "max" });
            console.log(busy, Date.now() - t, max);
          }
        })();
        """

    private static let expected =
        (["0 2023-11-14T22:13:20.000Z"] + (1...10).map { "\($0 * 10) 0 \($0 * 10)" })
        .joined(separator: "\n") + "\n"

    private func write(_ lines: [String], in sandbox: Sandbox) throws -> String {
        let path = sandbox.path("a.trace")
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func `an app gets the samples of a trace as recorded`() throws {
        let sandbox = try Sandbox()
        let trace = try write(Self.lines, in: sandbox)
        let folder = try sandbox.app(Self.script)
        for speed in ["max", "20x"] {
            let run = try sandbox.nervous(
                "run", folder, "--allow-all", "--replay", trace, "--speed", speed)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output == Self.expected)
        }
        // Installed apps are unchanged, and nothing was stored.
        #expect(sandbox.installedFiles.isEmpty)
        #expect(try sandbox.nervous("install", folder).code == 0)
        let installed = try sandbox.nervous(
            "run", "demo", "--allow-all", "--replay", trace, "--speed", "max", "--for", "3s")
        #expect(installed.output.split(separator: "\n").count == 3, "\(installed.errors)")
    }

    @Test func `a replay that fails leaves no temporary files`() throws {
        let sandbox = try Sandbox()
        let temporary = sandbox.path("tmp")
        mkdir(temporary, 0o700)
        let trace = try write(Self.lines, in: sandbox)
        let folder = try sandbox.app(Self.script)
        // Root could write to read-only folders.
        let words =
            (geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override"] : []) + [
                Binary.nervous, "run", folder, "--replay", trace, "--allow", "sensor:memory",
            ]
        let run = try Invocation(
            words[0], Array(words.dropFirst()),
            environment: sandbox.environment.merging(["TMPDIR": temporary]) { $1 })
        #expect(run.code == 64, "\(run.errors)")
        #expect(run.errors.contains("Installed demo 1."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
    }

    @Test func `tests run on a trace`() throws {
        let sandbox = try Sandbox()
        let trace = try write(Self.lines, in: sandbox)
        let folder = try sandbox.app(Self.script)
        try """
        test("all of it", async () => {
          const { lines } = await app.run("1m");
          assert.equal(lines.length, 11);
          await assert.rejects(sensors.set("cpu", { busy: 1 }), /recorded/);
        });
        """.write(toFile: "\(folder)/app.test.js", atomically: true, encoding: .utf8)
        let run = try sandbox.nervous("test", folder, "--replay", trace)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `a recording can be replayed`() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("b.trace")
        let record = try sandbox.nervous("record", "memory", "load", "--for", "4s", "-o", path)
        #expect(record.code == 0, "\(record.errors)")
        #expect(try sandbox.nervous("record", "memory", "--last", "1h").output.contains("\"end\""))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let times = text.split(separator: "\n").filter { $0.hasPrefix(#"{"sensor":"memory""#) }
        #expect((1...6).contains(times.count))
        let manifest: [String: Any] = [
            "name": "demo", "version": "1", "privileges": ["memory", "load"],
        ]
        let folder = try sandbox.app(
            """
            (async () => {
              const memory = nervous.sensor("memory");
              let count = (await memory.samples({ from: 0 })).length;
              console.log(count);
              for await (const sample of memory.stream()) console.log(++count);
            })();
            """, manifest: manifest)
        let run = try sandbox.nervous(
            "run", folder, "--allow-all", "--replay", path, "--speed", "max")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.split(separator: "\n").last == "\(times.count)")
    }

    struct Damage: CustomTestStringConvertible, Sendable {
        let name: String
        let lines: [String]
        let expected: String

        var testDescription: String { name }
    }

    private static func changed(_ line: Int, _ text: String?) -> [String] {
        var lines = lines
        if let text { lines[line - 1] = text } else { lines.remove(at: line - 1) }
        return lines
    }

    @Test(arguments: [
        Damage(name: "empty", lines: [], expected: "a.trace:1: "),
        Damage(name: "cut", lines: Array(lines.prefix(5)), expected: "is truncated after line 5"),
        Damage(name: "no JSON", lines: changed(4, "{\"sensor\":"), expected: "a.trace:4: "),
        Damage(name: "other format", lines: changed(1, "{}"), expected: "a.trace:1: "),
        Damage(
            name: "other version",
            lines: changed(1, #"{"format":"nervous-trace","version":2}"#), expected: "a.trace:1: "),
        Damage(
            name: "other sensor",
            lines: changed(3, #"{"sensor":"load","t":1700000001000,"values":[1]}"#),
            expected: "a.trace:3: "),
        Damage(
            name: "too many values",
            lines: changed(3, #"{"sensor":"cpu","t":1700000001000,"values":[1,2]}"#),
            expected: "a.trace:3: cpu must have 1 values"),
        Damage(
            name: "a text for a number",
            lines: changed(3, #"{"sensor":"cpu","t":1700000001000,"values":["1"]}"#),
            expected: "a.trace:3: busy of cpu is not of kind number"),
        Damage(
            name: "back in time",
            lines: changed(5, #"{"sensor":"cpu","t":1700000000500,"values":[1]}"#),
            expected: "a.trace:5: the sample is older than the previous one of cpu"),
        Damage(
            name: "a line lost", lines: changed(6, nil),
            expected: "a.trace:12: the number of samples is not"),
        Damage(
            name: "more behind the end", lines: lines + [lines[1]],
            expected: "a.trace:14: text after the last line"),
        Damage(
            name: "ends too soon", lines: changed(13, #"{"end":1700000000000,"samples":11}"#),
            expected: "a.trace:13: the end is before the last sample"),
    ])
    func `a damaged trace is rejected with the invalid line`(damage: Damage) throws {
        let sandbox = try Sandbox()
        let trace = try write(damage.lines, in: sandbox)
        let folder = try sandbox.app(Self.script)
        let run = try sandbox.nervous("run", folder, "--allow-all", "--replay", trace)
        #expect(run.code == 65, "\(run.errors)")
        #expect(run.errors.contains(damage.expected), "\(run.errors)")
        #expect(run.errors.contains("hint: "))
    }

    @Test func `a trace without its last line break is truncated`() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("a.trace")
        try Self.lines.joined(separator: "\n").write(
            toFile: path, atomically: true, encoding: .utf8)
        let run = try sandbox.nervous("run", sandbox.app(""), "--replay", path)
        #expect(run.code == 65)
        #expect(run.errors.contains("is truncated after line 12"))
    }

    @Test(arguments: [
        ["record"], ["record", "cpu"], ["record", "cpu", "--for", "1m", "--last", "1m"],
        ["record", "cpu", "cpu", "--for", "1s"], ["record", "cpu", "--for", "soon"],
        ["record", "cpu", "--for", "1s", "--json"],
    ])
    func `invalid options are rejected`(words: [String]) throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous(words).code == 64)
    }
}
