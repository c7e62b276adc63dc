/// What is kept and what is forgotten.
extension Exercise {
    static func storage(_ host: ServedHost) -> [Exercise] {
        func owned(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            json: String? = nil, headers: [(String, String)] = []
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(
                    method, "/api/v1" + target, token: host.owner, headers: headers, json: json))
        }
        let rule = #"{"raw": "30d", "bytes": 5000000, "summaries": "1825d"}"#
        let text = [("Content-Type", "text/plain")]
        let wrong = ["/retention", "/retention/gauge"].flatMap { target in
            let operation = target == "/retention" ? "setRetention" : "setRule"
            return [
                owned(operation, 400, "PUT", target, json: "{"),
                owned(operation, 413, "PUT", target, json: big),
                owned(operation, 415, "PUT", target, json: "{}", headers: text),
            ]
        }
        return wrong + [
            owned("setRetention", 200, "PUT", "/retention", json: #"{"budget": 500000000}"#),
            owned("setRetention", 200, "PUT", "/retention", json: #"{"standard": {}}"#),
            owned("setRule", 200, "PUT", "/retention/gauge", json: rule),
            owned("setRule", 404, "PUT", "/retention/Not-One", json: rule),
            owned("storage", 200, "GET", "/retention"),
            owned("removeRule", 204, "DELETE", "/retention/gauge"),
            owned("removeRule", 404, "DELETE", "/retention/Not-One"),
            owned("forgetSamples", 200, "DELETE", "/sensors/gauge/samples?from=0&to=1"),
            owned("forgetSamples", 200, "DELETE", "/sensors/gauge/samples"),
            owned("forgetSamples", 400, "DELETE", "/sensors/gauge/samples?from=x"),
            owned("forgetSamples", 404, "DELETE", "/sensors/none/samples"),
            owned("forgetApp", 200, "DELETE", "/apps/my-app/data"),
            owned("forgetApp", 404, "DELETE", "/apps/none/data"),
        ]
    }
}
