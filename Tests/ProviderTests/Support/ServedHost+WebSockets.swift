import NIOCore
import Testing

@testable import Provider

extension ServedHost {
    /// Opens a WebSocket to a port of this machine, runs `body` with its identifier and disconnects.
    func webSocket(
        _ token: String, _ server: Int, protocols: String = "[]",
        _ body: (EventReader, _ id: String) async throws -> Void
    ) async throws {
        let call = Call(
            "POST", "/api/v1/websockets", token: token,
            json: #"{"url": "ws://127.0.0.1:\#(server)/", "protocols": \#(protocols)}"#)
        let bytes = call.bytes(standardHost: "localhost:\(port)")
        try await TCPConnection.with(port: port) { reader, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            let events = EventReader(reader)
            await events.read { $0.text.contains("event: open") || $0.text.contains("HTTP/1.1 4") }
            let id = try #require(
                events.text.firstMatch(of: /"id":"([0-9a-f]{32})"/)?.1, "\(events.text)")
            try await body(events, String(id))
        }
    }
}
