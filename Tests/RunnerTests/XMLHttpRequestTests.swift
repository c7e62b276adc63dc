import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct XMLHttpRequestTests {
    @Test func `an asynchronous request passes through its states and fires events in order`()
        throws
    {
        let run = try RunOfApp(
            """
            const x = new XMLHttpRequest();
            for (const type of ["readystatechange", "loadstart", "progress", "load", "loadend"]) {
                x[`on${type}`] = () => console.log(type, x.readyState, x.responseText);
            }
            x.open("post", "/echo");
            x.setRequestHeader("X-One", "1");
            x.setRequestHeader("x-one", "2");
            x.setRequestHeader("Host", "example.org");
            x.send("hä");
            x.addEventListener("loadend", () => console.log(
                x.status, x.statusText, x.responseURL, x.getResponseHeader("X-TWO"),
                JSON.stringify(x.getAllResponseHeaders())));
            """
        ) { frame, runner in
            guard case .request(let id, let method, let target, let headers, let body) = frame
            else { return }
            #expect(method == "POST" && target == "http://localhost/echo")
            #expect(
                headers == [
                    HeaderField("x-one", "1, 2"),
                    HeaderField("content-type", "text/plain;charset=UTF-8"),
                ])
            #expect(body == Array("hä".utf8))
            try runner.send(
                .response(id: id, status: 404, headers: [HeaderField("X-Two", "2")]),
                .body(id: id, bytes: Array("one".utf8)), .body(id: id, bytes: Array("two".utf8)),
                .end(id: id))
        }
        #expect(
            run.lines == [
                "readystatechange 1 ", "loadstart 1 ", "readystatechange 2 ",
                "readystatechange 3 one", "progress 3 one", "readystatechange 3 onetwo",
                "progress 3 onetwo", "readystatechange 4 onetwo", "load 4 onetwo",
                "loadend 4 onetwo",
                "404 Not Found http://localhost/echo 2 'x-two: 2\\r\\n'"
                    .replacing("'", with: "\""),
            ])
    }

    @Test(arguments: [
        ("text", "{\"a\":1}", "string {\"a\":1}"),
        ("json", "\u{feff}{\"a\":1}", "object { a: 1 }"),
        ("json", "{", "object null"),
        ("arraybuffer", "ab", "object ArrayBuffer { byteLength: 2 }"),
        ("blob", "ab", "object Blob {}"),
    ])
    func `a response has the requested type`(
        type: String, body: String, seen: String
    ) throws {
        let run = try RunOfApp(
            """
            const x = new XMLHttpRequest();
            x.responseType = "\(type)";
            x.open("GET", "/");
            x.onload = () => console.log(typeof x.response, x.response);
            x.send();
            """
        ) { frame, runner in
            guard case .request(let id, _, _, _, _) = frame else { return }
            try runner.send(
                .response(id: id, status: 200, headers: []),
                .body(id: id, bytes: Array(body.utf8)), .end(id: id))
        }
        #expect(run.lines == [seen])
    }

    @Test func `a synchronous request has its response when send returns`() throws {
        let run = try RunOfApp(
            """
            setTimeout(() => console.log("later"));
            fetch("/other").then((answer) => answer.text()).then((text) => console.log(text));
            const x = new XMLHttpRequest();
            x.open("GET", "/now", false);
            x.send();
            console.log(x.readyState, x.status, x.responseText);
            """
        ) { frame, runner in
            // The other response arrives first and must neither be lost nor delivered too early.
            guard case .request(let id, _, "http://localhost/now", _, _) = frame else { return }
            try runner.send(
                .response(id: 1, status: 200, headers: []), .ping(5),
                .body(id: 1, bytes: Array("other".utf8)),
                .response(id: id, status: 200, headers: []),
                .body(id: id, bytes: Array("now".utf8)), .end(id: 1), .end(id: id))
        }
        #expect(run.lines.first == "4 200 now")
        #expect(Set(run.lines.dropFirst()) == ["later", "other"])
        #expect(run.frames.contains(.pong(5)))
        #expect(run.end == .exit(0))
    }

    @Test func `pings of the host are answered while a response is awaited`() throws {
        let (runner, id) = try RunnerProcess.inSynchronousRequest()
        for number in 1...3 as ClosedRange<UInt32> {
            try runner.send(.ping(number))
            #expect(try runner.next() == .pong(number))
        }
        try runner.send(.response(id: id, status: 204, headers: []), .end(id: id))
        #expect(try runner.rest() == [.finished(code: 0)])
    }

    @Test func `the time of the host does not count for the turn, and that of the app does`()
        throws
    {
        let source = """
            const get = () => { const x = new XMLHttpRequest(); x.open("GET", "/", false); x.send() };
            get();
            console.log("waited");
            for (const start = Date.now(); Date.now() - start < 600_000;) get();
            """
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(
            .limits(wall: 5_000, cpu: 60_000), .load(name: "app.js", source: source), .loaded)
        var calls = 0
        var lines: [String] = []
        while let frame = try runner.next() {
            if case .console(_, let line) = frame { lines.append(line) }
            guard case .request(let id, _, _, _, _) = frame else { continue }
            if calls == 0 { #expect(runner.isSilent(for: 5_500)) }
            calls += 1
            // The turn may have ended.
            try? runner.send(.response(id: id, status: 204, headers: []), .end(id: id))
        }
        #expect(lines == ["waited"])
        #expect(try runner.end() == .exit(RunnerExit.turn))
    }

    @Test(arguments: ["GET", "POST"])
    func `a failure is an event, or an exception in a synchronous request`(method: String) throws {
        let run = try RunOfApp(
            """
            const x = new XMLHttpRequest();
            x.onerror = () => console.log("error", x.readyState, x.status, x.responseText);
            x.open("\(method)", "http://example.org/");
            x.send("x");
            const y = new XMLHttpRequest();
            y.open("\(method)", "http://example.org/", false);
            try { y.send("x") } catch (error) { console.log(error.name, error.code, y.readyState) }
            """
        ) { frame, runner in
            guard case .request(let id, _, _, _, _) = frame else { return }
            try runner.send(.failure(id: id, message: "elsewhere"))
        }
        let why = "A call to http://example.org failed: elsewhere"
        #expect(run.lines.sorted() == [why, why, "NetworkError 19 4", "error 4 0 "])
        #expect(run.end == .exit(0))
    }

    @Test func `a response that does not end is abandoned`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        let source = """
            fetch("/stream");
            const x = new XMLHttpRequest();
            x.open("GET", "/", false);
            try { x.send() } catch (error) { console.log(error.message) }
            close();
            """
        try runner.send(.load(name: "app.js", source: source), .loaded)
        _ = try runner.next()
        guard case .request(let id, _, _, _, _) = try runner.next() else {
            throw RunnerProcess.Failure("no request")
        }
        // More bytes of another response than it keeps, while this one is awaited.
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        try runner.send(.response(id: 1, status: 200, headers: []))
        for _ in 0..<129 { try runner.send(.body(id: 1, bytes: piece)) }
        let rest = try runner.rest()
        #expect(rest.contains(.cancel(id: id)))
        #expect(
            rest.contains(
                .console(
                    level: .log,
                    text: "other responses exceeded 8388608 bytes meanwhile (http://localhost/)")))
    }

    @Test func `aborting and timeouts end a request`() throws {
        let run = try RunOfApp(
            """
            const one = new XMLHttpRequest();
            one.onabort = () => console.log("abort", one.readyState);
            one.open("GET", "/");
            one.send();
            one.abort();
            console.log(one.readyState);
            const two = new XMLHttpRequest();
            two.ontimeout = () => console.log("timeout", two.readyState);
            two.open("GET", "/");
            two.timeout = 20;
            two.send();
            """)
        #expect(run.lines == ["abort 4", "0", "timeout 4"])
        #expect(run.frames.filter { if case .cancel = $0 { true } else { false } }.count == 2)
    }

    @Test func `data and object URLs need no request, and the charset can be overridden`() throws {
        let run = try RunOfApp(
            """
            const read = (url, isAsync) => {
                const x = new XMLHttpRequest();
                x.open("GET", url, isAsync);
                x.overrideMimeType("text/plain; charset=utf8");
                x.onload = () => console.log(x.status, x.responseText, x.getResponseHeader("content-type"));
                x.onerror = () => console.log("error");
                x.send();
            };
            read("data:text/plain;charset=windows-1252,%EF%BB%BFh%C3%A4", true);
            read("data:,%EF%BB%BFsync", false);
            read(URL.createObjectURL(new Blob(["object"], { type: "text/x" })), false);
            read("data:nothing", true);
            """)
        #expect(
            run.lines == [
                "200 sync text/plain;charset=US-ASCII", "200 object text/x",
                "200 hä text/plain;charset=windows-1252", "error",
            ])
    }

    @Test(arguments: [
        ("x.send()", "InvalidStateError"),
        ("x.setRequestHeader('a', 'b')", "InvalidStateError"),
        ("x.open('a b', '/')", "SyntaxError"),
        ("x.open('TRACE', '/')", "SecurityError"),
        ("x.open('GET', 'http://[')", "SyntaxError"),
        ("x.timeout = 1; x.open('GET', '/', false)", "InvalidAccessError"),
        ("x.open('GET', '/', false); x.responseType = 'json'", "InvalidAccessError"),
        ("x.open('GET', '/'); x.setRequestHeader('a b', '')", "SyntaxError"),
        ("x.responseType = 'json'; x.responseText", "InvalidStateError"),
    ])
    func `invalid uses of a request are rejected`(source: String, name: String) throws {
        let run = try RunOfApp(
            "const x = new XMLHttpRequest(); try { \(source) } catch (e) { console.log(e.name) }")
        #expect(run.lines == [name])
    }
}
