import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct FetchTests {
    @Test func `requests and responses are transferred unchanged`() throws {
        let run = try RunOfApp(
            """
            (async () => {
                const answer = await fetch("/api/v1/me?a=1#part", {
                    method: "post", headers: { "X-One": " 1 " }, body: "hä",
                });
                console.log(answer.status, answer.ok, answer.url, answer.headers.get("x-two"));
                console.log(await answer.json(), answer.bodyUsed);
            })();
            """
        ) { frame, runner in
            guard case .request(let id, let method, let target, let headers, let body) = frame
            else { return }
            #expect(method == "POST")
            #expect(target == "http://localhost/api/v1/me?a=1")
            #expect(
                headers == [
                    HeaderField("x-one", "1"),
                    HeaderField("content-type", "text/plain;charset=UTF-8"),
                ])
            #expect(body == Array("hä".utf8))
            try runner.send(
                .response(id: id, status: 201, headers: [HeaderField("X-Two", "2")]),
                .body(id: id, bytes: Array("{\"a\":\"\u{e4}".utf8.dropLast())),
                .body(id: id, bytes: [0xa4] + Array("\"}".utf8)), .end(id: id))
        }
        #expect(
            run.lines == ["201 true http://localhost/api/v1/me?a=1 2", "{ a: 'ä' } true"])
        #expect(run.end == .exit(0))
    }

    @Test func `a response has the address after redirects`() throws {
        let run = try RunOfApp(
            """
            (async () => {
                const answer = await fetch("https://a.example/x#y");
                console.log(answer.url, answer.redirected, answer.type, answer.clone().redirected);
                const plain = await fetch("https://a.example/x#y");
                console.log(plain.url, plain.redirected, plain.type);
                const own = await fetch("/x");
                console.log(own.redirected, own.type);
            })();
            """
        ) { frame, runner in
            guard case .request(let id, _, let target, _, _) = frame else { return }
            let url = id == 1 ? "https://b.example/z" : ""
            #expect(target == (id == 3 ? "http://localhost/x" : "https://a.example/x"))
            try runner.send(
                .response(id: id, status: 204, headers: [], url: url), .end(id: id))
        }
        #expect(
            run.lines == [
                "https://b.example/z true cors true", "https://a.example/x false cors",
                "false basic",
            ])
    }

    @Test(arguments: [
        "for await (const p of body) say(p)",
        "const r = body.getReader(); for (;;) { const { done, value } = await r.read(); if (done) break; say(value) }",
    ])
    func `a body is read while it arrives`(reading: String) throws {
        let run = try RunOfApp(
            """
            (async () => {
                const { body } = await fetch("stream");
                const decoder = new TextDecoder();
                const say = (piece) => {
                    console.log(decoder.decode(piece, { stream: true }));
                };
                \(reading)
                console.log("end");
            })();
            """
        ) { frame, runner in
            switch frame {
            case .request(let id, _, _, _, _):
                try runner.send(
                    .response(id: id, status: 200, headers: []),
                    .body(id: id, bytes: Array("one".utf8)))
            case .console(_, "one"):
                try runner.send(.body(id: 1, bytes: Array("two".utf8)))
            case .console(_, "two"):
                try runner.send(.end(id: 1))
            default: break
            }
        }
        #expect(run.lines == ["one", "two", "end"])
    }

    @Test func `an abort cancels the request and rejects with its reason`() throws {
        let run = try RunOfApp(
            """
            const control = new AbortController();
            fetch("/slow", { signal: control.signal }).catch((error) => {
                console.log(error.name, error instanceof DOMException, error.code);
            });
            control.abort();
            fetch("/never", { signal: control.signal }).catch((error) => console.log(error.name));
            """)
        #expect(run.frames.contains(.cancel(id: 1)))
        #expect(run.lines == ["AbortError true 20", "AbortError"])
        #expect(run.end == .exit(0))
    }

    @Test func `leaving a stream cancels its request`() throws {
        let run = try RunOfApp(
            "(async () => { for await (const p of (await fetch('/s')).body) break; console.log('left') })()"
        ) { frame, runner in
            guard case .request(let id, _, _, _, _) = frame else { return }
            try runner.send(
                .response(id: id, status: 200, headers: []), .body(id: id, bytes: [1]))
        }
        #expect(run.frames.contains(.cancel(id: 1)))
        #expect(run.lines == ["left"])
    }

    @Test func `a request that fails rejects, before and within its body`() throws {
        let run = try RunOfApp(
            """
            (async () => {
                await fetch("/1").catch((error) => console.log(`${error}`));
                await (await fetch("/2")).text().catch((error) => console.log(`${error}`));
            })();
            """
        ) { frame, runner in
            guard case .request(let id, _, _, _, _) = frame else { return }
            if id == 2 { try runner.send(.response(id: id, status: 200, headers: [])) }
            try runner.send(.failure(id: id, message: "broken \(id)"))
        }
        #expect(run.lines == ["TypeError: broken 1", "TypeError: broken 2"])
    }

    @Test(arguments: [
        ("'ftp://x/'", "TypeError: fetch does not know the scheme 'ftp'"),
        ("'http://['", "TypeError: 'http://[' is not a valid URL"),
        ("'/', { body: 'x' }", "TypeError: a GET request has no body"),
        ("'/', { method: 'a b' }", "TypeError: 'a b' is not a method"),
        ("'/', { headers: { 'a b': '' } }", "TypeError: 'a b' is not the name of a header"),
        ("'/', { headers: { a: 'x\\ny' } }", "TypeError: 'x\\ny' is not the value of a header"),
        (
            "'/', { method: 'POST', body: 'x'.repeat((1 << 20) + 1) }",
            "TypeError: there are too many bytes"
        ),
        ("'/' + 'x'.repeat(1 << 15)", "TypeError: a string is too long"),
    ])
    func `invalid requests are rejected`(arguments: String, message: String) throws {
        let run = try RunOfApp("fetch(\(arguments)).catch((error) => console.log(`${error}`))")
        #expect(run.lines == [message])
    }

    @Test func `at most 64 requests are concurrent`() throws {
        let run = try RunOfApp(
            """
            for (let index = 0; index < 65; index++) {
                fetch("/").catch((error) => { console.log(index, error.name); close() });
            }
            """)
        #expect(run.lines == ["64 TypeError"])
        #expect(run.frames.filter { if case .request = $0 { true } else { false } }.count == 64)
    }
}
