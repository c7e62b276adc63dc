import Addresses
import Egress
import Testing

/// Uploads of routes, and the outbox.
extension Exercise {
    static func sending(_ host: ServedHost) async throws -> [Exercise] {
        func send(
            _ status: Int, _ json: String, session: String = "walk", query: String = "",
            headers: [(String, String)] = []
        ) -> Exercise {
            host.owned(
                "sendSession", status, "POST", "/sessions/\(session)/send\(query)", json: json,
                headers: headers)
        }
        func to(_ path: String, more: String = "") -> String {
            #"{"to": "https://trips.example\#(path)"\#(more)}"#
        }
        let address = try #require(WebAddress("https://trips.example/down"))
        let upload = try Upload(to: address, title: "x", mediaType: "text/plain", body: [1])
        guard case .kept(let kept) = try await host.outbox.send(upload, keeps: true) else {
            throw Answer.NotHTTP(text: "it was delivered")
        }
        return [
            host.owned(
                "createSession", 201, "POST", "/sessions",
                json: #"{"id": "walk", "name": "A walk", "sensors": ["location"]}"#),
            send(200, to("/taken")), send(200, to("/down")),
            send(200, to("/refused"), query: "?format=gpx"),
            send(502, to("/down", more: #", "keep": false"#)),
            send(400, "{"), send(400, to("/taken"), query: "?format=kml"),
            send(400, #"{"to": "trips.example"}"#), send(400, to("/taken", more: #", "x": 1"#)),
            send(422, #"{"to": "http://trips.example/"}"#),
            send(422, to("/taken", more: #", "tokenFile": "token""#)),
            send(404, to("/taken"), session: "none"), send(413, big),
            send(415, "{}", headers: [("Content-Type", "text/plain")]),
            host.owned("listOutbox", 200, "GET", "/outbox"),
            host.owned("sendDelivery", 200, "POST", "/outbox/\(kept.id)/send"),
            host.owned("sendDelivery", 404, "POST", "/outbox/none/send"),
            host.owned("discardDelivery", 204, "DELETE", "/outbox/\(kept.id)"),
            host.owned("discardDelivery", 404, "DELETE", "/outbox/\(kept.id)"),
            host.owned("removeSession", 204, "DELETE", "/sessions/walk"),
        ]
    }
}
