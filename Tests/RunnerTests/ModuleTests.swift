import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct ModuleTests {
    static let library = [
        "lib/a.js": """
        import { who } from "./b.js";
        export { who } from "./b.js";
        export * from "./c.js";
        export let count = 1;
        export function inc() { count++; }
        export default function () { return "default " + who(); }
        console.log("a runs", who());
        """,
        "lib/b.js": """
        import { inc } from "./a.js";
        export function who() { return "b knows a " + typeof inc; }
        export default class Thing {}
        console.log("b runs");
        """,
        "lib/c.js": "export const see = 1, { q, w: [e] } = { q: 2, w: [3] };",
        "lib/bad.js": "import { nope } from './c.js';",
        "lib/broken.js": "let a;\n\nlet b = ;",
        "lib/throws.js": "export {};\nnull.x;",
        "lib/slow.js":
            "export const late = await new Promise((done) => setTimeout(done, 20, 'late'));",
    ]

    private func run(_ source: String) throws -> PageRun {
        try PageRun(Self.library.merging(["app.js": source]) { $1 }, runsPage: false)
    }

    @Test func `a module imports files of its package, cyclically, with live bindings`() throws {
        let run = try run(
            """
            import def, { count, inc as more } from "./lib/a.js";
            import * as all from "/lib/a.js";
            console.log(def(), count, all.count, Object.keys(all).join());
            more();
            console.log(count, all.count, all[Symbol.toStringTag], import.meta.url);
            try { count = 5 } catch (error) { console.log(error.name) }
            (function () { const count = 9; console.log(count, this) })();
            export const unused = 1;
            """)
        #expect(
            run.lines == [
                "b runs", "a runs b knows a function",
                "default b knows a function 1 1 count,default,e,inc,q,see,who",
                "2 2 Module http://my-app.localhost/app.js", "TypeError", "9 undefined",
            ])
        #expect(run.calls.count == 3)
        #expect(run.run.end == .exit(0))
    }

    @Test func `top-level await delays the modules that import it`() throws {
        let run = try run(
            """
            import { late } from "./lib/slow.js";
            console.log(late, await Promise.resolve("now"));
            const { default: Thing, who } = await import("./lib/b.js");
            console.log(Thing.name, who());
            for await (const part of (async function* () { yield 1 })()) console.log(part);
            """)
        #expect(
            run.lines == [
                "late now", "a runs b knows a function", "b runs", "Thing b knows a function", "1",
            ])
    }

    @Test func `a script can import when it runs`() throws {
        let run = try run(
            "var text = 'import (x)'; import('./lib/c.js').then((c) => console.log(c.e, text))")
        #expect(run.lines == ["3 import (x)"])
    }

    @Test(arguments: [
        (
            "import('./lib/none.js')",
            "TypeError: The module lib/none.js, imported by app.js:1, is missing: the host answered 404."
        ),
        ("import('./lib/bad.js')", "SyntaxError: lib/bad.js: \"./c.js\" has no export \"nope\""),
        (
            "import('jquery')",
            "TypeError: \"jquery\" in app.js:1 is not a URL: begin it with ./, ../ or /."
        ),
        (
            "import('http://example.org/x.js')",
            "TypeError: The module http://example.org/x.js, imported by app.js:1, is missing: an app can load only files of its own package and of the host."
        ),
    ])
    func `an invalid import is rejected with the reason`(call: String, message: String) throws {
        let run = try run("\(call).catch((error) => console.log(String(error)))")
        #expect(run.lines == [message])
    }

    @Test(arguments: [
        ("import './lib/broken.js'", "lib/broken.js:3:9", "SyntaxError"),
        ("import './lib/throws.js'", "lib/throws.js:2:5", "TypeError"),
        ("import { see } from './lib/c.js';\n\nnull.x", "app.js:3:5", "TypeError"),
        ("import { see } from './lib/c.js'; null.x", "app.js:1:39", "TypeError"),
        ("import { see } from './lib/c.js';\nlet see;", "app.js:2:5", "SyntaxError"),
        ("await 0;\nnull.x", "app.js:2:5", "TypeError"),
        ("export const a = 1;\nlet a = ;", "app.js:2:5", "SyntaxError"),
        ("let a;\nlet a;", "app.js:2:5", "SyntaxError"),
        ("let a = 'import';\nlet b = ;", "app.js:2:9", "SyntaxError"),
        ("\n\nfunction f() { return 1 + ; }", "app.js:3:27", "SyntaxError"),
        ("let x;\n  import y from './none.js';", "app.js:2:3", "TypeError"),
        ("import { see, no } from './lib/c.js';", "app.js:1:1", "SyntaxError"),
    ])
    func `errors have the file, line and column of the source`(
        source: String, location: String, name: String
    ) throws {
        let run = try run(source)
        let error = try #require(run.errors.first)
        #expect(run.errors.count == 1)
        #expect("\(error.file):\(error.line):\(error.column)" == location)
        #expect(error.message.hasPrefix(name))
        #expect(run.run.end == .exit(1))
    }

    @Test(arguments: [
        ("({ a: 1 });", "object"), ("(f);\nfunction f() {}", "function f"),
        ("(function () {})", "function default"), ("(class {});", "function default"),
        ("(1, 2)", "number"), ("/* ( */ (function named() {})", "function named"),
        ("function () {}", "function default"), ("class {}\n[1].length", "function default"),
        ("async function* () {}", "function default"), ("() => 0", "function default"),
        ("class { static name = 'own' }", "function own"), ("class Named {}", "function Named"),
        ("[]\n;(0)", "object"), ("await (async () => 5)()", "number"),
        ("// (\n  (function () {})", "function default"),
    ])
    func `a default export is any expression, and has the name default if it has no other`(
        export: String, shown: String
    ) throws {
        let run = try PageRun(
            [
                "app.js": """
                import it from "./it.js";
                console.log(typeof it + (typeof it === "function" ? " " + it.name : ""));
                """, "it.js": "export default \(export)",
            ], runsPage: false)
        #expect(run.lines == [shown], "\(run.errors)")
    }

    @Test func `a default function is hoisted, a default class is not`() throws {
        let files = [
            "one.js": "import two from './two.js'; export default function () { return two.name }",
            "two.js": """
            import one, * as all from './one.js';
            console.log(one.name);
            export default class {}
            """,
            "three.js": """
            import * as own from './three.js';
            try { own.default } catch (error) { console.log(error.name) }
            export default class {}
            """,
            "app.js": "import one from './one.js'; import './three.js'; console.log(one())",
        ]
        let run = try PageRun(files, runsPage: false)
        #expect(run.lines == ["default", "ReferenceError", "default"], "\(run.errors)")
    }

    @Test func `a namespace has live values, and its uninitialised bindings throw`() throws {
        let run = try run(
            """
            import * as all from "./lib/a.js";
            import * as own from "./app.js";
            const fails = (body) => { try { body(); return "no error" } catch (error) { return error.name } };
            console.log(fails(() => own.late), fails(() => Object.keys(own)), "late" in own);
            console.log(JSON.stringify(Object.getOwnPropertyDescriptor(all, "count")));
            all.inc();
            console.log(all.count, Reflect.set(all, "count", 5), fails(() => { all.count = 5 }));
            console.log(Reflect.defineProperty(all, "count", { value: 2 }),
              Reflect.defineProperty(all, "count", { value: 3 }), Reflect.deleteProperty(all, "count"),
              Reflect.deleteProperty(all, "none"), Object.isExtensible(all), Object.getPrototypeOf(all));
            export let late = 1;
            console.log(own.late);
            """)
        #expect(
            run.lines.dropFirst(2) == [
                "ReferenceError ReferenceError true",
                #"{"value":1,"writable":true,"enumerable":true,"configurable":false}"#,
                "2 false TypeError", "true false false true false null", "1",
            ], "\(run.errors)")
    }

    @Test func `a module that waits does not delay those that do not import it`() throws {
        let wait = "await new Promise((done) => setTimeout(done, 30));"
        let files = [
            "slow.js": "console.log('slow begins'); \(wait) console.log('slow ends');",
            "after.js": "import './slow.js'; console.log('after slow');",
            "other.js": "\(wait) console.log('other ends');",
            "loop.js":
                "for await (const x of [Promise.resolve('loop')]) console.log(x); export default 1",
            "sync.js": "console.log('sync');",
            "app.js": """
            import "./after.js"; import "./sync.js"; import "./other.js"; import "./loop.js";
            console.log("app");
            """,
        ]
        let run = try PageRun(files, runsPage: false)
        #expect(
            run.lines == [
                "slow begins", "sync", "loop", "slow ends", "after slow", "other ends", "app",
            ], "\(run.errors)")
    }

    @Test func `an error of a module reaches all that import it`() throws {
        let files = [
            "bad.js": "await 0; null.x;", "middle.js": "import './bad.js'; console.log('never')",
            "app.js": """
            for (const name of ["./middle.js", "./bad.js", "./middle.js"]) {
              await import(name).catch((error) => console.log(name, error.name));
            }
            """,
        ]
        let run = try PageRun(files, runsPage: false)
        #expect(
            run.lines == [
                "./middle.js TypeError", "./bad.js TypeError", "./middle.js TypeError",
            ], "\(run.errors)")
    }

    @Test func `an imported function has no this, wherever its call begins`() throws {
        let files = [
            "who.js": """
            export function who() { return typeof this }
            export const tag = function () { return typeof this };
            """,
            "app.js": """
            import { who, tag as t } from "./who.js"
            const seen = []
            seen.push(who(), t`x`, who?.(), await who())
            let last
            who()
            if (last) who()
            else last = who()
            const arrow = () => who()
            console.log(seen.join(), last, arrow(), new (class { a = who() })().a)
            """,
        ]
        let run = try PageRun(files, runsPage: false)
        #expect(
            run.lines == ["undefined,undefined,undefined,undefined undefined undefined undefined"],
            "\(run.errors)")
    }

    @Test func `import() lets its caller go on first`() throws {
        let run = try run(
            "import('./lib/b.js').then(() => console.log('then')); console.log('first')")
        #expect(run.lines == ["first", "a runs b knows a function", "b runs", "then"])
    }

    @Test func `modules of a page are deferred, inline ones too`() throws {
        let run = try PageRun(
            Self.library.merging([
                "app.html": """
                <p id="one">1</p><script type="module" src="app.js"></script>
                <script type="module">
                import { see } from "./lib/c.js";
                console.log(see, document.querySelectorAll("p").length);
                null.x
                </script><script nomodule>console.log("never")</script>
                <script>console.log("first")</script><p>2</p>
                """,
                "app.js": "import { q } from './lib/c.js'; console.log(q, document.readyState)",
            ]) { $1 })
        #expect(run.lines == ["first", "2 interactive", "1 2"])
        #expect(run.errors.map { "\($0.file):\($0.line)" } == ["app.html:5"])
    }

    @Test(arguments: [
        "import x from './x.js'",
        "import('./x.js').catch(() => {}); const other = () => import('./y.js')",
    ])
    func `a run without the library requests it once and reports why modules are missing`(
        source: String
    ) throws {
        var asked = 0
        let run = try RunOfApp(source) { frame, runner in
            guard case .library(let id, .modules) = frame else { return }
            asked += 1
            try runner.send(.failure(id: id, message: "not built"))
        }
        #expect(asked == 1)
        let output = run.lines + run.errors.map(\.message)
        #expect(output.contains { $0.contains("Modules are not available in this run: not built") })
    }
}
