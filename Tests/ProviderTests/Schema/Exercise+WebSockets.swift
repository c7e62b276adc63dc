import TestSupport

/// WebSockets to other servers.
extension Exercise {
    /// - Parameter server: one that ends the WebSocket by itself.
    static func openings(_ host: ServedHost, to server: WebSocketServer) async throws -> [Exercise]
    {
        func open(_ status: Int, _ url: String) -> Exercise {
            host.owned("openWebSocket", status, "POST", "/websockets", json: #"{"url": "\#(url)"}"#)
        }
        let port = try await LocalServer.with { _ in
            .answer()
        } _: {
            $0.port
        }
        return [
            open(200, "ws://127.0.0.1:\(server.port)/"), open(400, "ftp://a.example"),
            open(403, "ws://localhost:\(host.port)/"), open(502, "ws://127.0.0.1:\(port)/"),
        ]
    }

    /// - Parameter id: that of an open WebSocket of the owner; the last exercise closes it.
    static func messages(_ host: ServedHost, to id: String) -> [Exercise] {
        func send(
            _ status: Int, _ body: [UInt8], type: String = "application/x-ndjson", to socket: String
        ) -> Exercise {
            Exercise(
                "sendToWebSocket", status,
                Call(
                    "POST", "/api/v1/websockets/\(socket)/messages", token: host.owner,
                    headers: [("Content-Type", type)], body: body))
        }
        let line = Array(#"{"text":"a"}"#.utf8)
        let path = "/websockets/\(id)"
        return [
            send(204, line, to: id), send(400, [1], to: id), send(404, line, to: "none"),
            send(
                413, .init(repeating: 0, count: 1 << 20 + 1), type: "application/octet-stream",
                to: id),
            send(415, line, type: "text/html", to: id),
            host.owned("closeWebSocket", 400, "DELETE", "\(path)?code=1"),
            host.owned("closeWebSocket", 404, "DELETE", "/websockets/none"),
            host.owned("closeWebSocket", 204, "DELETE", "\(path)?code=1000&reason=done"),
        ]
    }
}
