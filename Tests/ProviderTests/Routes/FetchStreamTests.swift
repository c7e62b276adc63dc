import Auth
import NIOCore
import TestSupport
import Testing

@testable import Provider

/// Responses of other servers that are passed on while they arrive.
@Suite(.timeLimit(.minutes(10)))
struct FetchStreamTests {
    private static let events = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n".utf8)

    private static func call(_ host: ServedHost, _ token: String, _ url: String) -> Call {
        Call(
            "POST", "/api/v1/fetch", token: token,
            headers: [("Nervous-Request", #"{"url": "\#(url)"}"#)])
    }

    /// Calls a server, and runs `body` when `begun` is true of what has arrived.
    private static func stream(
        _ host: ServedHost, _ token: String, _ url: String,
        begun: (EventReader) -> Bool = { $0.text.contains("data: one") },
        _ body: (EventReader) async throws -> Void
    ) async throws {
        let bytes = call(host, token, url).bytes(standardHost: "localhost:\(host.port)")
        try await TCPConnection.with(port: host.port) { reader, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            let events = EventReader(reader)
            await events.read { begun($0) || $0.text.contains("HTTP/1.1 4") }
            try await body(events)
        }
    }

    @Test func `a piece is passed on before the response has ended`() async throws {
        try await LocalServer.with { _ in
            .silence(after: Array("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nbegin".utf8))
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                let token = try await host.client(allow: ["net:\(origin)"])
                try await Self.stream(host, token, origin, begun: { $0.text.contains("begin") }) {
                    #expect($0.text.contains("HTTP/1.1 200"))
                    #expect($0.text.contains("application/octet-stream"))
                }
            }
        }
    }

    enum BadEnding: String, CaseIterable {
        case short, unfinishedChunks, tooLarge

        var reply: LocalServer.Reply {
            let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
            return switch self {
            case .short: .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            case .unfinishedChunks: .text(chunked)
            case .tooLarge:
                .endless(
                    after: Array("\(chunked)b00000\r\n".utf8), Array(repeating: 120, count: 65_536))
            }
        }
    }

    @Test(arguments: BadEnding.allCases)
    func `a response that ends early or is too large is broken off`(
        ending: BadEnding
    ) async throws {
        try await LocalServer.with { _ in
            ending.reply
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                let token = try await host.client(allow: ["net:\(origin)"])
                let bytes = try await host.raw(
                    Self.call(host, token, origin).bytes(standardHost: "localhost:\(host.port)"))
                let received = String(decoding: bytes, as: UTF8.self)
                #expect(received.hasPrefix("HTTP/1.1 200") && received.contains("abc"))
                #expect(!received.hasSuffix("\r\n0\r\n\r\n"))
                let entries = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
                let details = entries.filter { $0.operation == "fetch" }.map { $0.detail }
                #expect(details == ["GET 200 incomplete"])
            }
        }
    }

    @Test func `a stream of events ends when its permission ends`() async throws {
        try await LocalServer.with { _ in
            .silence(after: Self.events)
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with(heartbeat: .milliseconds(20)) { host in
                let token = try await host.client(allow: ["net:\(origin)"])
                try await Self.stream(host, token, origin) { events in
                    #expect(events.text.contains("text/event-stream"))
                    try await host.decide(.deny, "net:\(origin)", by: "curl")
                    await events.read { _ in false }
                    #expect(!events.text.hasSuffix("\r\n0\r\n\r\n"))
                }
                let entries = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
                let calls = entries.filter { $0.operation == "fetch" }.reversed()
                #expect(calls.map(\.kind) == [.access, .refusal, .access])
                #expect(
                    calls.filter { $0.kind == .access }.map { "\($0.detail ?? "") \($0.count)" }
                        == ["GET 200 stream 0", "GET 200 incomplete 11"])
            }
        }
    }

    @Test func `a client has four streams of events, besides its calls`() async throws {
        try await LocalServer.with { request in
            request.target == "/" ? .silence(after: Self.events) : .answer("x")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                let token = try await host.client(allow: ["net:\(origin)"])
                try await Self.stream(host, token, origin) { _ in
                    try await Self.stream(host, token, origin) { _ in
                        try await Self.stream(host, token, origin) { _ in
                            try await Self.stream(host, token, origin) { _ in
                                let fifth = try await host.send(Self.call(host, token, origin))
                                #expect(fifth.status == 429 && fifth.code == "too-many-calls")
                                let other = try await host.send(
                                    Self.call(host, token, "\(origin)/other"))
                                #expect(other.text == "x")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `a stream that its reader has left ends`() async throws {
        try await LocalServer.with { _ in
            .silence(after: Self.events)
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await ServedHost.with { host in
                let token = try await host.client(allow: ["net:\(origin)"])
                for _ in 1...6 { try await Self.stream(host, token, origin) { _ in } }
                // Each stream that has ended has an entry besides that of its beginning.
                var ended = 0
                while ended < 6 {
                    let entries = try await host.authority.log.entries(
                        AccessLogQuery(client: "curl"))
                    ended = entries.filter { $0.detail == "GET 200 incomplete" }
                        .reduce(0) { $0 + $1.calls }
                }
                #expect(ended == 6)
            }
        }
    }
}
