import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct ConsoleTests {
    @Test(arguments: [
        (#""plain", 1, -0, 2n, null, undefined, true"#, "plain 1 -0 2n null undefined true"),
        (#"{ a: 1, "b c": ["x", [2]] }"#, "{ a: 1, 'b c': [ 'x', [ 2 ] ] }"),
        (#"{ a: { b: { c: { d: { e: 1 } } } } }"#, "{ a: { b: { c: { d: [Object] } } } }"),
        ("[], {}, [,1], Symbol('s')", "[] {} [ <empty>, 1 ] Symbol(s)"),
        ("function f() {}, () => {}, class A {}", "[Function: f] [Function (anonymous)] [class A]"),
        ("new Map([['k', { a: 1 }]]), new Set([1])", "Map(1) { 'k' => { a: 1 } } Set(1) { 1 }"),
        (
            "new Date(0), /a/g, new Uint8Array(2)",
            "1970-01-01T00:00:00.000Z /a/g Uint8Array(2) [ 0, 0 ]"
        ),
        ("Object.create(null), new (class P { x = 1 })", "[Object: null prototype] {} P { x: 1 }"),
        ("{ get a() { return 1 } }", "{ a: [Getter] }"),
        (
            #""%s is %d, %i, %f, %j %% %c.", "x", "4.5", 4.9, "1.5e1", { a: 1 }, "css", "more""#,
            #"x is 4.5, 4, 15, {"a":1} % . more"#
        ),
        (#""%o", { a: 1 }"#, "{ a: 1 }"),
        (#""100%", 5"#, "100% 5"),
        ("(() => { const a = { n: 1 }; a.me = a; return a })()", "{ n: 1, me: [Circular] }"),
        ("new Proxy({}, { ownKeys() { throw 1 } })", "[object that cannot be shown]"),
        ("'lone \\ud800'", "lone \u{FFFD}"),
    ])
    func `console shows values as Node does`(arguments: String, line: String) throws {
        #expect(try RunOfApp("console.log(\(arguments))").lines == [line])
    }

    @Test func `an error is shown with its position`() throws {
        let lines = try RunOfApp(
            "function f() {\n  return new TypeError('no')\n}\nconsole.log(f())"
        ).lines
        #expect(
            lines == ["TypeError: no\n    at f (app.js:2:23)\n    at global code (app.js:4:14)"])
    }

    @Test func `each method has its level`() throws {
        let frames = try RunOfApp(
            "for (const l of ['debug', 'log', 'info', 'warn', 'error']) console[l](l)"
        ).frames
        #expect(
            frames == [
                .console(level: .debug, text: "debug"), .console(level: .log, text: "log"),
                .console(level: .info, text: "info"), .console(level: .warn, text: "warn"),
                .console(level: .error, text: "error"), .finished(code: 0),
            ])
    }

    @Test func `a long line is truncated with a note`() throws {
        let lines = try RunOfApp("console.log('ä'.repeat(20000))").lines
        #expect(lines.count == 1)
        #expect(lines[0].utf8.count < 17 << 10)
        #expect(lines[0].hasSuffix("… [11808 more characters]"))
    }

    @Test func `console prints counters, assertions, groups and tables`() throws {
        let lines = try RunOfApp(
            """
            console.count(); console.count("a"); console.count(); console.assert(true, "x");
            console.assert(1 > 2, "no %s", "way"); console.group("g"); console.log("in\\nside");
            console.groupEnd(); console.log("out"); console.table([{ a: 1 }, { a: "b" }]);
            """
        ).lines
        let table = """
            ┌─────────┬─────┐
            │ (index) │ a   │
            ├─────────┼─────┤
            │ 0       │ 1   │
            │ 1       │ 'b' │
            └─────────┴─────┘
            """
        #expect(
            lines == [
                "default: 1", "a: 1", "default: 2", "Assertion failed: no way", "g",
                "  in\n  side", "out", table,
            ])
    }
}
