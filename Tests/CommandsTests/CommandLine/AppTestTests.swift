import Foundation
import TestSupport
import Testing

/// `nervous test`: tests of apps in virtual time.
@Suite(.blocking)
struct AppTestTests {
    private static var manifest: [String: Any] {
        [
            "name": "demo", "version": "1",
            "privileges": [
                ["sensor": "cpu", "reason": "test"], ["sensor": "memory", "reason": "test"],
                ["sensor": "accelerometer", "reason": "test"],
                ["sensor": "battery", "access": "stats", "reason": "test"],
                ["sensor": "taps", "access": "write", "reason": "test"],
            ],
        ]
    }

    /// Runs tests of an app.
    private func test(
        _ tests: String, app: String = "", asks: [String]? = nil, words: [String] = [],
        _ more: String...
    ) throws -> Invocation {
        let sandbox = try Sandbox()
        var manifest = Self.manifest
        if let asks { manifest["privileges"] = asks }
        let folder = try sandbox.app(app, manifest: manifest)
        try tests.write(toFile: "\(folder)/app.test.js", atomically: true, encoding: .utf8)
        return try sandbox.nervous(["test", folder] + words + more)
    }

    private static let busy = """
        (async () => {
          setInterval(() => console.log("timer", Date.now(), Math.random()), 700);
          for await (const { t, x } of nervous.sensor("accelerometer").stream()) {
            const [cpu, memory] = await Promise.all(
              ["cpu", "memory"].map((id) => nervous.sensor(id).latest()));
            console.log(t, x, cpu.busy, memory.used);
          }
        })();
        (async () => {
          for await (const { t, busy } of nervous.sensor("cpu").stream()) {
            const { mean } = await nervous.sensor("cpu").stats({ last: "5s", fields: "busy" });
            console.log("cpu", t, busy, mean);
          }
        })();
        """

    @Test func `an app that asks for a kind gets its only simulated instance`() throws {
        let app = """
            nervous.sensor("accelerometer").latest().then(
              ({ x }) => console.log("x", x), ({ problem }) => console.log(problem));
            """
        let tests = """
            test("kind", async () => {
              await sensors.set("accelerometer", { x: 2 });
              await sensors.set("accelerometer.phone", { x: 3 });
              const { lines } = await app.run("2s");
              assert.equal(lines.at(-1)?.text, "x 3");
            });
            """
        let one = try test(tests, app: app, "--sensor", "accelerometer.phone")
        #expect(one.code == 0, "\(one.output)\(one.errors)")
        let two = try test(
            tests, app: app, "--sensor", "accelerometer.phone", "--sensor", "accelerometer.watch")
        #expect(two.code == 1)
        #expect(!two.output.contains("x 3\n"), "\(two.output)")
        for word in ["accelerometer", "unknown.phone", "Accelerometer.phone"] {
            let wrong = try test(tests, app: app, "--sensor", word)
            #expect(wrong.code == 64)
            #expect(wrong.errors.contains("--sensor takes an instance"), "\(wrong.errors)")
        }
    }

    @Test func `the same seed gives the same bytes, another seed different ones`() throws {
        let tests = """
            test("busy", async () => {
              const { lines } = await app.run("20s");
              assert.equal(lines.length, 0);
            });
            """
        let one = try test(tests, app: Self.busy, "--seed", "5", "--scenario", "walk", "--json")
        let again = try test(tests, app: Self.busy, "--seed", "5", "--scenario", "walk", "--json")
        let other = try test(tests, app: Self.busy, "--seed", "6", "--scenario", "walk", "--json")
        #expect(one.code == 1, "\(one.errors)")
        #expect(one.output == again.output)
        #expect(one.output.count > 10_000)
        #expect(one.output != other.output)
    }

