import TestSupport
import Testing

/// Streams and blobs, which are compiled when an app first uses one of their names.
@Suite(.blocking)
struct StreamTests {
    @Test(arguments: [
        ("new Response('ab').body.getReader().read().then(({ value }) => value.length)", "2"),
        ("new Blob(['a', new Uint8Array([98])], { type: 'X/Y' }).slice(1).text()", "b"),
        ("new Response(new Blob(['x']).stream()).text()", "x"),
        (
            "new Response(new ReadableStream({ start(c) { c.enqueue('é'); c.close() } }).pipeThrough(new TextEncoderStream())).text()",
            "é"
        ),
        (
            "(() => { const f = new FormData(); f.append('a', new File(['b'], 'c')); return new Response(f).formData().then((g) => g.get('a').name) })()",
            "c"
        ),
        (
            "(() => { const url = URL.createObjectURL(new Blob(['z'])); return fetch(url).then((r) => r.text()) })()",
            "z"
        ),
    ])
    func `streams, blobs and forms work together`(expression: String, result: String) throws {
        let app = "(\(expression)).then((value) => console.log(value))"
        #expect(try RunOfApp(app).lines == [result])
    }

    @Test func `streams survive an app that has replaced the built-ins`() throws {
        let app = """
            const { log } = console, { ownKeys, defineProperty } = Reflect;
            const kinds = [Array, Map, Promise, String, RegExp, Uint8Array, ArrayBuffer, WeakMap];
            for (let at = 0; at < 8; at++) {
                const { prototype } = kinds[at], keys = ownKeys(prototype);
                for (let index = 0; index < keys.length; index++) {
                    if (keys[index] === "constructor" || keys[index] === "length") continue;
                    try {
                        defineProperty(prototype, keys[index], { get() { throw "replaced"; } });
                    } catch {}
                }
            }
            globalThis.Map = globalThis.Promise = globalThis.Uint8Array = globalThis.ArrayBuffer = null;
            (async () => {
                const source = new ReadableStream({ start(c) { c.enqueue("a"); c.close(); } });
                const reader = source.pipeThrough(new TransformStream()).getReader();
                log((await reader.read()).value, await new Response("b").text());
            })();
            """
        #expect(try RunOfApp(app).lines == ["a b"])
    }
}
