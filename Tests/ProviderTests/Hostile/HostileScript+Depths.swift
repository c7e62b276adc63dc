/// Recursion deeper than any stack, in the engine and in its parser.
extension HostileScript {
    static let depths: [HostileScript] = stacks.map {
        HostileScript($0, .memory, memory, $1)
    }

    private static let stacks: [(String, String)] = [
        ("functions", "(function f() { f() })()"),
        (
            "caught and on",
            "let n = 0; (function f() { try { f() } catch { if (n++ < 50) f() } })()"
        ),
        ("methods", "const o = { get x() { return this.x } }; o.x"),
        ("traps", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x"),
        ("JSON", "JSON.parse('['.repeat(1e6))"),
        ("JSON written", "let o = []; for (let i = 0; i < 1e6; i++) o = [o]; JSON.stringify(o)"),
        ("console", "let o = []; for (let i = 0; i < 1e6; i++) o = [o]; console.log(o)"),
        ("clone", "let o = []; for (let i = 0; i < 1e6; i++) o = [o]; structuredClone(o)"),
        ("flattening", "let o = [1]; for (let i = 0; i < 1e5; i++) o = [o]; o.flat(Infinity)"),
        ("joining", "let o = [1]; for (let i = 0; i < 1e5; i++) o = [o]; String(o)"),
        ("pattern", "new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('a')"),
        ("repetitions", "new RegExp('a{1,1000}'.repeat(500) + 'b').test('a'.repeat(1e4))"),
        (
            "hierarchy",
            "let C = class {}; for (let i = 0; i < 2e4; i++) C = class extends C {}; new C()"
        ),
        ("prototypes", "let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); o.missing"),
        ("bound functions", "let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()"),
        (
            "thenables",
            "let p = Promise.resolve(); for (let i = 0; i < 2e5; i++) p = { then(go) { go(p) } }; p = Promise.resolve(p)"
        ),
        (
            "causes",
            "let e = new Error('x'); for (let i = 0; i < 1e5; i++) e = new Error('x', { cause: e }); throw e"
        ),
        ("ropes", "let s = 'a'; for (let i = 0; i < 1e6; i++) s = 'b' + s; s.charCodeAt(5)"),
        ("eval in eval", "(function f(n) { eval('f(n + 1)') })(0)"),
        ("nested brackets", String(repeating: "[", count: 1_000_000)),
        ("nested blocks", String(repeating: "{", count: 1_000_000)),
        ("nested functions", String(repeating: "()=>", count: 100_000) + "1"),
        (
            "nested operators",
            String(repeating: "-", count: 1) + String(repeating: "(-", count: 200_000)
        ),
        ("ten megabytes", "let x;" + String(repeating: "x=1;", count: 2_500_000)),
        ("ten megabytes of a name", "let " + String(repeating: "a", count: 10_000_000)),
        ("ten megabytes of a string", "x = '" + String(repeating: "a", count: 10_000_000)),
        ("a template in templates", String(repeating: "`${", count: 100_000)),
        ("strings that are compiled", "eval('['.repeat(1e6))"),
        ("conditions that are compiled", "new Function('return ' + '1?'.repeat(1e5))()"),
    ]
}