    @Test func `hours of virtual time pass without waiting, and no sample is skipped`() throws {
        let run = try test(
            """
            test("an hour of seconds", async () => {
              const { lines } = await app.run("1h");
              assert.equal(lines.length, 3601);
              const times = lines.map(({ text }) => Number(text));
              assert.ok(times.every((time, index) => time === times[0] + index * 1000));
            });
            test("days of timers", async () => {
              const start = Date.now();
              for (let hour = 0; hour < 47; hour++) await clock.advance("1h");
              await clock.advance("3599999ms");
              await clock.advance(1);
              assert.equal(Date.now() - start, 48 * 3600e3);
              assert.equal(new Date(start).toISOString(), "2026-01-05T08:00:00.000Z");
            });
            """,
            app: """
                (async () => {
                  const memory = nervous.sensor("memory");
                  console.log((await memory.latest()).t);
                  for await (const { t } of memory.stream()) console.log(t);
                })();
                """, asks: ["memory"], "--limit", "2d")
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("  ok      an hour of seconds (1h)\n"))
        #expect(run.output.contains("  ok      days of timers (2d)\n"))
        #expect(run.output.contains("2 tests: 2 ok (room, seed 1)\n"))
    }

    @Test(arguments: [
        "for await (const sample of nervous.sensor('accelerometer').stream()) break;",
        """
        const stop = nervous.sensor("accelerometer").watch(() => {});
        await clock.advance("1s");
        stop();
        """,
    ])
    func `time passes after the app has ended a stream`(ending: String) throws {
        let result = try test(
            """
            test("after", async () => {
              \(ending)
              const before = Date.now();
              await clock.advance("2s");
              assert.equal(Date.now() - before, 2000);
              for await (const sample of nervous.sensor("cpu").stream()) break;
              await clock.advance("1s");
            });
            """)
        #expect(result.code == 0, "\(result.output)\(result.errors)")
    }

    @Test func `a failure contains its position and the difference`() throws {
        let run = try test(
            """
            test("equal", () => {
              assert.equal(1 + 1, 3);
            });
            test("deep", async () => {
              await null;
              assert.deepEqual({ a: [1, { b: "x" }] }, { a: [1, { b: "y" }] });
            });
            test("thrown", () => { throw new TypeError("mine"); });
            test.skip("later", () => {});
            test("fine", () => {});
            """)
        #expect(run.code == 1)
        #expect(
            run.output == """
                app.test.js
                  failed  equal
                          app.test.js:2:15: the values are not equal
                          expected  3
                          actual    2
                  failed  deep
                          app.test.js:6:19: the values are not equal
                          they differ at .a[1].b
                          expected  {a: [1, {b: "y"}]}
                          actual    {a: [1, {b: "x"}]}
                  failed  thrown
                          app.test.js:8:43: TypeError: mine
                  skipped later
                  ok      fine
                5 tests: 1 ok, 3 failed, 1 skipped (room, seed 1)

                """, "\(run.errors)")
    }

    struct Ending: CustomTestStringConvertible, Sendable {
        let test: String
        var app = ""
        var words: [String] = []
        let expected: String

        var testDescription: String { "\(test) \(app)" }
    }

    @Test(arguments: [
        Ending(test: "await new Promise(() => {})", expected: "it did not end"),
        Ending(test: "for (;;);", expected: "(budget turn"),
        Ending(test: "throw 'a text'", expected: "thrown: \"a text\""),
        Ending(
            test: "await app.run('1s')", app: "\nundefined.x",
            expected: "app.js:2:10: the app did not"),
        Ending(
            test: "await app.run('1s')", app: "setTimeout(() => { nowhere() }, 500)",
            expected: "nowhere"),
        Ending(test: "await app.run('1s')", app: "let = ;", expected: "SyntaxError"),
        Ending(test: "await app.run('soon')", expected: "\"soon\" is not a duration"),
        Ending(test: "await sensors.set('nothing', {})", expected: "no simulated sensor nothing"),
        Ending(test: "await sensors.set('cpu', { idle: 1 })", expected: "cpu has no field idle"),
        Ending(
            test: "await sensors.set('cpu', { busy: 'x' })", expected: "busy of cpu is a number"),
        Ending(test: "await sensors.play('dive')", expected: "no scenario dive"),
        Ending(test: "await permissions.deny('cpu')", expected: "cpu is not a privilege"),
        Ending(test: "assert.throws(() => {})", expected: "nothing was thrown"),
        Ending(test: "await assert.rejects(async () => 1)", expected: "nothing was thrown"),
        Ending(
            test: "assert.throws(() => { throw new Error('a') }, /b/)",
            expected: "another error was thrown"),
        Ending(test: "assert.match('abc', /x/)", expected: "the text does not match"),
        Ending(
            test: "await clock.advance('11m')", words: ["--limit", "10m"],
            expected: "it did not end"),
    ])
    func `an error is reported, and the next test runs`(ending: Ending) throws {
        let run = try test(
            "test('bad', async () => { \(ending.test) });\ntest('good', () => assert(true));",
            app: ending.app, words: ending.words)
        #expect(run.code == 1)
        #expect(run.output.contains("  failed  bad"), "\(run.output)\(run.errors)")
        #expect(run.output.contains(ending.expected), "\(run.output)")
        #expect(run.output.contains("  ok      good"), "\(run.output)")
    }

    @Test func `a file that is not a script fails with its position`() throws {
        let run = try test("test('a', () => {});\n\nlet = ;")
        #expect(run.code == 1)
        #expect(run.output.contains("app.test.js:3"), "\(run.output)")
        #expect(run.output.contains("SyntaxError"), "\(run.output)")
    }

    @Test func `a test sees the actions of the app`() throws {
        let run = try test(
            """
            test("all of it", async () => {
              const first = await app.run();
              assert.deepEqual(first.lines.map(({ level, text }) => [level, text]), [["warn", "up"]]);
              const { published, calls, exit, errors } = await app.run("3s");
              assert.deepEqual(published, { taps: [{ count: 1 }, { count: 2 }] });
              assert.deepEqual(calls.map(({ status }) => status), [201, 201]);
              assert.equal(exit, 7);
              assert.equal(errors.length, 1);
              assert.match(errors[0].message, /oops/);
              assert.equal(errors[0].place, "app.js:5:42");
            });
            test("statistics are not samples", async () => {
              await assert.rejects(nervous.sensor("battery").latest(), { name: "NotAllowedError" });
              await clock.advance("10m");
              const { count } = await nervous.sensor("battery").stats({ last: "10m" });
              assert.ok(count >= 1, String(count));
              await assert.rejects(nervous.sensor("location").latest(), /location/);
              await permissions.deny("sensor:cpu");
              await assert.rejects(nervous.sensor("cpu").latest(), DOMException);
              await permissions.statistics("sensor:memory");
              await assert.rejects(nervous.sensor("memory").latest(), /only statistics/);
            });
            test("sensors are set and reset", async () => {
              await sensors.set("cpu", { busy: 99 });
              assert.equal((await nervous.sensor("cpu").latest()).busy, 99);
              await clock.advance("5s");
              assert.equal((await nervous.sensor("cpu").latest()).busy, 99);
              await sensors.reset("cpu");
              assert.notEqual((await nervous.sensor("cpu").latest()).busy, 99);
              await sensors.play("vibration");
              await clock.advance("10s");
              const shaken = await nervous.sensor("accelerometer").stats({ last: "10s", fields: "z" });
              assert.ok(shaken.stddev > 0.8, String(shaken.stddev));
            });
            """,
            app: """
                console.warn("up");
                const taps = nervous.sensor("taps");
                setTimeout(() => taps.publish({ count: 1 }), 1000);
                setTimeout(() => taps.publish([{ count: 2 }]), 2000);
                setTimeout(() => Promise.reject(new Error("oops")), 2500);
                setTimeout(() => nervous.exit(7), 2600);
                setInterval(() => console.log("after the end"), 2700);
                """)
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `names of the app do not hide those of the test library`() throws {
        let run = try test(
            """
            import { half } from "./half.js";
            test("half", () => assert.equal(half(4), 2));
            """)
        #expect(run.code == 1)
        let hidden = try test(
            "test('runs', async () => { await app.run('1s'); assert.ok(sensors.set); });",
            app: "const app = 1, sensors = 2, assert = 3, test = 4, clock = 5;")
        #expect(hidden.code == 0, "\(hidden.output)")
    }

    @Test(arguments: [
        "export{};", "export default 1;\r", "export\tconst one = 1;", "import'./app.js';",
    ])
    func `a test file with a declaration import or export at the beginning of a line is a module`(
        declaration: String
    ) throws {
        let run = try test(
            "/* A comment. */\n\(declaration)\ntest('url', () => assert(import.meta.url));")
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test(arguments: ["\texport const", " import x", "imported", "exports = {}", "import("])
    func `a test file with import or export elsewhere is a script`(line: String) throws {
        let run = try test(
            """
            const text = `
            \(line)
            `;
            test('runs', async () => { await app.run('1s'); assert.ok(sensors.set); });
            """, app: "const sensors = 2;")
        #expect(run.code == 0, "\(run.output)\(run.errors)")
    }

    @Test func `tests are selected by name`() throws {
        let tests = "for (const name of ['one', 'two', 'twenty']) test(name, () => {});"
        let run = try test(tests, "--filter", "tw")
        #expect(run.output.contains("2 tests: 2 ok"))
        #expect(!run.output.contains("one"))
        let none = try test(tests, "--filter", "three")
        #expect(none.code == 66)
        #expect(none.errors.contains("No test name contains “three”."))
    }

    @Test func `the owner's data directory is unchanged`() throws {
        let sandbox = try Sandbox()
        let temporary = sandbox.path("tmp")
        mkdir(temporary, 0o700)
        let folder = try sandbox.app("console.log('x')", manifest: Self.manifest)
        try "test('a', async () => { await app.run('1m') });".write(
            toFile: "\(folder)/app.test.js", atomically: true, encoding: .utf8)
        let run = try Invocation(
            Binary.nervous, ["test", folder],
            environment: sandbox.environment.merging(["TMPDIR": temporary]) { $1 })
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: sandbox.data))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path("home")).isEmpty)
    }

    @Test(
        arguments: [
            (["/nowhere"], 66), (["--scenario", "dive"], 64), (["--limit", "soon"], 64),
            (["--scenario", "walk", "--replay", "x"], 64), (["--replay", "/nowhere"], 66),
        ] as [([String], Int32)])
    func `invalid options are rejected`(words: [String], code: Int32) throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app("", manifest: Self.manifest)
        try "test('a', () => {})".write(
            toFile: "\(folder)/app.test.js", atomically: true, encoding: .utf8)
        let words = words.first?.hasPrefix("/") == true ? words : [folder] + words
        #expect(try sandbox.nervous(["test"] + words).code == code)
    }
}
