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
            "TypeError: The module http://my-app.localhost/lib/none.js is missing: the host answered 404."
        ),
        ("import('./lib/bad.js')", "SyntaxError: lib/bad.js: \"./c.js\" has no export \"nope\""),
        ("import('jquery')", "TypeError: \"jquery\" is not a URL: begin it with ./, ../ or /."),
        (
            "import('http://example.org/x.js')",
            "TypeError: The module http://example.org/x.js is missing: an app can load only files of its own package and of the host."
        ),
    ])
    func `an invalid import is rejected with the reason`(call: String, message: String) throws {
        let run = try run("\(call).catch((error) => console.log(String(error)))")
        #expect(run.lines == [message])
    }

    @Test(arguments: [
        ("import './lib/broken.js'", "lib/broken.js:3", "SyntaxError"),
        ("import './lib/throws.js'", "lib/throws.js:2", "TypeError"),
        ("import { see } from './lib/c.js';\n\nnull.x", "app.js:3", "TypeError"),
        ("import { see } from './lib/c.js';\nlet see;", "app.js:2", "SyntaxError"),
        ("await 0;\nnull.x", "app.js:2", "TypeError"),
        ("export const a = 1;\nlet a = ;", "app.js:2", "SyntaxError"),
        ("let a;\nlet a;", "app.js:2", "SyntaxError"),
        ("let a = 'import';\nlet b = ;", "app.js:2", "SyntaxError"),
    ])
    func `errors have the file and line of the source`(
        source: String, location: String, name: String
    ) throws {
        let run = try run(source)
        let error = try #require(run.errors.first)
        #expect(run.errors.count == 1)
        #expect("\(error.file):\(error.line)" == location)
        #expect(error.message.hasPrefix(name))
        #expect(run.run.end == .exit(1))
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
