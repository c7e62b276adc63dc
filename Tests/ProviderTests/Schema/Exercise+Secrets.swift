import Foundation

extension Exercise {
    /// Calls for secrets.
    static func secrets(_ host: ServedHost) -> [Exercise] {
        let (broker, value) = ("/secrets/source:mqtt/broker", #"{"value": "x", "keeper": "host"}"#)
        let calls = [
            host.owned("setSecret", 200, "PUT", broker, json: value),
            host.owned("setSecret", 400, "PUT", "/secrets/mqtt/broker", json: value),
            host.owned("setSecret", 404, "PUT", "/secrets/app:none/key", json: value),
            host.owned("setSecret", 409, "PUT", broker, json: #"{"value": "x"}"#),
            host.owned("setSecret", 422, "PUT", broker, json: #"{"value": "a\nb"}"#),
            host.owned("listSecrets", 200, "GET", "/secrets"),
            host.owned("removeSecret", 400, "DELETE", "/secrets/mqtt/broker"),
            host.owned("removeSecret", 204, "DELETE", broker),
            host.owned("removeSecret", 404, "DELETE", broker),
        ]
        return calls + host.wrongBodies("setSecret", "PUT", broker)
    }
}
