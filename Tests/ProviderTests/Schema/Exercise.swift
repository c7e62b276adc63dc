/// A call that shows one answer of one operation.
struct Exercise: Sendable {
    let operation: String
    let status: Int
    let call: Call

    init(_ operation: String, _ status: Int, _ call: Call) {
        self.operation = operation
        self.status = status
        self.call = call
    }
}

extension Exercise {
    static let big = #"{"x": ""# + String(repeating: "x", count: 300_000) + #""}"#

    /// Every answer that belongs to one operation; those that all share are made elsewhere.
    ///
    /// They follow each other: later ones use what earlier ones made.
    static func all(_ host: ServedHost) throws -> [Exercise] {
        let owner = host.owner
        func owned(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            json: String? = nil, headers: [(String, String)] = [], body: [UInt8]? = nil
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(
                    method, "/api/v1" + target, token: owner, headers: headers, json: json,
                    body: body))
        }
        /// What each operation that takes JSON answers to wrong bodies.
        func bodies(_ operation: String, _ method: String, _ target: String) -> [Exercise] {
            [
                owned(operation, 400, method, target, json: "{"),
                owned(operation, 413, method, target, json: big),
                owned(
                    operation, 415, method, target, json: "{}",
                    headers: [("Content-Type", "text/plain")]),
            ]
        }
        let package = try TestPackage.bytes("second-app", in: host.folder)
        let newer = try TestPackage.bytes("second-app", version: "1.1.0", in: host.folder)
        let signed = try TestPackage.bytes(
            "second-app", version: "1.2.0", signer: "ann", in: host.folder)
        let clash = try TestPackage.bytes("desk", in: host.folder)
        let gauge = "/sensors/gauge"
        let open = [
            Exercise("health", 200, Call("GET", "/health")),
            Exercise("description", 200, Call("GET", "/openapi.json")),
            Exercise("settings", 200, Call("GET", "/settings/my-app")),
            Exercise("settings", 404, Call("GET", "/settings/My_App")),
            owned("status", 200, "GET", "/status"), owned("me", 200, "GET", "/me"),
        ]
        let reading = [
            owned("listSensors", 200, "GET", "/sensors"),
            owned("sensor", 200, "GET", gauge), owned("sensor", 404, "GET", "/sensors/none"),
            owned("latest", 200, "GET", "\(gauge)/latest"),
            owned("latest", 404, "GET", "/sensors/quiet/latest"),
            owned("latest", 503, "GET", "/sensors/battery/latest"),
            owned("samples", 200, "GET", "\(gauge)/samples?limit=2"),
            owned(
                "samples", 200, "GET", "\(gauge)/samples",
                headers: [("Accept", "application/x-ndjson")]),
            owned("samples", 200, "GET", "\(gauge)/samples", headers: [("Accept", "text/csv")]),
            owned("samples", 400, "GET", "\(gauge)/samples?limit=0"),
            owned("samples", 404, "GET", "/sensors/none/samples"),
            owned("samples", 406, "GET", "\(gauge)/samples", headers: [("Accept", "image/png")]),
            owned("samples", 422, "GET", "\(gauge)/samples?fields=none"),
            owned("samples", 503, "GET", "/sensors/battery/samples"),
            owned("statistics", 200, "GET", "\(gauge)/stats"),
            owned("statistics", 200, "GET", "\(gauge)/stats?every=1h&fn=p99,first"),
            owned("statistics", 400, "GET", "\(gauge)/stats?every=x"),
            owned("statistics", 404, "GET", "/sensors/none/stats"),
            owned("statistics", 422, "GET", "\(gauge)/stats?fn=x"),
            owned("statistics", 503, "GET", "/sensors/battery/stats"),
            owned("stream", 200, "HEAD", "\(gauge)/stream"),
            owned(
                "stream", 400, "GET", "\(gauge)/stream", headers: [("Last-Event-ID", "x")]),
            owned("stream", 404, "GET", "/sensors/none/stream"),
            owned("stream", 503, "GET", "/sensors/battery/stream"),
            owned("accessLog", 200, "GET", "/access-log?limit=2"),
            owned("accessLog", 200, "GET", "/access-log?kind=notice"),
            owned("accessLog", 400, "GET", "/access-log?outcome=x"),
            owned("pruneLog", 200, "DELETE", "/access-log?before=-90d"),
            owned("pruneLog", 400, "DELETE", "/access-log"),
        ]
        let steps = "/sensors/steps"
        let declared = #"{"title": "Steps", "fields": [{"name": "count", "kind": "integer"}]}"#
        let defined =
            #"{"inputs": ["steps.count"], "window": "1s", "outputs": [{"name": "a", "by": "sum"}]}"#
        func published(_ status: Int, _ sensor: String, _ csv: String) -> Exercise {
            owned(
                "publish", status, "POST", "\(sensor)/samples",
                headers: [("Content-Type", "text/csv")], body: Array(csv.utf8))
        }
        let publishing = [
            owned("declareSensor", 201, "PUT", steps, json: declared),
            owned("declareSensor", 200, "PUT", steps, json: declared),
            owned("declareSensor", 409, "PUT", gauge, json: declared),
            owned("declareSensor", 422, "PUT", steps, json: #"{"fields": []}"#),
            owned("declareSensor", 201, "PUT", "/sensors/virtual.pace", json: defined),
            owned("sensor", 200, "GET", "/sensors/virtual.pace"),
            owned("stream", 409, "GET", "/sensors/virtual.pace/stream"),
            owned("withdrawSensor", 204, "DELETE", "/sensors/virtual.pace"),
            owned("publish", 201, "POST", "\(steps)/samples", json: #"{"count": 1}"#),
            owned("publish", 400, "POST", "\(steps)/samples", json: "{"),
            owned("publish", 422, "POST", "\(steps)/samples", json: #"{"count": "x"}"#),
            owned(
                "samples", 200, "GET", "\(steps)/samples",
                headers: [("Accept", "application/vnd.nervous.columns")]),
            published(404, "/sensors/none", "count\n1\n"),
            published(503, "/sensors/battery", "count\n1\n"),
            published(409, gauge, "level,total,state,note\n1,1,a,b\n"),
            published(413, steps, "count\n" + String(repeating: "1\n", count: 4_000_001)),
            owned(
                "publish", 415, "POST", "\(steps)/samples",
                headers: [("Content-Type", "image/png")],
                body: [1]),
            owned("setLevel", 200, "PUT", "/collection/steps", json: #"{"level": "off"}"#),
            published(409, steps, "count\n1\n"),
            owned("withdrawSensor", 204, "DELETE", steps),
            owned("withdrawSensor", 404, "DELETE", steps),
            owned("withdrawSensor", 409, "DELETE", gauge),
        ]
        let collection = [
            owned("levels", 200, "GET", "/collection"),
            owned("collectOnce", 204, "POST", "/collection"),
            owned("setLevel", 200, "PUT", "/collection/quiet", json: #"{"level": "2s"}"#),
            owned("setLevel", 404, "PUT", "/collection/none", json: #"{"level": "off"}"#),
        ]
        let apps = [
            owned("install", 200, "POST", "/apps?dryRun=true", body: package),
            owned("install", 201, "POST", "/apps", body: package),
            owned("install", 201, "POST", "/apps", body: newer),
            owned("install", 201, "POST", "/apps", body: signed),
            owned("install", 400, "POST", "/apps?dryRun=maybe", body: package),
            owned("install", 409, "POST", "/apps", body: package),
            owned("install", 409, "POST", "/apps", body: clash),
            owned("install", 413, "POST", "/apps", body: .init(repeating: 0, count: 21 << 20)),
            owned("install", 422, "POST", "/apps", body: [1, 2, 3]),
            owned("listApps", 200, "GET", "/apps"),
            owned("app", 200, "GET", "/apps/my-app"), owned("app", 404, "GET", "/apps/none"),
            owned("launch", 201, "POST", "/apps/my-app/launch"),
            owned("launch", 404, "POST", "/apps/none/launch"),
            owned("uninstall", 204, "DELETE", "/apps/second-app"),
            owned("uninstall", 404, "DELETE", "/apps/second-app"),
        ]
        let grants = [
            owned("decide", 200, "PUT", "/grants/my-app/sensor:gauge", json: decision),
            owned("decide", 404, "PUT", "/grants/none/sensor:gauge", json: decision),
            owned("decide", 422, "PUT", "/grants/my-app/camera", json: decision),
            owned("listGrants", 200, "GET", "/grants"),
            owned("grantsOf", 200, "GET", "/grants/my-app"),
            owned("reset", 204, "DELETE", "/grants/my-app/sensor:gauge"),
            owned("reset", 404, "DELETE", "/grants/none/sensor:gauge"),
            owned("reset", 422, "DELETE", "/grants/my-app/camera"),
            owned("resetAll", 204, "DELETE", "/grants/my-app"),
            owned("resetAll", 404, "DELETE", "/grants/none"),
        ]
        let tokens = [
            owned("createToken", 201, "POST", "/tokens", json: #"{"name": "curl"}"#),
            owned("createToken", 409, "POST", "/tokens", json: #"{"name": "curl"}"#),
            owned("listTokens", 200, "GET", "/tokens"),
            owned("revokeToken", 204, "DELETE", "/tokens/curl"),
            owned("revokeToken", 404, "DELETE", "/tokens/curl"),
        ]
        return open + reading + publishing + collection + apps + grants + tokens
            + bodies("setLevel", "PUT", "/collection/quiet")
            + bodies("declareSensor", "PUT", steps)
            + bodies("decide", "PUT", "/grants/my-app/sensor:gauge")
            + bodies("createToken", "POST", "/tokens") + bodies("redeem", "POST", "/launch")
            + [Exercise("redeem", 401, Call("POST", "/api/v1/launch", json: #"{"code": "x"}"#))]
    }

    private static let decision = """
        {"decision": "allow", "terms": {"access": "raw", "rate": 2, "precision": 0.5,
         "history": "1h", "expires": 4102444800000, "background": false}}
        """
}
