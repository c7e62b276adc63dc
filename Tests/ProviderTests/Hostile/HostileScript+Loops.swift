/// Endless work, in one turn or in repeated turns.
extension HostileScript {
    static let loops: [HostileScript] =
        endless.map { HostileScript($0, .turn, turn, $1) }
        + recurring.map { HostileScript($0, .minute, ["budget-cpu-per-minute"], $1) }

    private static let endless: [(String, String)] = [
        ("for", "for (;;);"),
        ("while", "while (true) {}"),
        ("do", "let n = 0; do { n++ } while (n)"),
        ("labels", "outer: for (;;) { for (;;) { continue outer } }"),
        ("never caught", "(function f() { try { f() } finally { f() } })()"),
        ("generator", "function* g() { for (;;) yield 1 } for (const x of g());"),
        (
            "delegation",
            "function* g() { yield* g2() } function* g2() { for (;;) yield 1 } for (const x of g());"
        ),
        ("iterator", "for (const x of { [Symbol.iterator]: () => ({ next: () => ({}) }) });"),
        (
            "spread of an iterator",
            "Math.max(...{ [Symbol.iterator]: () => ({ next: () => ({ get done() { for (;;); } }) }) })"
        ),
        ("trap", "const p = new Proxy({}, { get() { for (;;); } }); p.x"),
        (
            "trap of traps",
            "const p = new Proxy({}, { has: () => true, get: () => 1 }); with (p) { for (;;) x }"
        ),
        ("getter", "({ get x() { for (;;); } }).x"),
        ("valueOf", "+{ valueOf() { for (;;); } }"),
        ("toString as an argument", "setTimeout(() => {}, { toString() { for (;;); } })"),
        ("toString in a template", "`${{ toString() { for (;;); } }}`"),
        ("toString as an address", "fetch({ toString() { for (;;); } })"),
        ("comparison", "[3, 2, 1].sort(() => { for (;;); })"),
        ("toJSON", "JSON.stringify({ toJSON() { for (;;); } })"),
        ("reviver", "JSON.parse('[1]', () => { for (;;); })"),
        ("replacement", "'a'.replace(/a/, () => { for (;;); })"),
        (
            "species",
            "class A extends Array { static get [Symbol.species]() { for (;;); } } new A(3).map(x => x)"
        ),
        ("constructor", "new (class { constructor() { for (;;); } })()"),
        ("static block", "class A { static { for (;;); } }"),
        ("promises", "(function f() { Promise.resolve().then(f) })()"),
        ("then", "Promise.resolve({ then(go) { for (;;); } })"),
        ("await", "(async () => { for (;;) await 0 })()"),
        ("microtasks", "(function f() { queueMicrotask(f) })()"),
        (
            "async generator",
            "(async () => { async function* g() { for (;;) yield 1 } for await (const x of g()); })()"
        ),
        ("eval", "for (;;) eval('1')"),
        ("new Function", "for (;;) new Function('return ' + Math.random())()"),
        (
            "holes",
            "new Array(4294967295).indexOf(1); Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => {})"
        ),
        ("bigints", "let n = 3n; for (;;) n = n * n % (2n ** 20000n)"),
        (
            "a password derived for too long",
            "crypto.subtle.importKey('raw', new Uint8Array(1), 'PBKDF2', false, ['deriveBits']).then(key => crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(0), iterations: 4294967295 }, key, 8192))"
        ),
        ("random numbers", "for (;;) crypto.getRandomValues(new Uint8Array(65536))"),
        (
            "inspection",
            "const wide = {}; for (let i = 0; i < 1e4; i++) wide[i] = wide; for (;;) console.debug"
        ),
    ]

    private static let recurring: [(String, String)] = [
        (
            "keys",
            "(async () => { for (;;) await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-521' }, true, ['sign']) })()"
        ),
        ("timers", "(function f() { for (let i = 0; i < 1e5; i++); setTimeout(f) })()"),
        ("interval", "setInterval(() => { for (let i = 0; i < 1e5; i++); })"),
        (
            "a thousand intervals",
            "for (let i = 0; i < 1000; i++) setInterval(() => { for (let n = 0; n < 1e3; n++); })"
        ),
        (
            "awaited timers",
            "(async () => { for (;;) await new Promise((go) => setTimeout(go)) })()"
        ),
        (
            "a transaction without end",
            "const r = indexedDB.open('a'); r.onupgradeneeded = () => r.result.createObjectStore('s'); r.onsuccess = () => { const s = r.result.transaction('s').objectStore('s'); (function f() { s.get(0).onsuccess = f })() }"
        ),
        (
            "a cursor without end",
            "const r = indexedDB.open('a'); r.onupgradeneeded = () => { const s = r.result.createObjectStore('s', { autoIncrement: true }); s.add(1); s.openCursor().onsuccess = ({ target: { result } }) => { s.add(1); result.delete(); result.continue() } }"
        ),
        (
            "databases without end",
            "(function f(n) { const r = indexedDB.open('a' + n); r.onupgradeneeded = () => r.result.createObjectStore('s'); r.onsuccess = () => f(n + 1) })(0)"
        ),
        (
            "aborted timeouts",
            "setInterval(() => { for (let i = 0; i < 1e3; i++) AbortSignal.timeout(1) })"
        ),
    ]
}
