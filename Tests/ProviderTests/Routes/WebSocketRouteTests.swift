import Auth
import NIOCore
import NIOWebSocket
import TestSupport
import Testing
import Text

@testable import Provider

/// WebSockets of apps with other servers, as the API offers them.
@Suite(.timeLimit(.minutes(10)))
struct WebSocketRouteTests {
    private static func send(
        _ host: ServedHost, _ token: String, _ id: String, _ body: [UInt8],
        type: String = "application/x-ndjson"
    ) async throws -> Answer {
        try await host.send(
            Call(
                "POST", "/api/v1/websockets/\(id)/messages", token: token,
                headers: [("Content-Type", type)], body: body))
    }

    /// Entries of the access log about WebSockets, the oldest first.
    private static func entries(_ host: ServedHost) async throws -> [String] {
        try await host.authority.log.entries(AccessLogQuery(client: "curl")).reversed()
            .filter { $0.operation?.hasPrefix("websocket") == true }
            .map { "\($0.operation ?? "") \($0.detail ?? "") \($0.count)" }
    }

    @Test func `messages go both ways until the closing handshake`() async throws {
        try await WebSocketServer.with(fields: [("Sec-WebSocket-Protocol", "two")]) { frame in
            [frame]
        } _: { server in
            try await ServedHost.with { host in
                let token = try await host.client(allow: ["net:http://127.0.0.1:\(server.port)"])
                try await host.webSocket(token, server.port, protocols: #"["one", "two"]"#) {
                    events, id in
                    #expect(events.text.contains("text/event-stream"))
                    #expect(events.text.contains(#""protocol":"two""#))
                    let lines = #"{"text":"a\n"}"# + "\n" + #"{"base64":"AP8="}"# + "\n"
                    #expect(try await Self.send(host, token, id, Array(lines.utf8)).status == 204)
                    let plain = try await Self.send(
                        host, token, id, Array("ü".utf8), type: "text/plain;charset=utf-8")
                    #expect(plain.status == 204)
                    let bytes = try await Self.send(
                        host, token, id, [7], type: "application/octet-stream")
                    #expect(bytes.status == 204)
                    await events.read { $0.text.contains(#"{"base64":"Bw=="}"#) }
                    let messages = events.text.matches(of: /event: message\ndata: ([^\n]*)\n\n/)
                    #expect(
                        messages.map { String($0.1) } == [
                            #"{"text":"a\n"}"#, #"{"base64":"AP8="}"#, #"{"text":"ü"}"#,
                            #"{"base64":"Bw=="}"#,
                        ])
                    let close = try await host.send(
                        Call(
                            "DELETE", "/api/v1/websockets/\(id)?code=3001&reason=b%C3%A4",
                            token: token))
                    #expect(close.status == 204)
                    await events.read { _ in false }
                    #expect(
                        events.text.contains(
                            "event: close\ndata: "
                                + #"{"clean":true,"code":3001,"reason":"bä"}"# + "\n\n"))
                    let late = try await Self.send(host, token, id, Array(lines.utf8))
                    #expect(late.status == 404 && late.code == "unknown-websocket")
                }
                #expect(
                    try await Self.entries(host) == [
                        "websocket open 0", "websocket-body messages 7", "websocket closed 3001 7",
                    ])
            }
        }
    }

    @Test func `only the client that opened a WebSocket can use it`() async throws {
        try await WebSocketServer.with { server in
            try await ServedHost.with { host in
                let origin = "net:http://127.0.0.1:\(server.port)"
                let token = try await host.client(allow: [origin])
                let other = try await host.client("other", allow: [origin])
                try await host.webSocket(token, server.port) { _, id in
                    for stranger in [other, host.owner] {
                        let sent = try await Self.send(
                            host, stranger, id, Array(#"{"text":"a"}"#.utf8))
                        #expect(sent.status == 404 && sent.code == "unknown-websocket")
                        let closed = try await host.send(
                            Call("DELETE", "/api/v1/websockets/\(id)", token: stranger))
                        #expect(closed.status == 404)
                    }
                }
                #expect(!server.received.contains { $0.opcode == .text })
            }
        }
    }

    @Test func `a WebSocket needs the permission, also while it is open`() async throws {
        try await WebSocketServer.with { server in
            try await ServedHost.with(heartbeat: .milliseconds(20)) { host in
                let origin = "net:http://127.0.0.1:\(server.port)"
                let token = try await host.client()
                let json = #"{"url": "ws://127.0.0.1:\#(server.port)/"}"#
                let refused = try await host.send(
                    Call("POST", "/api/v1/websockets", token: token, json: json))
                #expect(refused.status == 403)
                #expect(server.fields.isEmpty)
                try await host.decide(.allowAlways, origin, by: "curl")
                try await host.webSocket(token, server.port) { events, id in
                    try await host.decide(.deny, origin, by: "curl")
                    await events.read { _ in false }
                    #expect(events.text.contains("event: problem\n"))
                    #expect(events.text.contains(#""code":"denied""#))
                    let sent = try await Self.send(host, token, id, Array(#"{"text":"a"}"#.utf8))
                    #expect(sent.status == 404)
                }
                while server.ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
        }
    }

    @Test func `a WebSocket whose reader has left is closed, and a client has at most four`()
        async throws
    {
        try await WebSocketServer.with { server in
            try await ServedHost.with { host in
                let token = try await host.client(allow: ["net:http://127.0.0.1:\(server.port)"])
                try await host.webSocket(token, server.port) { _, _ in
                    try await host.webSocket(token, server.port) { _, _ in
                        try await host.webSocket(token, server.port) { _, _ in
                            try await host.webSocket(token, server.port) { _, _ in
                                let json = #"{"url": "ws://127.0.0.1:\#(server.port)/"}"#
                                let fifth = try await host.send(
                                    Call("POST", "/api/v1/websockets", token: token, json: json))
                                #expect(fifth.status == 429 && fifth.code == "too-many-calls")
                            }
                        }
                    }
                }
                while server.ended < 4 { try await Task.sleep(for: .milliseconds(5)) }
                let closes = server.received.filter { $0.opcode == .connectionClose }
                #expect(closes.allSatisfy { $0.bytes == [0x03, 0xE9] })
            }
        }
    }

    @Test(arguments: [
        #"{"url": "ftp://a.example"}"#, #"{"url": 1}"#, "{}",
        #"{"url": "ws://a.example", "protocols": ["a", "a"]}"#,
        #"{"url": "ws://a.example", "protocols": ["a b"]}"#, #"{"url": "ws://u:p@a.example"}"#,
    ])
    func `an invalid request is rejected`(json: String) async throws {
        try await ServedHost.with { host in
            let answer = try await host.send(
                Call("POST", "/api/v1/websockets", token: host.owner, json: json))
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    @Test func `invalid messages and codes are rejected, and nothing is sent`() async throws {
        try await WebSocketServer.with { server in
            try await ServedHost.with { host in
                let token = try await host.client(allow: ["net:http://127.0.0.1:\(server.port)"])
                try await host.webSocket(token, server.port) { _, id in
                    let first = #"{"text":"a"}"# + "\n"
                    for line in [
                        "{", "[]", "{}", #"{"text":1}"#, #"{"base64":"?"}"#,
                        #"{"text":"a","base64":""}"#,
                    ] {
                        let answer = try await Self.send(
                            host, token, id, Array((first + line).utf8))
                        #expect(answer.status == 400, "\(line) \(answer.text)")
                    }
                    let text = try await Self.send(host, token, id, [0xFF], type: "text/plain")
                    #expect(text.status == 400)
                    let type = try await Self.send(host, token, id, [0xFF], type: "text/html")
                    #expect(type.status == 415)
                    let large = try await Self.send(
                        host, token, id, Array(repeating: 0, count: (1 << 20) + 1),
                        type: "application/octet-stream")
                    #expect(large.status == 413)
                    for query in [
                        "code=1001", "code=x", "reason=a", "x=1",
                        "code=1000&reason=\(String(repeating: "a", count: 124))",
                    ] {
                        let answer = try await host.send(
                            Call("DELETE", "/api/v1/websockets/\(id)?\(query)", token: token))
                        #expect(answer.status == 400, "\(query)")
                    }
                }
                #expect(!server.received.contains { $0.opcode == .text })
            }
        }
    }

    @Test func `this host and forbidden addresses are refused, and a failure is a problem`()
        async throws
    {
        try await LocalServer.with { _ in
            .answer("x")
        } _: { server in
            try await ServedHost.with { host in
                for (url, status, code) in [
                    ("ws://localhost:\(host.port)/", 403, "own-host"),
                    ("ws://169.254.169.254/", 403, "address-refused"),
                    ("ws://127.0.0.1:\(server.port)/", 502, "broken-answer"),
                ] {
                    let answer = try await host.send(
                        Call(
                            "POST", "/api/v1/websockets", token: host.owner,
                            json: #"{"url": "\#(url)"}"#))
                    #expect(answer.status == status && answer.code == code, "\(answer.text)")
                }
            }
        }
    }
}
