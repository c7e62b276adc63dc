/// Floods of lines, errors and calls to the host.
extension HostileScript {
    static let floods: [HostileScript] =
        lines.map {
            HostileScript($0, .log, turn.union(["budget-log-per-minute"]), $1)
        }
        + calls.map { HostileScript($0, .calls, turn.union(["budget-duration", "finished"]), $1) }

    private static let lines: [(String, String)] = [
        ("lines", "for (let i = 0; ; i++) console.log('line', i)"),
        ("empty lines", "for (;;) console.log()"),
        ("giant lines", "const s = 'x'.repeat(1e7); for (;;) console.log(s)"),
        ("giant lines of marks", "const s = '\\u{1F600}'.repeat(1e6); for (;;) console.error(s)"),
        ("escape codes without end", "for (;;) console.warn('\\u001b[2J\\u001b]0;x\\u0007')"),
        (
            "lines by timers",
            "setInterval(() => { for (let i = 0; i < 100; i++) console.info('x'.repeat(100)) })"
        ),
        ("groups", "for (;;) { console.group('x'); console.log('a\\n'.repeat(1e4)) }"),
        ("traces", "for (;;) console.trace('x')"),
        ("thrown by timers", "setInterval(() => { throw new Error('x'.repeat(1e4)) })"),
        (
            "rejections",
            "setInterval(() => { for (let i = 0; i < 50; i++) Promise.reject(new Error('x'.repeat(1000))) })"
        ),
        (
            "errors that carry megabytes",
            "setInterval(() => { const e = new Error('x'.repeat(1e6)); e.stack = 'y'.repeat(1e6); throw e })"
        ),
    ]

    private static let calls: [(String, String)] = [
        ("in a loop", "for (;;) fetch('/api/v1/me').catch(() => {})"),
        (
            "thousands pending",
            "for (let i = 0; i < 5000; i++) fetch('/api/v1/sensors/gauge/stream').catch(() => {}); setInterval(() => {}, 100)"
        ),
        (
            "one after the other",
            "(async () => { for (;;) await fetch('/api/v1/me').catch(() => {}) })()"
        ),
        (
            "begun and given up",
            "setInterval(() => { for (let i = 0; i < 60; i++) { const c = new AbortController(); fetch('/api/v1/me', { signal: c.signal }).catch(() => {}); c.abort() } }, 5)"
        ),
        (
            "huge headers",
            "(async () => { for (;;) await fetch('/api/v1/me', { headers: { accept: 'x'.repeat(1e6) } }).catch(() => {}) })()"
        ),
        (
            "many headers",
            "(async () => { const h = new Headers(); for (let i = 0; i < 1e4; i++) h.set('a' + i, 'b'); for (;;) await fetch('/api/v1/me', { headers: h }).catch(() => {}) })()"
        ),
        (
            "huge bodies",
            "(async () => { const body = 'x'.repeat(1 << 20); for (;;) await fetch('/api/v1/me', { method: 'POST', body }).catch(() => {}) })()"
        ),
        (
            "bodies beyond",
            "(async () => { const body = 'x'.repeat(8 << 20); for (;;) await fetch('/api/v1/me', { method: 'POST', body }).catch(() => {}) })()"
        ),
        (
            "huge addresses",
            "(async () => { for (;;) await fetch('/' + 'x'.repeat(1e6)).catch(() => {}) })()"
        ),
        (
            "answers nobody reads",
            "const all = []; setInterval(() => { for (let i = 0; i < 10; i++) fetch('/openapi.json').then((r) => all.push(r), () => {}) }, 10)"
        ),
        (
            "strange methods",
            "(async () => { for (const method of ['QUERY', 'LINK', 'X'.repeat(30), 'PATCH']) await fetch('/x', { method }).catch(() => {}); for (;;) await fetch('/x', { method: 'OPTIONS' }).catch(() => {}) })()"
        ),
        (
            "foreign servers",
            "(async () => { for (;;) await fetch('http://example.com/').catch(() => {}) })()"
        ),
    ]
}
