/// Scripts that exhaust resources.
extension HostileScript {
    static let bombs: [HostileScript] = memoryScripts.map { HostileScript($0, .memory, memory, $1) }

    private static let memoryScripts: [(String, String)] = [
        ("arrays", "const a = []; for (;;) a.push(new Array(1000).fill(1))"),
        (
            "messages that nobody takes",
            "const { port1 } = new MessageChannel(); for (;;) port1.postMessage(new Uint8Array(1 << 20).fill(1))"
        ),
        (
            "records of one transaction",
            "const r = indexedDB.open('a'); r.onupgradeneeded = () => { const s = r.result.createObjectStore('s', { autoIncrement: true }); for (;;) s.add(new Uint8Array(1 << 16)) }"
        ),
        (
            "performance marks",
            "for (;;) performance.mark('a', { detail: new Uint8Array(1 << 20).fill(1) })"
        ),
        ("one array", "const a = []; for (;;) a.push(1.5)"),
        ("nested arrays", "let a = []; for (;;) a = [a, a, a]"),
        ("a length", "const a = []; a.length = 2 ** 32 - 1; a.fill({})"),
        ("doubling string", "let s = 'x'; for (;;) { s += s; s.charCodeAt(s.length - 1) }"),
        (
            "ropes",
            "const a = []; let s = 'xy'; for (let i = 0; ; i++) { s = s + i; a.push(s, s + s) }"
        ),
        (
            "flat strings",
            "const a = []; for (let i = 0; ; i++) a.push(('x' + i).repeat(1000).toUpperCase())"
        ),
        ("template strings", "let s = 'x'; for (;;) s = `${s}${s}`"),
        (
            "padding",
            "const a = []; for (let i = 0; ; i++) a.push('x'.padStart(1e5, 'ab' + i).trim())"
        ),
        (
            "joins",
            "const a = new Array(1e6).fill('abcdefgh'); const all = []; for (;;) all.push(a.join('-'))"
        ),
        ("typed arrays", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))"),
        ("doubles", "const a = []; for (;;) a.push(new Float64Array(1 << 17).fill(1))"),
        (
            "buffers",
            "const a = []; for (;;) a.push(new Uint8Array(new ArrayBuffer(1 << 20)).fill(7))"
        ),
        ("one buffer", "new Uint8Array(2 ** 31).fill(1)"),
        ("slices", "const b = new Uint8Array(1 << 20).fill(1), a = []; for (;;) a.push(b.slice())"),
        (
            "caught allocation failures",
            "const a = []; for (;;) { try { a.push(new Uint8Array(4 << 20).fill(1)) } catch { a.push([...'x'.repeat(1e4)]) } }"
        ),
        ("map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })"),
        ("set", "const s = new Set(); for (let i = 0; ; i++) s.add('k' + i)"),
        (
            "weak map",
            "const w = new WeakMap(), keep = []; for (;;) { const k = {}; keep.push(k); w.set(k, { k }) }"
        ),
        ("weak references", "const a = []; for (;;) a.push(new WeakRef({}))"),
        ("objects", "const o = {}; for (let i = 0; ; i++) o['key' + i] = { i }"),
        ("closures", "const a = []; for (let i = 0; ; i++) a.push(() => i)"),
        (
            "symbols",
            "const a = []; for (let i = 0; ; i++) a.push(Symbol('s' + i), Symbol.for('g' + i))"
        ),
        ("bigint", "let n = 2n; for (;;) n = n * n"),
        ("shifted bigints", "const a = []; for (let i = 1n; ; i++) a.push(1n << (1000000n + i))"),
        (
            "regular expressions",
            "const a = []; for (let i = 0; ; i++) { const r = new RegExp('a{1,' + (i % 500) + '}b' + i); r.test('x'); a.push(r) }"
        ),
        ("dates", "const a = []; for (;;) a.push(new Date())"),
        (
            "compiled functions",
            "const a = []; for (let i = 0; ; i++) { const f = new Function('return ' + i); f(); a.push(f) }"
        ),
        (
            "classes",
            "const a = []; for (;;) a.push(class { #x = 1; static y = [1]; m() { return this.#x } })"
        ),
        (
            "parsed JSON",
            "const t = '[' + '{\"a\":[1,2,3]},'.repeat(1e5) + '1]', a = []; for (;;) a.push(JSON.parse(t))"
        ),
        (
            "written JSON",
            "const a = []; let o = [1]; for (let i = 0; i < 24; i++) o = [o, o]; JSON.stringify(o)"
        ),
        (
            "stacks",
            "const a = []; (function f(n) { if (n) return f(n - 1); for (;;) a.push(new Error('x').stack + a.length) })(50)"
        ),
        (
            "encoded text",
            "const a = [], s = 'x'.repeat(1 << 20), e = new TextEncoder(); for (;;) a.push(e.encode(s))"
        ),
        (
            "decoded text",
            "const a = [], b = new Uint8Array(1 << 20).fill(65), d = new TextDecoder(); for (;;) a.push(d.decode(b))"
        ),
        ("bodies", "const a = []; for (;;) a.push(new Response('x'.repeat(1 << 20)))"),
        ("streams", "const a = []; for (;;) a.push(new Response('x').body)"),
        (
            "addresses",
            "const a = []; for (let i = 0; ; i++) a.push(new URL('http://h/' + 'p'.repeat(1000) + i))"
        ),
        (
            "clones",
            "const o = new Array(1e5).fill({ a: 1 }), a = []; for (;;) a.push(structuredClone(o))"
        ),
        ("thrown and caught", "for (;;) { try { throw 1 } catch { continue } finally { } }"),
        ("formatted dates", "for (;;) new Date().toLocaleString('de')"),
        ("rejected promises", "(function f() { Promise.reject(1).catch(f) })()"),
        ("timers", "try { for (let i = 0; ; i++) setTimeout(() => i, 1e6) } catch { close(1) }"),
        (
            "timers backwards",
            "try { for (let i = 1e9; ; i--) setTimeout(() => {}, i) } catch { close(1) }"
        ),
        ("promises", "const a = []; for (;;) a.push(new Promise(() => {}).then(() => a))"),
        ("microtasks", "for (let i = 0; ; i++) queueMicrotask(() => i)"),
        (
            "listeners",
            "const c = new AbortController(); for (let i = 0; ; i++) c.signal.addEventListener('abort', () => i)"
        ),
        ("labels of the console", "for (let i = 0; ; i++) console.time('label ' + i)"),
        ("a table", "console.table(new Array(1e6).fill({ a: 1, b: 2 }))"),
        (
            "array of arguments",
            "const a = new Array(1e6).fill('x'); for (;;) { try { String.fromCharCode.apply(null, a) } catch {} a.push(...a.slice(0, 1e4)) }"
        ),
        (
            "generators",
            "const a = []; function* g() { const x = new Array(100).fill(1); yield x } for (;;) { const i = g(); i.next(); a.push(i) }"
        ),
    ]
}
