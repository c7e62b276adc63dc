import RunnerProtocol
import TestSupport
import Testing

/// The WebSocket of the runner, whose calls a test answers.
@Suite(.blocking)
struct WebSocketTests {
    /// A host with one WebSocket.
    private final class Host {
        private(set) var opening = ""
        /// The calls after the first: method and path, type and body.
        private(set) var calls: [String] = []
        private var stream: UInt32?
        private let answer: (_ call: String) -> [String]

        /// - Parameter answer: the events for each call: for `open`, and for each in ``calls``.
        init(_ answer: @escaping (_ call: String) -> [String]) {
            self.answer = answer
        }

        func take(_ frame: RunnerFrame, _ runner: RunnerProcess) throws {
            guard case .request(let id, let method, let target, let headers, let body) = frame
            else { return }
            let text = String(decoding: body, as: UTF8.self)
            if target == "http://localhost/api/v1/websockets" {
                #expect(method == "POST")
                stream = id
                opening = text
                try runner.send(
                    .response(
                        id: id, status: 200,
                        headers: [HeaderField("content-type", "text/event-stream")]))
                return try send(answer("open"), to: runner)
            }
            let type = headers.first { $0.name == "content-type" }?.value ?? "-"
            let path = target.dropFirst("http://localhost/api/v1/websockets/".count)
            let shown = text.count > 100 ? "\(text.count) bytes" : text
            calls.append("\(method) \(path) \(type) \(shown)")
            try runner.send(.response(id: id, status: 204, headers: []), .end(id: id))
            try send(answer(calls[calls.count - 1]), to: runner)
        }

        private func send(_ events: [String], to runner: RunnerProcess) throws {
            guard let id = stream else { return }
            for event in events {
                if event == "end" {
                    try runner.send(.end(id: id))
                } else {
                    let parts = event.split(separator: " ", maxSplits: 1)
                    try runner.send(
                        .body(
                            id: id,
                            bytes: Array("event: \(parts[0])\ndata: \(parts[1])\n\n".utf8)))
                }
            }
        }
    }

    private static let open = #"open {"id":"a1","protocol":"two"}"#
    private static let report = """
        const report = (socket) => {
            socket.onopen = () => console.log("open", socket.readyState, socket.protocol);
            socket.onerror = () => console.log("error", socket.readyState);
            socket.onclose = (event) => {
                console.log("close", event.code, JSON.stringify(event.reason), event.wasClean, socket.readyState);
                console.log(event instanceof CloseEvent, socket.bufferedAmount);
            };
        };
        """

