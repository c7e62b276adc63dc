import API
import Foundation
import Synchronization
import Text

@testable import MCP

/// A host that answers requests from a table, by method and path.
struct FakeHost: APITransport {
    typealias Answer = (status: Int, body: String)

    final class Record: Sendable {
        let requests = Mutex<[String]>([])
    }

    let record = Record()
    let answer: @Sendable (String, Data?) async throws -> Answer

    struct NoStream: Error {}

    func send(_ request: APIRequest) async throws -> APIResponse {
        let line = "\(request.method.rawValue) \(request.target)"
        record.requests.withLock { $0.append(line) }
        let (status, body) = try await answer(line, request.body)
        return APIResponse(status: status, headers: [], body: Data(body.utf8))
    }

    func lines(
        for request: APIRequest
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        throw NoStream()
    }
}

/// A server, and the lines that it has sent.
final class Wire: Sendable {
    private let sent: AsyncStream<String>
    private let server: MCPServer
    private let access: Access

    /// Counts how often the token was rejected.
    final class Access: HostAccess {
        let transport: FakeHost
        let rejections = Mutex(0)

        init(_ transport: FakeHost) {
            self.transport = transport
        }

        func client(afterRejection isRejected: Bool) async throws -> APIClient {
            if isRejected { rejections.withLock { $0 += 1 } }
            return APIClient(transport).authorized(by: "nvs_test")
        }
    }

    init(_ answer: @escaping @Sendable (String, Data?) async throws -> FakeHost.Answer) {
        let (stream, sink) = AsyncStream.makeStream(of: String.self)
        sent = stream
        access = Access(FakeHost(answer: answer))
        server = MCPServer(version: "1.2.3", access: access) { sink.yield($0) }
    }

    /// A server whose host has nothing.
    convenience init() {
        self.init { _, _ in (404, "{}") }
    }

    var requests: [String] { access.transport.record.requests.withLock { $0 } }
    var rejections: Int { access.rejections.withLock { $0 } }

    func write(_ line: String) async { await server.receive(Array(line.utf8)) }

    func refuseLongLine() async { await server.refuseLongLine() }

    func close() async { await server.close() }

    /// The next line that the server sends.
    func read() async throws -> JSONValue {
        for await line in sent {
            guard !line.contains("\n") else { throw Unexpected(line: line) }
            return try StrictJSON(maximumBytes: 1 << 22).parse(Array(line.utf8))
        }
        throw Unexpected(line: "the end")
    }

    struct Unexpected: Error {
        let line: String
    }

    /// Sends a line and reads the answer.
    func ask(_ line: String) async throws -> JSONValue {
        await write(line)
        return try await read()
    }

    static let meta = """
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", \
        "io.modelcontextprotocol/clientCapabilities": {}}
        """

    /// Calls a tool in the stateless revision, and returns the result.
    func call(_ tool: String, _ arguments: String = "{}", id: Int = 1) async throws -> JSONValue {
        let answer = try await ask(
            """
            {"jsonrpc": "2.0", "id": \(id), "method": "tools/call", "params": \
            {"name": "\(tool)", "arguments": \(arguments), \(Self.meta)}}
            """)
        guard let result = answer["result"] else { throw Unexpected(line: answer.line) }
        return result
    }
}

extension JSONValue {
    /// The text of the first content of a tool's result.
    var shownText: String { self["content"]?.array?.first?["text"]?.string ?? "" }
    var isFailure: Bool { self["isError"]?.bool == true }
}
