import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct MessagingTests {
    @Test func `a channel delivers clones in order, and can carry ports`() throws {
        let run = try RunOfApp(
            """
            const { port1, port2 } = new MessageChannel(), { port1: carried, port2: kept } = new MessageChannel();
            const message = { list: [1] };
            port1.postMessage(message);
            message.list.push(2);
            port1.postMessage("port", [carried]);
            port2.onmessage = ({ data, ports }) => {
                console.log(data, ports.length);
                ports[0]?.postMessage("through");
            };
            kept.onmessage = ({ data }) => console.log(data);
            try { port1.postMessage(() => {}); } catch (error) { console.log(error.name); }
            try { port1.postMessage(1, [port1]); } catch (error) { console.log(error.name); }
            console.log("first");
            """)
        #expect(
            run.lines == [
                "DataCloneError", "DataCloneError", "first", "{ list: [ 1 ] } 0", "port 1",
                "through",
            ])
        #expect(run.errors.isEmpty)
    }

    @Test func `a port that is not started keeps messages, and a closed one drops them`() throws {
        let run = try RunOfApp(
            """
            const { port1, port2 } = new MessageChannel();
            port2.addEventListener("message", ({ data }) => console.log(data));
            port1.postMessage("kept");
            setTimeout(() => {
                console.log("start");
                port2.start();
                setTimeout(() => { port2.close(); port1.postMessage("dropped"); }, 5);
            }, 5);
            """)
        #expect(run.lines == ["start", "kept"])
    }

    @Test func `a broadcast reaches the other channels of its name`() throws {
        let run = try RunOfApp(
            """
            const [one, two, other] = ["a", "a", "b"].map((name) => new BroadcastChannel(name));
            for (const channel of [one, two, other]) channel.onmessage = ({ data }) => console.log(channel === two, data);
            one.postMessage({ x: 1 });
            two.close();
            setTimeout(() => {
                const late = new BroadcastChannel("a");
                late.onmessage = ({ data, origin }) => console.log(data, origin);
                one.postMessage("late");
                try { two.postMessage(1); } catch (error) { console.log(error.name); }
            }, 5);
            """)
        #expect(run.lines == ["InvalidStateError", "late http://localhost"])
    }

    @Test func `a window posts to itself, for its own origin only`() throws {
        let run = try RunOfApp(
            """
            onmessage = ({ data, source, origin }) => console.log(data, source === window, origin);
            postMessage([1], "*");
            postMessage("own", location.origin);
            postMessage("other", "https://example.org");
            try { postMessage(1, "no address"); } catch (error) { console.log(error.name); }
            """)
        #expect(
            run.lines == [
                "SyntaxError", "[ 1 ] true http://localhost", "own true http://localhost",
            ])
    }

    @Test func `a port that the message closes is not transferred`() throws {
        let run = try RunOfApp(
            """
            const [a, b, c] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
            c.port2.onmessage = ({ data }) => console.log(data);
            try {
                b.port1.postMessage({ get x() { a.port1.close(); } }, [c.port1, a.port1]);
            } catch (error) { console.log(error.name); }
            c.port1.postMessage("kept");
            """)
        #expect(run.lines == ["DataCloneError", "kept"])
    }

    @Test func `thousands of messages arrive in their order`() throws {
        let run = try RunOfApp(
            """
            const { port1, port2 } = new MessageChannel();
            let next = 0;
            port2.onmessage = ({ data }) => {
                if (data !== next++) throw data;
                if (next === 5000) console.log("all");
            };
            for (let index = 0; index < 5000; index++) port1.postMessage(index);
            """)
        #expect(run.lines == ["all"])
        #expect(run.errors.isEmpty)
    }

    @Test func `an event source tries again when too many requests are active`() throws {
        let run = try RunOfApp(
            """
            for (let index = 0; index < 64; index++) fetch("/").catch(() => {});
            const source = new EventSource("/stream");
            source.onerror = () => {
                console.log("error", source.readyState);
                source.close();
                close();
            };
            """)
        #expect(run.lines == ["error 0"])
        #expect(run.errors.isEmpty)
    }

    @Test func `marks and measures are listed, observed and cleared`() throws {
        let run = try RunOfApp(
            """
            new PerformanceObserver((list) => console.log(list.getEntries().map(({ name }) => name).join()))
                .observe({ entryTypes: ["mark", "measure"] });
            performance.mark("end", { startTime: 30, detail: { a: 1 } });
            performance.mark("start", { startTime: 10 });
            const measure = performance.measure("whole", "start", "end");
            console.log(measure.duration, measure instanceof PerformanceMeasure);
            console.log(performance.getEntries().map(({ name }) => name).join());
            console.log(JSON.stringify(performance.getEntriesByName("end")[0]));
            performance.clearMarks("end");
            console.log(performance.getEntriesByType("mark").length);
            try { performance.measure("x", "none"); } catch (error) { console.log(error.name); }
            """)
        #expect(
            run.lines == [
                "20 true", "start,whole,end",
                #"{"name":"end","entryType":"mark","startTime":30,"duration":0,"detail":{"a":1}}"#,
                "1", "SyntaxError", "start,whole,end",
            ])
    }

    @Test func `an event stream is read line by line, and continues after its last event`() throws {
        var requests: [[HeaderField]] = []
        let run = try RunOfApp(
            """
            const source = new EventSource("/stream");
            source.onopen = () => console.log("open", source.readyState);
            source.onmessage = ({ data, lastEventId }) => console.log(JSON.stringify(data), lastEventId);
            source.addEventListener("tick", ({ data }) => { console.log("tick", data); });
            source.onerror = () => console.log("error", source.readyState);
            """
        ) { frame, runner in
            guard case .request(let id, _, _, let headers, _) = frame else { return }
            requests.append(headers)
            let isFirst = requests.count == 1
            try runner.send(
                .response(
                    id: id, status: isFirst ? 200 : 204,
                    headers: [HeaderField("content-type", "text/event-stream; charset=utf-8")]))
            guard isFirst else { return }
            let text =
                "\u{FEFF}retry: 1\r\n: comment\r\ndata: grü\r\ndata:ße\r\nid: 7\r\n\r\nevent: tick\ndata\n\ndata: lost"
            // In pieces that split characters and line ends.
            for byte in text.utf8 { try runner.send(.body(id: id, bytes: [byte])) }
            try runner.send(.end(id: id))
        }
        #expect(
            run.lines == [
                "open 1", #""grü\nße" 7"#, "tick ", "error 0", "error 2",
            ])
        #expect(requests.count == 2)
        #expect(requests.last?.contains(HeaderField("last-event-id", "7")) == true)
    }

    @Test func `an event stream of another server is resumed after redirects and failures`() throws
    {
        var requests: [(target: String, headers: [HeaderField])] = []
        let run = try RunOfApp(
            """
            const source = new EventSource("https://a.example/s", { withCredentials: true });
            source.onmessage = ({ data, origin, lastEventId }) => console.log(data, origin, lastEventId);
            source.onerror = () => console.log("error", source.readyState);
            """
        ) { frame, runner in
            guard case .request(let id, _, let target, let headers, _) = frame else { return }
            requests.append((target, headers))
            switch requests.count {
            case 1:
                try runner.send(
                    .response(
                        id: id, status: 200,
                        headers: [HeaderField("content-type", "text/event-stream")],
                        url: "https://b.example/t"),
                    .body(id: id, bytes: Array("retry: 1\nid: 7\ndata: one\n\ndata: lost".utf8)),
                    .failure(id: id, message: "It broke."))
            case 2: try runner.send(.failure(id: id, message: "No permission."))
            default:
                try runner.send(.response(id: id, status: 204, headers: []), .end(id: id))
            }
        }
        #expect(
            run.lines == [
                "one https://b.example 7", "A call to https://a.example failed: It broke.",
                "error 0",
                "A call to https://a.example failed: No permission.", "error 0", "error 2",
            ])
        #expect(requests.map(\.target) == Array(repeating: "https://a.example/s", count: 3))
        #expect(!requests[0].headers.contains { $0.name == "last-event-id" })
        #expect(requests[2].headers.contains(HeaderField("last-event-id", "7")))
    }

    @Test(arguments: [
        ("new Worker('a.js')", "A headless run has no Worker: an app runs on one thread."),
        (
            "window.caches.open('a')",
            "A headless run has no caches: use indexedDB, localStorage or nervous.storage."
        ),
        (
            "new self.RTCPeerConnection()",
            "A headless run has no RTCPeerConnection: calls to servers go through the host, with fetch and"
                + " WebSocket."
        ),
    ])
    func `the error about a missing name says that a headless run does not have it`(
        source: String, reason: String
    ) throws {
        let run = try RunOfApp("if (typeof Worker === 'undefined') \(source)")
        #expect(run.errors.first?.message.hasSuffix(". \(reason)") == true)
    }

    @Test(arguments: [
        "Can't find variable: other", "undefined is not an object (evaluating 'window.other.x')",
        "Can't find variable: Worker is what my server said",
    ])
    func `other errors stay as they are`(message: String) throws {
        let run = try RunOfApp("throw new Error(\"\(message)\")")
        #expect(run.errors.map(\.message) == ["Error: \(message)"])
    }
}
