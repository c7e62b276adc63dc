import TestSupport
import Testing

@Suite(.blocking)
struct WebTests {
    @Test(arguments: [
        ("'http://EXAMPLE.org:80/a/./b/../c d?x=ä#f'", "http://example.org/a/c%20d?x=%C3%A4#f"),
        ("'../x?y', 'http://h:8080/a/b/c?q#f'", "http://h:8080/a/x?y"),
        ("'//other/p', 'https://h/a'", "https://other/p"),
        ("'?q', 'http://h/a/b?old'", "http://h/a/b?q"),
        ("'#f', 'http://h/a?q'", "http://h/a?q#f"),
        ("'', 'http://h/a?q#f'", "http://h/a?q"),
        ("'/..//x', 'http://h/a/b'", "http://h//x"),
        ("'http:\\\\\\\\h\\\\p'", "http://h/p"),
        ("'http://u:p%40@h/'", "http://u:p%40@h/"),
        ("'http://0x7f.1/'", "http://127.0.0.1/"),
        ("'http://[::1]:81'", "http://[::1]:81/"),
        ("'mailto:a@b'", "mailto:a@b"), ("'data:text/plain,x y'", "data:text/plain,x y"),
    ])
    func `URLs are parsed by the URL standard`(arguments: String, href: String) throws {
        #expect(try RunOfApp("console.log(new URL(\(arguments)).href)").lines == [href])
    }

    @Test(arguments: [
        "''", "'x'", "'http://'", "'http://a b/'", "'http://h:99999/'", "'http://1.2.3.4.5/'",
    ])
    func `an invalid URL is rejected`(argument: String) throws {
        #expect(try RunOfApp("console.log(URL.canParse(\(argument)))").lines == ["false"])
    }

    @Test(arguments: [
        (
            "(() => { const u = new URL('http://h/?a=1'); u.searchParams.append('b', 'ä &'); u.hash = 'x'; u.port = 81; return u.href })()",
            "http://h:81/?a=1&b=%C3%A4+%26#x"
        ),
        (
            "[...new URLSearchParams('?a=1&a=2+3&b')]",
            "[ [ 'a', '1' ], [ 'a', '2 3' ], [ 'b', '' ] ]"
        ),
        ("new URLSearchParams({ q: 'x=y' }).toString()", "q=x%3Dy"),
        ("new TextDecoder().decode(new TextEncoder().encode('grüße 😀\\0'))", "grüße 😀\0"),
        ("new TextEncoder().encode('\\ud800')", "Uint8Array(3) [ 239, 191, 189 ]"),
        ("new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff]))", "a\u{FFFD}"),
        (
            "(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name } })()",
            "TypeError"
        ),
        (
            "(() => { const d = new TextDecoder(); return d.decode(new Uint8Array([0xf0, 0x9f]), { stream: true }) + d.decode(new Uint8Array([0x98, 0x80])) })()",
            "😀"
        ),
        ("btoa('\\xff\\x00a'), atob(' /wBh ') === '\\xff\\x00a', atob('YQ==')", "/wBh true a"),
        (
            "structuredClone({ d: new Date(0), m: new Map([[1, new Set([2])]]), u: new Uint8Array([3]) })",
            "{\n  d: 1970-01-01T00:00:00.000Z,\n  m: Map(1) { 1 => Set(1) { 2 } },\n  u: Uint8Array(1) [ 3 ]\n}"
        ),
        (
            "(() => { const a = { }; a.me = a; const b = structuredClone(a); return b.me === b && b !== a })()",
            "true"
        ),
        (
            "(() => { try { structuredClone(() => 1) } catch (e) { return e.name } })()",
            "DataCloneError"
        ),
        (
            "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
            "true"
        ),
        ("new Set(crypto.getRandomValues(new Uint32Array(64))).size > 60", "true"),
        (
            "(() => { const l = []; const t = new EventTarget(); t.addEventListener('x', (e) => l.push(e.type, e.target === t), { once: true }); t.dispatchEvent(new Event('x')); t.dispatchEvent(new Event('x')); return l })()",
            "[ 'x', true ]"
        ),
        ("AbortSignal.any([new AbortController().signal, AbortSignal.abort('why')]).reason", "why"),
        (
            "typeof WebAssembly, typeof SharedArrayBuffer, self === globalThis",
            "undefined undefined true"
        ),
        (
            "performance.now() > 0, [...new Headers({ B: '2', a: '1' })]",
            "true [ [ 'a', '1' ], [ 'b', '2' ] ]"
        ),
    ])
    func `the web platform behaves as in a browser`(expression: String, line: String) throws {
        #expect(try RunOfApp("console.log(\(expression))").lines == [line])
    }

    @Test func `a response created by the app behaves like one from the host`() throws {
        let run = try RunOfApp(
            """
            (async () => {
                const answer = Response.json({ a: 1 }, { status: 201 });
                const copy = answer.clone();
                console.log(answer.status, answer.headers.get("content-type"), await answer.json());
                console.log(await copy.text(), (await new Response("xyz").bytes()).length);
                const request = new Request("/r", { method: "PUT", body: new Uint8Array([65]) });
                console.log(request.method, request.url, await request.text());
            })();
            """)
        #expect(
            run.lines == [
                "201 application/json { a: 1 }", "{\"a\":1} 3", "PUT http://localhost/r A",
            ])
    }
}
