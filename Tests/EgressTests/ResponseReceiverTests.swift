import Addresses
import NIOCore
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import Egress

/// A response can be received while it arrives.
struct ResponseReceiverTests {
    private struct Refusal: Error {}

    /// Receives a response of a server, and calls `body` for each part.
    private static func receive(
        _ reply: LocalServer.Reply, _ options: OutboundOptions = TestClient.patient,
        head: @escaping @Sendable (ResponseHead) async throws -> Void = { _ in },
        piece: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> OutboundResponse {
        try await LocalServer.with { _ in
            reply
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            return try await TestClient.with([origin]) { client async throws in
                let address = try #require(WebAddress(origin))
                return try await client.client.send(OutboundRequest("GET", address), options) {
                    try await $0.perform(
                        pin: nil,
                        receiver: ResponseReceiver { received, from, isRedirected in
                            #expect(from == address)
                            #expect(!isRedirected)
                            try await head(received)
                        } piece: {
                            try await piece($0)
                        })
                }
            }
        }
    }

    private static func text(_ head: String, _ body: String = "") -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n\(body)".utf8)
    }

    @Test func `pieces arrive before the end of the response`() async throws {
        let pieces = Mutex("")
        // The server sends nothing more: the receiver ends the call.
        await #expect(throws: Refusal.self) {
            _ = try await Self.receive(
                .silence(after: Self.text("Content-Length: 10", "first"))
            ) { piece in
                pieces.withLock { $0 += String(buffer: piece) }
                if pieces.withLock({ $0 }) == "first" { throw Refusal() }
            }
        }
        #expect(pieces.withLock { $0 } == "first")
    }

    @Test func `a complete response is passed on and counted`() async throws {
        let parts = Mutex<[String]>([])
        let response = try await Self.receive(.answer("12345", status: "404 Not Found")) { head in
            parts.withLock { $0.append("\(head.status) \(head.isEventStream)") }
        } piece: { piece in
            parts.withLock { $0.append(String(buffer: piece)) }
        }
        #expect(parts.withLock { $0.first } == "404 false")
        #expect(parts.withLock { $0.dropFirst().joined() } == "12345")
        #expect(response.received == 5 && response.body.readableBytes == 0)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
    func `a response that ends early is an error after its pieces`(_ text: String) async throws {
        let pieces = Mutex("")
        let error = await #expect(throws: EgressError.self) {
            _ = try await Self.receive(.text(text)) { piece in
                pieces.withLock { $0 += String(buffer: piece) }
            }
        }
        #expect(error?.code == .invalidResponse)
        #expect(pieces.withLock { $0 } == "abc")
    }

    @Test func `a response that becomes too large is an error`() async throws {
        var options = TestClient.patient
        options.responseBytes = 1000
        let count = Mutex(0)
        let error = await #expect(throws: EgressError.self) {
            _ = try await Self.receive(
                .endless(after: Self.text("X-A: b"), Array(repeating: 97, count: 100)), options
            ) { piece in
                count.withLock { $0 += piece.readableBytes }
            }
        }
        #expect(error?.code == .responseTooLarge)
        #expect(count.withLock { $0 } <= 1000)
    }

    @Test(arguments: ["text/event-stream", "Text/Event-Stream; charset=utf-8"])
    func `a stream of events has no limit of size and of total time`(type: String) async throws {
        var options = TestClient.patient
        options.responseBytes = 1000
        let time = ManualTime()
        let count = Mutex(0)
        try await LocalServer.with { _ in
            .endless(after: Self.text("Content-Type: \(type)"), Array("data: a\n\n".utf8))
        } _: { server in
            let address = try #require(WebAddress("http://127.0.0.1:\(server.port)"))
            let client = OutboundClient(
                userAgent: "Nervous/test", rule: .apps(ownPorts: { [] }), resolver: NoResolver(),
                trustRoots: .certificates([]), time: time
            ) { try SocketAddress(ipAddress: $0.description, port: Int($1)) }
            let limits = options
            await #expect(throws: Refusal.self) {
                _ = try await client.send(OutboundRequest("GET", address), limits) {
                    try await $0.perform(
                        pin: nil,
                        receiver: ResponseReceiver { head, _, _ in
                            #expect(head.isEventStream)
                        } piece: { piece in
                            let sum = count.withLock {
                                $0 += piece.readableBytes; return $0
                            }
                            if sum == piece.readableBytes { time.advance(by: limits.total * 2) }
                            if sum > 100_000 { throw Refusal() }
                        })
                }
            }
        }
    }

    @Test func `a stream of events that is silent for too long is an error`() async throws {
        var options = TestClient.patient
        options.idle = .milliseconds(20)
        let error = await #expect(throws: EgressError.self) {
            _ = try await Self.receive(
                .silence(after: Self.text("Content-Type: text/event-stream", "data: 1\n\n")),
                options
            ) { _ in }
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `a redirect that is followed is not passed on`() async throws {
        let parts = Mutex<[String]>([])
        try await LocalServer.with { request in
            request.target == "/" ? .redirect(to: "/next") : .answer("there")
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await TestClient.with([origin]) { client async throws in
                let address = try #require(WebAddress(origin))
                let response = try await client.client.send(
                    OutboundRequest("GET", address), TestClient.patient
                ) {
                    try await $0.perform(
                        pin: nil,
                        receiver: ResponseReceiver { head, from, isRedirected in
                            parts.withLock { $0.append("\(head.status) \(from) \(isRedirected)") }
                        } piece: { piece in
                            parts.withLock { $0.append(String(buffer: piece)) }
                        })
                }
                #expect(response.isRedirected)
                #expect(parts.withLock { $0.first } == "200 \(origin)/next true")
                #expect(parts.withLock { $0.dropFirst().joined() } == "there")
            }
        }
    }
}