    @Test func `messages go both ways, and the closing handshake ends the WebSocket`() throws {
        let host = Host { call in
            if call == "open" {
                return [
                    Self.open, #"message {"text":"a\nb"}"#, #"message {"base64":"AAH/"}"#,
                    #"message {"base64":"AAH/"}"#,
                ]
            }
            return call.hasPrefix("DELETE")
                ? [#"close {"code":1000,"reason":"ü","clean":true}"#] : []
        }
        let run = try RunOfApp(
            """
            \(Self.report)
            const socket = new WebSocket("https://a.example/x?y", ["one", "two"]);
            console.log(socket.url, socket.readyState, socket.extensions === "", socket.binaryType);
            report(socket);
            let count = 0;
            socket.onmessage = ({ data, origin }) => {
                count++;
                if (typeof data === "string") console.log(JSON.stringify(data), origin);
                else if (data instanceof Blob) console.log("blob", data.size, JSON.stringify(data.type));
                else console.log("buffer", [...new Uint8Array(data)].join());
                if (count < 2) return;
                socket.binaryType = "arraybuffer";
                socket.binaryType = "other";
                if (count < 3) return;
                socket.send("grün\\n\\ud800");
                socket.send(new Uint8Array([1, 2, 255]).subarray(1));
                socket.send(new Blob(["x"]));
                console.log(socket.bufferedAmount);
                socket.close(3000, "done ü");
                socket.send("late");
                console.log(socket.readyState);
            };
            """
        ) { try host.take($0, $1) }
        #expect(
            run.lines == [
                "wss://a.example/x?y 0 true blob", "open 1 two", #""a\nb" wss://a.example"#,
                #"blob 3 """#, "buffer 0,1,255", "12", "2", "close 1000 \"ü\" true 3", "true 4",
            ])
        #expect(host.opening == #"{"url":"wss://a.example/x?y","protocols":["one","two"]}"#)
        #expect(
            host.calls.first
                == "POST a1/messages application/x-ndjson {\"text\":\"grün\\n\u{FFFD}\"}\n")
        #expect(
            host.calls.dropFirst().joined()
                .contains("{\"base64\":\"Av8=\"}\n{\"base64\":\"eA==\"}\n"))
        #expect(host.calls.last == "DELETE a1?code=3000&reason=%64%6F%6E%65%20%C3%BC - ")
        #expect(run.end == .exit(0))
    }

    @Test func `large messages have calls of their own`() throws {
        let host = Host { call in
            if call == "open" { return [Self.open] }
            return call.hasPrefix("DELETE")
                ? [#"close {"code":1005,"reason":"","clean":true}"#] : []
        }
        let run = try RunOfApp(
            """
            const socket = new WebSocket("ws://a.example/");
            socket.onopen = () => {
                socket.send("x".repeat(100_000));
                socket.send(new ArrayBuffer(50_000));
                for (let index = 0; index < 3; index++) socket.send("y".repeat(40_000));
                socket.close();
            };
            socket.onclose = ({ code }) => console.log(code, socket.bufferedAmount);
            """
        ) { try host.take($0, $1) }
        #expect(
            host.calls == [
                "POST a1/messages text/plain 100000 bytes",
                "POST a1/messages application/octet-stream 50000 bytes",
                "POST a1/messages application/x-ndjson 40012 bytes",
                "POST a1/messages application/x-ndjson 40012 bytes",
                "POST a1/messages application/x-ndjson 40012 bytes", "DELETE a1 - ",
            ])
        #expect(run.lines == ["1005 0"])
    }

    @Test func `a failure is an error and a close without details, and the console has the reason`()
        throws
    {
        let host = Host { _ in
            [Self.open, #"close {"code":1006,"reason":"","clean":false,"problem":"It broke."}"#]
        }
        let run = try RunOfApp(
            "\(Self.report) report(new WebSocket('wss://a.example'));"
        ) { try host.take($0, $1) }
        #expect(
            run.lines == [
                "open 1 two", "The WebSocket to wss://a.example failed: It broke.", "error 3",
                "close 1006 \"\" false 3", "true 0",
            ])
    }

    @Test func `a refusal of the host, and a permission that ends, fail the WebSocket`() throws {
        let refused = try RunOfApp(
            "\(Self.report) report(new WebSocket('wss://a.example'));"
        ) { frame, runner in
            guard case .request(let id, _, _, _, _) = frame else { return }
            try runner.send(
                .response(id: id, status: 403, headers: []),
                .body(id: id, bytes: Array(#"{"detail":"No permission.","fix":"Ask."}"#.utf8)),
                .end(id: id))
        }
        let lines = ["error 3", "close 1006 \"\" false 3", "true 0"]
        #expect(
            refused.lines == ["The WebSocket to wss://a.example failed: No permission. Ask."]
                + lines)
        let host = Host { _ in [Self.open, #"problem {"detail":"It was denied."}"#, "end"] }
        let denied = try RunOfApp(
            "\(Self.report) report(new WebSocket('wss://a.example'));"
        ) { try host.take($0, $1) }
        #expect(
            denied.lines == [
                "open 1 two", "The WebSocket to wss://a.example failed: It was denied.",
            ] + lines)
    }

    @Test func `a WebSocket that is closed before it is open fails later`() throws {
        let run = try RunOfApp(
            """
            \(Self.report)
            const socket = new WebSocket("wss://a.example");
            report(socket);
            try { socket.send("early"); } catch (error) { console.log(error.name); }
            socket.close();
            console.log(socket.readyState);
            """)
        #expect(
            run.lines == [
                "InvalidStateError", "2", "error 3", "close 1006 \"\" false 3", "true 0",
            ])
        #expect(run.frames.contains(.cancel(id: 1)))
    }

    @Test(arguments: [
        ("new WebSocket()", "TypeError"), ("new WebSocket('ftp://a.example')", "SyntaxError"),
        ("new WebSocket('wss://a.example/#x')", "SyntaxError"),
        ("new WebSocket('wss://')", "SyntaxError"),
        ("new WebSocket('wss://a.example', ['a', 'a'])", "SyntaxError"),
        ("new WebSocket('wss://a.example', 'a b')", "SyntaxError"),
        ("new WebSocket('wss://a.example', '')", "SyntaxError"),
        ("new WebSocket('wss://a.example').close(1001)", "InvalidAccessError"),
        ("new WebSocket('wss://a.example').close('x')", "InvalidAccessError"),
        ("new WebSocket('wss://a.example').close(65536 + 1000)", "InvalidAccessError"),
        ("new WebSocket('wss://a.example').close(3000, 'ü'.repeat(62))", "SyntaxError"),
        ("new WebSocket('wss://a.example').send()", "TypeError"),
    ])
    func `invalid arguments are refused`(source: String, name: String) throws {
        let run = try RunOfApp(
            "try { \(source); console.log('no error'); } catch ({ name }) { console.log(name); } close();"
        )
        #expect(run.lines == [name])
    }

    @Test func `the classes have the shape of the standard`() throws {
        let run = try RunOfApp(
            """
            console.log(WebSocket.CONNECTING, WebSocket.OPEN, WebSocket.prototype.CLOSING, WebSocket.CLOSED);
            const event = new CloseEvent("close", { code: 4000, reason: "r", wasClean: true });
            console.log(event.code, event.reason, event.wasClean, new CloseEvent("x").code);
            console.log(String(event), Object.prototype.toString.call(WebSocket.prototype), WebSocket.length);
            """)
        #expect(
            run.lines == [
                "0 1 2 3", "4000 r true 0", "[object CloseEvent] [object WebSocket] 1",
            ])
    }
}
