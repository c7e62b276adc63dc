/// Retention, and forgetting.
extension Exercise {
    static func storage(_ host: ServedHost) -> [Exercise] {
        let rule = #"{"raw": "30d", "bytes": 5000000, "summaries": "1825d"}"#
        let wrong =
            host.wrongBodies("setRetention", "PUT", "/retention")
            + host.wrongBodies("setRule", "PUT", "/retention/gauge")
        return wrong + [
            host.owned("setRetention", 200, "PUT", "/retention", json: #"{"budget": 500000000}"#),
            host.owned("setRetention", 200, "PUT", "/retention", json: #"{"standard": {}}"#),
            host.owned("setRule", 200, "PUT", "/retention/gauge", json: rule),
            host.owned("setRule", 404, "PUT", "/retention/Not-One", json: rule),
            host.owned("storage", 200, "GET", "/retention"),
            host.owned("removeRule", 204, "DELETE", "/retention/gauge"),
            host.owned("removeRule", 404, "DELETE", "/retention/Not-One"),
            host.owned("forgetSamples", 200, "DELETE", "/sensors/gauge/samples?from=0&to=1"),
            host.owned("forgetSamples", 200, "DELETE", "/sensors/gauge/samples"),
            host.owned("forgetSamples", 200, "DELETE", "/sensors/gauge/samples?derived=true"),
            host.owned("forgetSamples", 400, "DELETE", "/sensors/gauge/samples?derived=x"),
            host.owned("forgetSamples", 400, "DELETE", "/sensors/gauge/samples?from=x"),
            host.owned("forgetSamples", 404, "DELETE", "/sensors/none/samples"),
            host.owned("forgetApp", 200, "DELETE", "/apps/my-app/data"),
            host.owned("forgetApp", 404, "DELETE", "/apps/none/data"),
        ]
    }
}
