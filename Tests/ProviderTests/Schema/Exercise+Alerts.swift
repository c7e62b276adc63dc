/// Alert rules.
extension Exercise {
    static func alerts(_ host: ServedHost) -> [Exercise] {
        let rule = #"{"sensor": "gauge", "field": "level", "window": "1m", "above": 5}"#
        func named(_ name: String, _ rule: String) -> String {
            #"{"name": "\#(name)", "rule": \#(rule)}"#
        }
        return [
            host.owned("createAlert", 201, "POST", "/alerts", json: named("level", rule)),
            host.owned("createAlert", 409, "POST", "/alerts", json: named("level", rule)),
            host.owned(
                "createAlert", 404, "POST", "/alerts",
                json: named("other", #"{"sensor": "none", "silence": "1h"}"#)),
            host.owned(
                "createAlert", 422, "POST", "/alerts",
                json: named("other", #"{"sensor": "gauge", "window": "1m"}"#)),
            host.owned("listAlerts", 200, "GET", "/alerts"),
            host.owned("alert", 200, "GET", "/alerts/level"),
            host.owned("alert", 404, "GET", "/alerts/none"),
            host.owned("putAlert", 200, "PUT", "/alerts/level", json: rule),
            host.owned(
                "putAlert", 201, "PUT", "/alerts/silent",
                json: #"{"sensor": "gauge", "silence": "1h", "title": "Gauge"}"#),
            host.owned(
                "putAlert", 404, "PUT", "/alerts/level",
                json: #"{"sensor": "gauge", "silence": "1h", "run": "none"}"#),
            host.owned(
                "putAlert", 422, "PUT", "/alerts/level", json: #"{"sensor": "gauge"}"#),
            host.owned(
                "changeAlert", 200, "PATCH", "/alerts/level", json: #"{"enabled": false}"#),
            host.owned(
                "changeAlert", 404, "PATCH", "/alerts/none", json: #"{"enabled": false}"#),
            host.owned("alertEvents", 200, "GET", "/alerts/level/events?limit=5"),
            host.owned("alertEvents", 400, "GET", "/alerts/level/events?cursor=x"),
            host.owned("alertEvents", 404, "GET", "/alerts/none/events"),
            host.owned("testAlert", 200, "GET", "/alerts/level/test?from=-1h"),
            host.owned("testAlert", 400, "GET", "/alerts/level/test"),
            host.owned("testAlert", 404, "GET", "/alerts/none/test?from=-1h"),
            host.owned("testAlert", 422, "GET", "/alerts/level/test?from=-500d"),
            host.owned("sendAlert", 200, "POST", "/alerts/level/send"),
            host.owned("sendAlert", 404, "POST", "/alerts/none/send"),
            host.owned("removeAlert", 204, "DELETE", "/alerts/level"),
            host.owned("removeAlert", 404, "DELETE", "/alerts/level"),
        ] + host.wrongBodies("createAlert", "POST", "/alerts")
            + host.wrongBodies("putAlert", "PUT", "/alerts/silent")
            + host.wrongBodies("changeAlert", "PATCH", "/alerts/silent")
    }
}
