import AppRuns
import Auth
import NIOWebSocket
import Synchronization
import TestSupport
import Testing

@testable import Provider

/// Calls of a headless app to other servers with the usual APIs.
struct FetchScriptTests {
    /// Runs a script that may call `server`, and returns its output.
    private static func run(
        _ script: String, allowing origins: [String] = [], declaring more: [String] = []
    ) async throws -> [String] {
        try await ServedHost.with { host in
            let list = (origins + more).map { "\"\($0)\"" }.joined(separator: ", ")
            let bytes = try TestPackage.bytes(
                "demo", privileges: list.isEmpty ? "[]" : #"[{"net": [\#(list)], "reason": "r"}]"#,
                script: "(async () => { \(script) })();", in: host.folder)
            let answer = try await host.send(
                Call("POST", "/api/v1/apps", token: host.owner, body: bytes))
            try #require(answer.status == 201, "\(answer.text)")
            for origin in origins {
                try await host.decide(.allowAlways, "net:\(origin)", by: "demo")
            }
            let lines = Lines()
            let run = try await host.supervisor.prepare(app: "demo").id
            _ = try await host.supervisor.run(run) { lines.take($0) }
            return lines.all
        }
    }

    @Test func `fetch reaches a server that was allowed`() async throws {
        try await LocalServer.with { request in
            request.target == "/old"
                ? .redirect(to: "/new?x=1")
                : .answer(
                    "got \(String(decoding: request.body, as: UTF8.self))", status: "404 Not Found",
                    fields: [("X-Two", "2"), ("Set-Cookie", "a=b")])
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                const answer = await fetch("\(origin)/old#part", {
                    method: "PUT", body: new Uint8Array([97, 98]),
                    headers: { "Authorization": "Bearer own", "X-Mine": "1", "Cookie": "c=d" },
                });
                console.log(answer.status, answer.ok, answer.redirected, answer.type);
                console.log(answer.url, answer.headers.get("x-two"), answer.headers.get("set-cookie"));
                console.log(await answer.text());
                """, allowing: [origin])
            #expect(
                lines == ["404 false true cors", "\(origin)/new?x=1 2 null", "got ab"])
            let last = try #require(server.received.last)
            #expect(last.method == "PUT" && last["authorization"] == "Bearer own")
            #expect(last["x-mine"] == "1" && last["cookie"] == nil)
            #expect(last["host"] == "127.0.0.1:\(server.port)")
        }
    }

    @Test func `a body is read while it arrives, and a broken one rejects`() async throws {
        try await LocalServer.with { request in
            request.target == "/broken"
                ? .text("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc")
                : .silence(after: Array("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc".utf8))
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                const broken = await fetch("\(origin)/broken");
                console.log(broken.status);
                try { console.log(await broken.text()); } catch (error) { console.log(String(error)); }
                const silent = await fetch("\(origin)/silent");
                const reader = silent.body.getReader();
                console.log((await reader.read()).value.length);
                await reader.cancel();
                """, allowing: [origin])
            #expect(
                lines == [
                    "200",
                    "A call to \(origin) failed: \(origin) closed the connection before the response was"
                        + " complete.",
                    "TypeError: Failed to fetch", "3",
                ])
        }
    }

    @Test func `EventSource reads the stream of another server and resumes it`() async throws {
        try await LocalServer.with { request in
            request["last-event-id"] == nil
                ? .text(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 1\nid: 7\ndata: one\n\n"
                )
                : .silence(
                    after: Array(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: two\n\n"
                            .utf8))
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                const source = new EventSource("\(origin)/events");
                source.onmessage = ({ data, origin }) => {
                    console.log(data, origin);
                    if (data === "two") source.close();
                };
                """, allowing: [origin])
            #expect(lines == ["one \(origin)", "two \(origin)"])
            #expect(server.received.last?["last-event-id"] == "7")
        }
    }

    @Test func `WebSocket speaks with another server`() async throws {
        try await WebSocketServer.with { frame in
            frame.opcode == .text && frame.bytes == Array("end".utf8)
                ? [.close(4000, Array("enough".utf8))] : [frame]
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                const socket = new WebSocket("ws://127.0.0.1:\(server.port)/chat");
                socket.binaryType = "arraybuffer";
                socket.onopen = () => {
                    socket.send("grün");
                    socket.send(new Uint8Array(300_000).fill(7));
                    socket.send("end");
                };
                socket.onmessage = ({ data }) => {
                    console.log(typeof data === "string" ? data : `${data.byteLength} ${new Uint8Array(data)[299_999]}`);
                };
                socket.onclose = ({ code, reason, wasClean }) => console.log(code, reason, wasClean);
                """, allowing: [origin])
            #expect(lines == ["grün", "300000 7", "4000 enough true"])
            let refused = try await Self.run(
                """
                const socket = new WebSocket("ws://127.0.0.1:\(server.port)/");
                socket.onerror = () => console.log("error");
                socket.onclose = ({ code }) => console.log(code);
                """)
            #expect(refused.first?.contains("failed: demo does not declare \(origin)") == true)
            #expect(refused.dropFirst() == ["error", "1006"])
        }
    }

    @Test func `XMLHttpRequest calls other servers, also synchronously`() async throws {
        try await LocalServer.with { request in
            request.target == "/old"
                ? .redirect(to: "/new") : .answer("{\"a\":1}", fields: [("X-Two", "2")])
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                const first = new XMLHttpRequest();
                first.open("GET", "\(origin)/old", false);
                first.send();
                console.log(first.status, first.responseText, first.getResponseHeader("X-Two"));
                console.log(first.responseURL);
                const second = new XMLHttpRequest();
                second.open("POST", "\(origin)/x");
                second.responseType = "json";
                await new Promise((resolve) => { second.onload = resolve; second.send("body"); });
                console.log(second.status, second.response.a, second.responseURL);
                """, allowing: [origin])
            #expect(
                lines == ["200 {\"a\":1} 2", "\(origin)/new", "200 1 \(origin)/x"])
        }
    }

    @Test func `a refused call fails as in a browser, and the console has the reason`()
        async throws
    {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                try { await fetch("\(origin)/secret"); } catch (error) { console.log(String(error)); }
                const call = new XMLHttpRequest();
                call.open("GET", "\(origin)/", false);
                try { call.send(); } catch (error) { console.log(error.name, call.status); }
                const later = new XMLHttpRequest();
                later.open("GET", "\(origin)/");
                await new Promise((resolve) => { later.onerror = resolve; later.send(); });
                console.log(later.status);
                """)
            let why =
                "A call to \(origin) failed: demo does not declare \(origin) in its package.json."
            #expect(lines.count == 6)
            for place in [0, 2, 4] where place < lines.count {
                #expect(lines[place].hasPrefix(why), "\(lines[place])")
            }
            #expect(lines.contains("TypeError: Failed to fetch"))
            #expect(lines.contains("NetworkError 0") && lines.last == "0")
            #expect(server.received.isEmpty)
        }
    }

    @Test func `the SDK reports the reason of an error`() async throws {
        let port = ClosedPort()
        defer { withExtendedLifetime(port) {} }
        try await LocalServer.with { request in
            switch request.target {
            case "/object": .answer(#"{"a": 1}"#)
            case "/array": .answer("[1]")
            case "/bad": .answer("{")
            default: .answer("gone", status: "404 Not Found")
            }
        } _: { server in
            let (origin, gone) = (
                "http://127.0.0.1:\(server.port)", "http://127.0.0.1:\(port.number)"
            )
            let lines = try await Self.run(
                """
                console.log((await nervous.net.object("\(origin)/object")).a);
                console.log((await nervous.net.fetch("\(origin)/none")).status);
                for (const url of ["\(origin)/array", "\(origin)/bad", "\(origin)/none", "\(gone)/",
                        "https://denied.example/", "https://other.example/"]) {
                    try { await nervous.net.object(url); } catch (error) {
                        console.log(error.problem, error.name, error.privilege ?? "–");
                    }
                }
                console.log((await nervous.permissions.query({ name: "net", origin: "\(origin)" })).state);
                """, allowing: [origin, gone], declaring: ["https://denied.example"])
            #expect(
                lines == [
                    "1", "404", "not-an-object DataError –", "bad-json DataError –",
                    "http-404 DataError –", "unreachable NetworkError –",
                    "undecided NotAllowedError net:https://denied.example",
                    "undeclared NotAllowedError net:https://other.example", "granted",
                ])
        }
    }

    @Test func `a large response is complete, and one above the limit fails`()
        async throws
    {
        let size = 3 << 20
        let body = String(repeating: "x", count: size)
        try await LocalServer.with { request in
            request.target == "/"
                ? .answer(body)
                : .endless(after: Array("HTTP/1.1 200 OK\r\n\r\n".utf8), Array(body.utf8))
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                console.log((await (await fetch("\(origin)/")).arrayBuffer()).byteLength);
                try { await (await fetch("\(origin)/endless")).text(); } catch (error) { console.log(error.message); }
                """, allowing: [origin])
            #expect(lines.first == "\(size)")
            #expect(lines.last == "Failed to fetch")
            #expect(lines.contains { $0.contains("sent more than the limit") })
        }
    }

    @Test func `a cancelled call does not count as concurrent`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        _ = arrivals
        try await LocalServer.with { request in
            guard request.target == "/slow" else { return .answer("quick") }
            arrival.yield()
            return .silence(after: [])
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            let lines = try await Self.run(
                """
                for (let round = 0; round < 2; round++) {
                    const ending = new AbortController();
                    const calls = [1, 2, 3, 4].map(() => fetch("\(origin)/slow", { signal: ending.signal }));
                    await new Promise((resolve) => setTimeout(resolve, 300));
                    ending.abort();
                    const outcomes = await Promise.allSettled(calls);
                    console.log(outcomes.map(({ reason }) => reason.name).join());
                }
                console.log(await (await fetch("\(origin)/")).text());
                """, allowing: [origin])
            #expect(
                lines == [
                    "AbortError,AbortError,AbortError,AbortError",
                    "AbortError,AbortError,AbortError,AbortError", "quick",
                ])
        }
    }
}
