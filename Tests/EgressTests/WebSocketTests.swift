import Addresses
import NIOCore
import NIOSSL
import NIOWebSocket
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Egress

/// WebSockets to real servers.
@Suite(.timeLimit(.minutes(10)))
struct WebSocketTests {
    /// What a server that behaves well does: it returns messages and completes the closing handshake.
    private static let echo: @Sendable (WebSocketFrame) -> [WebSocketFrame]? = { frame in
        switch frame.opcode {
        case .pong: []
        default: [frame]
        }
    }

    /// Opens a WebSocket and receives until it has ended; `body` gets each message.
    private static func open(
        _ port: Int, protocols: [String] = [], limits: WebSocketLimits = WebSocketLimits(),
        time: ManualTime? = nil,
        begin: @escaping @Sendable (WebSocketConnection) async throws -> Void = { _ in },
        received body:
            @escaping @Sendable (WebSocketConnection, WebSocketMessage) async throws -> Void =
            { _, _ in }
    ) async throws -> WebSocketClosing {
        let client = OutboundClient(
            userAgent: "Nervous/test", rule: .apps(ownPorts: { [] }), resolver: NoResolver(),
            trustRoots: .certificates([]), time: time ?? SystemTime()
        ) { try SocketAddress(ipAddress: $0.description, port: Int($1)) }
        let request = try #require(
            try WebSocketRequest("ws://127.0.0.1:\(port)/chat?x=1", protocols: protocols))
        var options = TestClient.patient
        // Tests advance the time beyond it.
        if time != nil { options.total = .seconds(1_000_000) }
        return try await client.webSocket(
            request, options, limits: limits, pin: nil
        ) { connection in
            try await begin(connection)
            return try await connection.receive { try await body(connection, $0) }
        }
    }

    @Test func `messages go both ways, masked, and a close has its code and reason`() async throws {
        let messages = Mutex<[WebSocketMessage]>([])
        try await WebSocketServer.with(
            fields: [("Sec-WebSocket-Protocol", "two")], Self.echo
        ) { server in
            let closing = try await Self.open(server.port, protocols: ["one", "two"]) {
                connection in
                #expect(connection.subprotocol == "two")
                try await connection.send(.text("grüße"))
                try await connection.send(.binary(ByteBuffer(bytes: [0, 255])))
                try await connection.send(.text(""))
            } received: { connection, message in
                let count = messages.withLock {
                    $0.append(message); return $0.count
                }
                if count == 3 { connection.close(code: 3001, reason: "done") }
            }
            #expect(closing == WebSocketClosing(code: 3001, reason: "done", isClean: true))
            #expect(
                messages.withLock { $0 } == [
                    .text("grüße"), .binary(ByteBuffer(bytes: [0, 255])), .text(""),
                ])
            let close = try #require(server.received.last)
            #expect(close.opcode == .connectionClose)
            #expect(close.bytes == [0x0B, 0xB9] + Array("done".utf8))
            let fields = server.fields.filter { $0.name.lowercased() != "sec-websocket-key" }
            #expect(
                Set(fields.map { "\($0.name.lowercased()): \($0.value.lowercased())" }) == [
                    "host: 127.0.0.1:\(server.port)", "user-agent: nervous/test",
                    "connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13",
                    "sec-websocket-protocol: one, two",
                ])
        }
    }

    @Test func `fragments become one message, also around a ping`() async throws {
        let text = Array("grün".utf8)
        let ping = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(bytes: [7]))
        let messages = Mutex<[WebSocketMessage]>([])
        try await WebSocketServer.with(
            opening: [
                // Within a character.
                WebSocketFrame(fin: false, opcode: .text, data: ByteBuffer(bytes: text.prefix(3))),
                ping, .continuation([], fin: false),
                .continuation(Array(text.dropFirst(3)), fin: true), .binary([1], fin: false),
                .continuation([2], fin: true), .close(),
            ]
        ) { server in
            let closing = try await Self.open(
                server.port,
                received: { _, message in
                    messages.withLock { $0.append(message) }
                })
            #expect(closing == WebSocketClosing(code: 1005, reason: "", isClean: true))
            #expect(
                messages.withLock { $0 } == [.text("grün"), .binary(ByteBuffer(bytes: [1, 2]))])
            while server.ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.received.first?.opcode == .pong && server.received.first?.bytes == [7])
            // The answer to a close frame without a code has none.
            #expect(server.received.last?.opcode == .connectionClose)
            #expect(server.received.last?.bytes == [])
        }
    }

    /// Frames that break the protocol, and the code with which they are answered.
    enum Fault: CaseIterable {
        case masked, reservedBit, unknownOpcode, loneContinuation, interrupted, fragmentedControl
        case longControl, invalidText, splitInvalidText, invalidReason, shortClose, unsentCode
        case lowCode, largeFrame, largeMessage

        var frames: [WebSocketFrame] {
            switch self {
            case .masked:
                [
                    WebSocketFrame(
                        fin: true, opcode: .text, maskKey: [1, 2, 3, 4],
                        data: ByteBuffer(bytes: [1]))
                ]
            case .reservedBit:
                [WebSocketFrame(fin: true, rsv2: true, opcode: .text, data: ByteBuffer())]
            case .unknownOpcode:
                [
                    WebSocketFrame(
                        fin: true, opcode: WebSocketOpcode(encodedWebSocketOpcode: 3) ?? .text,
                        data: ByteBuffer())
                ]
            case .loneContinuation: [.continuation([1], fin: true)]
            case .interrupted: [.text("a", fin: false), .text("b")]
            case .fragmentedControl: [WebSocketFrame(fin: false, opcode: .ping, data: ByteBuffer())]
            case .longControl:
                [
                    WebSocketFrame(
                        fin: true, opcode: .ping, data: ByteBuffer(repeating: 0, count: 126))
                ]
            case .invalidText:
                [WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: [0xC3]))]
            case .splitInvalidText:
                [
                    WebSocketFrame(
                        fin: false, opcode: .text, data: ByteBuffer(bytes: [0xED, 0xA0])),
                    .continuation([0x80], fin: true),
                ]
            case .invalidReason: [.close(1000, [0xFF])]
            case .shortClose:
                [WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(bytes: [3]))]
            case .unsentCode: [.close(1006)]
            case .lowCode: [.close(999)]
            case .largeFrame: [.binary(Array(repeating: 0, count: 1001))]
            case .largeMessage:
                [
                    .binary(Array(repeating: 0, count: 600), fin: false),
                    .continuation(Array(repeating: 0, count: 600), fin: true),
                ]
            }
        }

        var code: [UInt8] {
            switch self {
            case .invalidText, .splitInvalidText, .invalidReason: [0x03, 0xEF]
            case .largeFrame, .largeMessage: [0x03, 0xF1]
            default: [0x03, 0xEA]
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `a server that breaks the protocol gets a close frame with the code`(
        fault: Fault
    ) async throws {
        var limits = WebSocketLimits()
        limits.message = 1000
        let chosen = limits
        try await WebSocketServer.with(opening: fault.frames) { server in
            let closing = try await Self.open(
                server.port, limits: chosen,
                received: { _, message in Issue.record("received \(message)") })
            #expect(closing.code == 1006 && !closing.isClean)
            #expect(closing.problem?.contains("broke the WebSocket protocol") == true)
            while server.ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.received.map(\.opcode) == [.connectionClose])
            #expect(server.received.first?.bytes == fault.code)
        }
    }

    @Test func `a connection that is lost has no clean end`() async throws {
        try await WebSocketServer.with { _ in
            nil
        } _: { server in
            let closing = try await Self.open(server.port) { try await $0.send(.text("bye")) }
            #expect(closing.code == 1006 && !closing.isClean && closing.problem != nil)
        }
    }

    @Test func `a message above the limit is not sent, and none after a close`() async throws {
        try await WebSocketServer.with(Self.echo) { server in
            _ = try await Self.open(server.port) { connection in
                let large = ByteBuffer(repeating: 0, count: (1 << 20) + 1)
                let error = await #expect(throws: EgressError.self) {
                    try await connection.send(.binary(large))
                }
                #expect(error?.code == .messageTooLarge)
                connection.close(code: nil)
                let late = await #expect(throws: EgressError.self) {
                    try await connection.send(.text("late"))
                }
                #expect(late?.code == .webSocketClosed)
            }
            while server.ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.received.map(\.opcode) == [.connectionClose])
        }
    }

    @Test func `a message of the maximum size passes`() async throws {
        let bytes = ByteBuffer(repeating: 5, count: 1 << 20)
        let size = Mutex(0)
        try await WebSocketServer.with(Self.echo) { server in
            _ = try await Self.open(server.port) {
                try await $0.send(.binary(bytes))
            } received: { connection, message in
                size.withLock { $0 = message.size }
                connection.close(code: 1000)
            }
            #expect(size.withLock { $0 } == 1 << 20)
        }
    }

    @Test func `a silent server gets a ping, and then its connection ends`() async throws {
        let time = ManualTime()
        try await WebSocketServer.with { _ in
            []
        } _: { server in
            async let end = Self.open(server.port, time: time)
            // The time limit of the handshake, and the timer of the open connection.
            await time.waitForSleepers(2)
            while !server.received.contains(where: { $0.opcode == .ping }) {
                time.advance(by: .seconds(15))
                try await Task.sleep(for: .milliseconds(20))
            }
            let isOver = Mutex(false)
            async let advance: Void = {
                while !isOver.withLock({ $0 }) {
                    time.advance(by: .seconds(15))
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }()
            let closing = try await end
            isOver.withLock { $0 = true }
            await advance
            #expect(closing.code == 1006 && closing.problem?.contains("ping") == true)
        }
    }

    @Test func `a receiver that fails or is cancelled closes the connection`() async throws {
        struct Refusal: Error {}
        try await WebSocketServer.with(opening: [.text("one")]) { server in
            await #expect(throws: Refusal.self) {
                _ = try await Self.open(server.port, received: { _, _ in throw Refusal() })
            }
            while server.ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.received.last?.bytes == [0x03, 0xE9])
        }
        try await WebSocketServer.with(opening: [.text("one")]) { server in
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            let call = Task {
                try await Self.open(server.port, received: { _, _ in arrival.yield() })
            }
            for await _ in arrivals { break }
            call.cancel()
            await #expect(throws: (any Error).self) { _ = try await call.value }
            while server.ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    @Test func `a message waits until the receiver has taken the one before`() async throws {
        let taken = Count()
        try await WebSocketServer.with(
            opening: Array(repeating: .binary(Array(repeating: 1, count: 1 << 20)), count: 64)
        ) { server in
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            let call = Task {
                try await Self.open(
                    server.port,
                    received: { _, message in
                        taken.value.withLock { $0 += 1 }
                        arrival.yield()
                        try await Task.sleep(for: .seconds(3600))
                    })
            }
            for await _ in arrivals { break }
            call.cancel()
            await #expect(throws: (any Error).self) { _ = try await call.value }
            #expect(taken.value.withLock { $0 } == 1)
        }
    }

    @Test(arguments: [
        ([], [("Sec-WebSocket-Protocol", "one")]), (["one"], []),
        (["one"], [("Sec-WebSocket-Protocol", "two")]),
        (["one", "two"], [("Sec-WebSocket-Protocol", "one, two")]),
        ([], [("Sec-WebSocket-Extensions", "permessage-deflate")]),
    ])
    func `a choice that was not offered is refused`(
        protocols: [String], fields: [(String, String)]
    ) async throws {
        try await WebSocketServer.with(fields: fields) { server in
            let error = await #expect(throws: EgressError.self) {
                _ = try await Self.open(server.port, protocols: protocols)
            }
            #expect(error?.code == .invalidResponse)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: AAAA\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n", "",
        "no HTTP\r\n\r\n",
    ])
    func `another response than a WebSocket is an error`(text: String) async throws {
        try await LocalServer.with { _ in
            .text(text)
        } _: { server in
            let error = await #expect(throws: EgressError.self) {
                _ = try await Self.open(server.port)
            }
            #expect(error?.code == .invalidResponse)
        }
    }

    @Test func `a forbidden address is not called`() async throws {
        for url in ["ws://169.254.169.254/", "ws://other.localhost:1/"] {
            let request = try #require(try WebSocketRequest(url))
            try await TestClient.with([]) { client async throws in
                let error = await #expect(throws: EgressError.self) {
                    try await client.client.webSocket(request, pin: nil) { _ in }
                }
                #expect(error?.code == .addressRefused)
                #expect(client.connections.all.isEmpty)
            }
        }
    }

    @Test func `the origin is that of the scheme for HTTP`() throws {
        for (url, origin) in [
            ("ws://a.example/x", "http://a.example"), ("WSS://a.example/", "https://a.example"),
            ("wss://a.example:8443", "https://a.example:8443"),
        ] {
            #expect(try WebSocketRequest(url)?.address.origin.description == origin)
        }
        #expect(try WebSocketRequest("ftp://a.example") == nil)
        #expect(throws: EgressError.self) {
            try WebSocketRequest("ws://a.example", protocols: ["a", "a"])
        }
        #expect(throws: EgressError.self) {
            try WebSocketRequest("ws://a.example", protocols: ["a b"])
        }
    }
}
