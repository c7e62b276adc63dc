import TestSupport
import Text

/// Calls to other servers.
extension Exercise {
    /// The responses about a download that has begun.
    static func downloads(_ host: ServedHost, from server: LocalServer) async throws -> [Exercise] {
        let json = #"{"url": "http://127.0.0.1:\#(server.port)/a.zip"}"#
        let begun = try await host.send(
            Call("POST", "/api/v1/downloads", token: host.owner, json: json))
        let id = try begun.json()["id"]?.string ?? ""
        return [
            host.owned("download", 200, "GET", "/downloads/\(id)"),
            host.owned("discardDownload", 204, "DELETE", "/downloads/\(id)"),
            host.owned("startDownload", 201, "POST", "/downloads", json: json),
        ]
    }

    static func fetches(_ host: ServedHost, from server: LocalServer) async throws -> [Exercise] {
        func fetch(_ status: Int, _ request: String, body: [UInt8]? = nil) -> Exercise {
            Exercise(
                "fetch", status,
                Call(
                    "POST", "/api/v1/fetch", token: host.owner,
                    headers: [("Nervous-Request", request)], body: body))
        }
        // The port of a closed server.
        let port = try await LocalServer.with { _ in
            .answer()
        } _: {
            $0.port
        }
        let unreachable = #"{"url": "http://127.0.0.1:\#(port)/"}"#
        return [
            fetch(200, #"{"url": "http://127.0.0.1:\#(server.port)/"}"#), fetch(400, "{"),
            fetch(403, #"{"url": "http://localhost:\#(host.port)/"}"#),
            fetch(413, unreachable, body: .init(repeating: 65, count: 1 << 20 + 1)),
            fetch(502, unreachable),
        ]
    }
}
