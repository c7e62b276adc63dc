/// Scripts that try to mislead the host; their only effect may be that their run ends.
extension HostileScript {
    static let tricks: [HostileScript] =
        scriptsThatFinish.map { HostileScript($0, .turn, finished, $1) }
        + [
            HostileScript(
                "atomics", .turn, finished,
                "const s = new Int32Array(typeof SharedArrayBuffer === 'undefined' ? 4 : new SharedArrayBuffer(16)); Atomics.wait(s, 0, 0)"
            ),
            HostileScript(
                "clean-up that loops", .turn, turn.union(finished),
                "new FinalizationRegistry(() => { for (;;); }).register({}, 1); for (let i = 0; i < 1e5; i++) ({ i })"
            ),
        ]

    private static let scriptsThatFinish: [(String, String)] = [
        ("close", "close(); for (;;);"),
        ("close of everything", "close(3); close(0); close(1)"),
        (
            "close with invalid exit codes",
            "try { close(256) } catch {} try { close(-1) } catch {} try { close(NaN) } catch {} close(9)"
        ),
        ("close of what throws", "try { close({ valueOf() { throw 1 } }) } catch {}"),
        (
            "close again and again",
            "const end = close; close = null; globalThis.close = undefined; setInterval(() => end(7))"
        ),
        (
            "polluted prototypes",
            """
            for (const type of [Object, Array, Function, String, Promise, Map, Set, RegExp]) {
                for (const key of Object.getOwnPropertyNames(type.prototype)) {
                    if (key !== "constructor") try { type.prototype[key] = () => { throw 1 } } catch {}
                }
            }
            try { fetch("/x") } catch {} try { console.log({}) } catch {} try { setTimeout(() => {}) } catch {}
            """
        ),
        (
            "setters on the prototype",
            """
            for (const key of ["id", "callback", "list", "0", "length", "then", "value", "get", "method", "headers"])
                try { Object.defineProperty(Object.prototype, key, { set() { throw 1 }, get() { throw 2 } }) } catch {}
            try { fetch("/x").then(() => {}, () => {}) } catch {} try { setTimeout(() => {}) } catch {}
            """
        ),
        (
            "proxies as arguments",
            """
            const bad = new Proxy(function () {}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 }, apply() { throw 4 } });
            for (const call of [console.log, setTimeout, fetch, queueMicrotask, structuredClone, close, clearTimeout])
                try { const p = call(bad, bad); if (p instanceof Promise) p.catch(() => {}) } catch {}
            """
        ),
        (
            "revoked proxies",
            "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); console.log(proxy); try { fetch(proxy).catch(() => {}) } catch {}"
        ),
        (
            "escape codes",
            #"console.log('\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\ufeff'); console.error('\0\r\b')"#
        ),
        ("lone surrogates", #"console.log('\ud800'); fetch('/' + '\udfff').catch(() => {})"#),
        ("spoofed lines", #"console.log('x\nerror: not from the app\nhint: run me')"#),
        (
            "a forged source position",
            "throw Object.assign(new Error('x'), { sourceURL: '/etc/passwd', line: 2 ** 40, column: -1, stack: 'a@b:c' })"
        ),
        ("an error that throws", "throw new Proxy(new Error('x'), { get() { throw 1 } })"),
        (
            "import",
            "import('/etc/passwd').catch(() => {}); import('http://localhost/').catch(() => {})"
        ),
        (
            "the environment",
            "try { location = 'http://evil/' } catch {} fetch('/api/v1/me').catch(() => {})"
        ),
        ("WebAssembly", "if (typeof WebAssembly !== 'undefined') throw 1"),
    ]
}
