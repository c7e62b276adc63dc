import Auth
import TestSupport

/// Calls of nervousnet apps, and requests for privileges.
extension Exercise {
    static func published(_ host: ServedHost) async throws -> [Exercise] {
        let owner = host.owner
        let icon = "iVBORw0KGgo="
        let package = try PublishedPackage.bytes(
            "Iconic", folder: "iconic", files: [:], more: "\"icon\": \"\(icon)\",", in: host.folder)
        try await host.declareSensor("gyroscope", fields: ["x", "y", "z"].map { ($0, "number") })
        try await host.feedSensor(#"{"x": 1, "y": 2, "z": 3}"#, to: "gyroscope")
        try await host.declareSensor("beacon", fields: [("uuid", "text")])
        try await host.declareSensor("accelerometer", fields: [("x", "number")])
        let known = try await host.client("numbered", allow: ["identity"])
        _ = try await host.send(Call("POST", "/api/v1/apps", token: owner, body: package))
        let waiting = try await host.begin("iconic").token
        // A request without a decision: the client disconnects while it waits.
        let task = Task {
            _ = try? await host.send(
                Call("GET", "/nervousnet-api/raw-sensor-data/Gyroscope", token: waiting))
        }
        try await until { await !host.authority.pendingRequests().isEmpty }
        _ = task
        func call(
            _ operation: String, _ status: Int, _ target: String, token: String? = nil,
            method: String = "GET", json: String? = nil, headers: [(String, String)] = [],
            body: [UInt8]? = nil
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(
                    method, target, token: token ?? owner, headers: headers, json: json, body: body)
            )
        }
        let (raw, history) = (
            "/nervousnet-api/raw-sensor-data", "/nervousnet-api/historic-sensor-data"
        )
        let ask = "/api/v1/permissions/request"
        func range(_ name: String) -> String { "\(history)?axon=\(name)&start=0&end=1" }
        return [
            call("listRequests", 200, "/api/v1/requests"),
            call("leaveRequest", 204, "/api/v1/requests/iconic/sensor:gyroscope", method: "DELETE"),
            call("leaveRequest", 404, "/api/v1/requests/none/sensor:gyroscope", method: "DELETE"),
            call("leaveRequest", 422, "/api/v1/requests/iconic/camera", method: "DELETE"),
            call("icon", 200, "/api/v1/apps/iconic/icon"),
            call("icon", 404, "/api/v1/apps/my-app/icon"),
            call("permission", 200, "/api/v1/permissions/sensor:gauge"),
            call("permission", 422, "/api/v1/permissions/camera"),
            call("requestPermission", 200, ask, method: "POST", json: #"{"privilege": "net"}"#),
            call("requestPermission", 400, ask, method: "POST", json: "{"),
            call("requestPermission", 413, ask, method: "POST", json: big),
            call(
                "requestPermission", 415, ask, method: "POST", json: "{}",
                headers: [("Content-Type", "text/plain")]),
            call("requestPermission", 422, ask, method: "POST", json: #"{"privilege": "camera"}"#),
            call("firstVersion", 200, "/nervous-api/version"),
            call("firstRead", 200, "/nervous-api/gyr/getGyr"),
            call("firstRead", 404, "/nervous-api/gyr/none"),
            call("publishedLatest", 200, "\(raw)/Gyroscope"),
            call("publishedLatest", 200, "\(raw)/Beacon"),
            call("publishedLatest", 404, "\(raw)/none"),
            call("publishedLatest", 503, "\(raw)/Battery"),
            call("publishedHistory", 200, range("Gyroscope")),
            call("publishedHistory", 400, history),
            call("publishedHistory", 404, range("none")),
            call("publishedHistory", 503, range("Battery")),
            call("deviceNumber", 200, "/nervousnet-api/deviceid", token: known),
            call("deviceNumber", 404, "/nervousnet-api/deviceid"),
            call("publishedLog", 403, "/nervousnet-api/log", method: "POST", body: [65]),
            call(
                "publishedLog", 204, "/nervousnet-api/log", token: waiting, method: "POST",
                body: [65]),
            call(
                "publishedLog", 413, "/nervousnet-api/log", token: waiting, method: "POST",
                body: .init(repeating: 65, count: 65_537)),
        ]
    }
}
