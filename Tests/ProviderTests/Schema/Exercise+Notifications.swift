/// Messages to the owner.
extension Exercise {
    static func notifications(by token: String, owner: String) -> [Exercise] {
        func call(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            token: String, json: String? = nil, headers: [(String, String)] = []
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(method, "/api/v1" + target, token: token, headers: headers, json: json))
        }
        let (all, stream) = ("/notifications", "/notifications/stream")
        let message = #"{"title": "Goal", "body": "Reached", "tag": "goal"}"#
        return [
            call("notify", 204, "POST", all, token: token, json: message),
            call("notify", 400, "POST", all, token: token, json: "{"),
            call("notify", 413, "POST", all, token: token, json: big),
            call(
                "notify", 415, "POST", all, token: token, json: message,
                headers: [("Content-Type", "text/plain")]),
            call("notify", 422, "POST", all, token: token, json: #"{"title": ""}"#),
            call("view", 204, "PUT", "/view", token: token, json: #"{"visible": true}"#),
            call("view", 400, "PUT", "/view", token: token, json: "{}"),
            call("view", 413, "PUT", "/view", token: token, json: big),
            call(
                "view", 415, "PUT", "/view", token: token, json: "{}",
                headers: [("Content-Type", "text/plain")]),
            call("notifications", 200, "HEAD", stream, token: owner),
            call(
                "notifications", 400, "GET", stream, token: owner,
                headers: [("Last-Event-ID", "x")]),
        ]
    }
}
