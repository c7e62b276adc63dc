import TestSupport
import Testing

@testable import Egress

/// Every kind of failure has its own code.
struct EgressErrorTests {
    private static func fault(
        _ options: OutboundOptions = TestClient.patient,
        _ reply: @escaping @Sendable (LocalServer.Received) -> LocalServer.Reply
    ) async throws -> EgressError.Code? {
        try await LocalServer.with(reply) { server in
            let origin = "http://127.0.0.1:\(server.port)"
            return try await TestClient.with([origin]) { client async throws in
                var client = client
                client.options = options
                return try await client.fault(origin)
            }
        }
    }

    @Test func `an unreachable server has its own error`() async throws {
        let port = ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let origins = ["http://127.0.0.1:\(port.number)", "https://127.0.0.1:\(port.number)"]
        try await TestClient.with(origins + ["http://none.example"]) { client async throws in
            for origin in origins { #expect(try await client.fault(origin) == .unreachable) }
            #expect(try await client.fault("http://none.example") == .unknownHost)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
    func `a server that stops sending times out`(_ start: String) async throws {
        var options = TestClient.patient
        options.total = .milliseconds(300)
        #expect(
            try await Self.fault(options) { _ in .silence(after: Array(start.utf8)) } == .timedOut)
    }

    @Test(arguments: [
        "", "hello\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 9 << 10) + "\r\n\r\n",
        "HTTP/1.1 200 OK\r\n" + String(repeating: "X: abcdefgh\r\n", count: 200) + "\r\n",
        "HTTP/1.1 200 OK\r\n"
            + String(repeating: "X: \(String(repeating: "a", count: 999))\r\n", count: 40) + "\r\n",
    ])
    func `invalid and incomplete responses have their own errors`(_ text: String) async throws {
        #expect(try await Self.fault { _ in .text(text) } == .invalidResponse)
    }

    @Test func `a response that is too large is an error and not truncated`() async throws {
        var options = TestClient.patient
        options.responseBytes = 100_000
        let head = "HTTP/1.1 200 OK\r\n"
        let piece = [UInt8](repeating: 65, count: 4096)
        let chunk = Array("1000\r\n".utf8) + piece + Array("\r\n".utf8)
        let endless: [LocalServer.Reply] = [
            .endless(after: Array("\(head)\r\n".utf8), piece),
            .endless(after: Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8), chunk),
            .silence(after: Array("\(head)Content-Length: 100001\r\n\r\n".utf8)),
        ]
        for reply in endless {
            #expect(try await Self.fault(options) { _ in reply } == .responseTooLarge)
        }
        let whole = String(repeating: "x", count: 100_000)
        #expect(try await Self.fault(options) { _ in .answer(whole) } == nil)
        #expect(try await Self.fault(options) { _ in .answer(whole + "x") } == .responseTooLarge)
    }

    @Test func `an endless header is an invalid response`() async throws {
        let line = Array("X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".utf8)
        let reply = LocalServer.Reply.endless(after: Array("HTTP/1.1 200 OK\r\n".utf8), line)
        #expect(try await Self.fault { _ in reply } == .invalidResponse)
    }

    @Test func `a response that is compressed without being requested is rejected`() async throws {
        #expect(
            try await Self.fault { _ in .answer("x", fields: [("Content-Encoding", "gzip")]) }
                == .responseEncoded)
        #expect(
            try await Self.fault { _ in .answer("x", fields: [("Content-Encoding", "Identity")]) }
                == nil)
    }

    @Test func `a request is never repeated`() async throws {
        try await LocalServer.with { _ in
            .text("")
        } _: { server in
            let resolver = ScriptedResolver([["93.184.215.14", "93.184.215.15"]])
            try await TestClient.with(
                ["http://api.example.org"], resolver: resolver, server: server.port
            ) { client async throws in
                let fault = try await client.fault("http://api.example.org/", "POST", body: "pay")
                #expect(fault == .invalidResponse)
                #expect(server.received.count == 1)
            }
        }
    }

    @Test func `a cancelled call ends`() async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        try await LocalServer.with { _ in
            arrival.yield()
            return .silence(after: [])
        } _: { server in
            let origin = "http://127.0.0.1:\(server.port)"
            try await TestClient.with([origin]) { client async throws in
                let call = Task { try await client.fetch(origin) }
                for await _ in arrivals { break }
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
            }
        }
    }
}
