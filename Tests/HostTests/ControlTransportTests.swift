import API
import Foundation
import Host
import TestSupport
import Testing

/// How commands reach a host over its control socket, with a scripted host.
struct ControlTransportTests {
    /// Runs `body` with a client of a host that answers with `respond`.
    private static func withClient(
        _ respond: @escaping @Sendable (LocalServer.Received) -> LocalServer.Reply,
        _ body: @Sendable (APIClient, LocalServer) async throws -> Void
    ) async throws {
        // Unlike other temporary folders short enough for the address of a socket.
        var template = Array("/tmp/control-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = "\(folder)/socket"
        try await LocalServer.with(socket: socket, respond) { server in
            try await ControlTransport.with(socket: socket) { try await body($0, server) }
        }
    }

    @Test func `a request has its method, target, fields and body, and the answer is decoded`()
        async throws
    {
        let answer = #"{"level": "high", "sensor": "cpu"}"#
        try await Self.withClient({ _ in .answer(answer) }) { client, server in
            let reply = try await client.setLevel("high", of: "cpu")
            #expect(String(decoding: reply.json, as: UTF8.self) == answer)
            let request = try #require(server.received.first)
            #expect(request.method == "PUT")
            #expect(request.target == "/api/v1/collection/cpu")
            #expect(request["content-type"] == "application/json")
            #expect(String(decoding: request.body, as: UTF8.self) == #"{"level":"high"}"#)
        }
    }

    @Test func `a body of a megabyte arrives whole in both directions`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        let body = #"{"text": "\#(text)"}"#
        // The server keeps the connection open: closing it would discard what is not sent yet.
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let reply = LocalServer.Reply.silence(after: Array("\(head)\(body)".utf8))
        try await Self.withClient({ _ in reply }) { client, server in
            let reply = try await client.checkSensorPack(
                Data(text.utf8), as: nil, settings: [])
            #expect(reply.json.count == text.utf8.count + 12)
            #expect(server.received.first?.body.count == text.utf8.count)
        }
    }

    @Test func `a problem is thrown`() async throws {
        let reply = LocalServer.Reply.answer(
            #"{"type":"x","title":"Busy","status":503,"detail":"Busy.","code":"busy"}"#,
            status: "503 Busy")
        try await Self.withClient({ _ in reply }) { client, _ in
            for call in [{ try await client.collect() }, { _ = try await client.stream(of: "a") }] {
                let error = await #expect(throws: APIError.self) { try await call() }
                #expect(error?.code == .busy)
            }
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
        "Not HTTP\r\n\r\n",
    ])
    func `a host that closes the connection early is reported`(bytes: String) async throws {
        try await Self.withClient({ _ in .text(bytes) }) { client, _ in
            let error = await #expect(throws: CommandFailure.self) {
                _ = try await client.status()
            }
            #expect(error?.code == .remote)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
    func `a request to a silent host ends when its task is cancelled`(bytes: String) async throws {
        try await Self.withClient({ _ in .silence(after: Array(bytes.utf8)) }) { client, server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await client.findings() }
                try await until { !server.received.isEmpty }
                group.cancelAll()
                await #expect(throws: (any Error).self) { try await group.waitForAll() }
            }
        }
    }

    @Test func `lines arrive one by one, and reading can end before the host does`() async throws {
        let line = Array(#"{"of": 1}"#.utf8) + [UInt8(ascii: "\n")]
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n"
        let reply = LocalServer.Reply.endless(after: Array(head.utf8), line)
        try await Self.withClient({ _ in reply }) { client, _ in
            var count = 0
            for try await text in try await client.stream(of: "cpu") {
                #expect(Array(text) == line.dropLast())
                count += 1
                if count == 1000 { break }
            }
            #expect(count == 1000)
        }
    }

    @Test func `a folder without a socket is no host`() async throws {
        let error = await #expect(throws: CommandFailure.self) {
            try await ControlTransport.with(socket: "/tmp/no-such-folder/socket") { _ in }
        }
        #expect(error?.code == .unavailable)
    }
}
