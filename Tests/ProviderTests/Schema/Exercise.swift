/// A call that gets one response of one operation.
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

extension ServedHost {
    /// A call of the owner.
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

    /// The calls of an operation of the owner with invalid JSON bodies.
    func wrongBodies(_ operation: String, _ method: String, _ target: String) -> [Exercise] {
        [
            owned(operation, 400, method, target, json: "{"),
            owned(operation, 413, method, target, json: Exercise.big),
            owned(
                operation, 415, method, target, json: "{}",
                headers: [("Content-Type", "text/plain")]),
        ]
    }
}

extension Exercise {
    static let big = #"{"x": ""# + String(repeating: "x", count: 300_000) + #""}"#

    /// Calls for every response of specific operations; shared responses are tested elsewhere.
    ///
    /// Their order matters: later ones use the results of earlier ones.
    static func all(_ host: ServedHost) throws -> [Exercise] {
        let package = try TestPackage.bytes("second-app", in: host.folder)
        let newer = try TestPackage.bytes("second-app", version: "1.1.0", in: host.folder)
        let signed = try TestPackage.bytes(
            "second-app", version: "1.2.0", signer: "ann", in: host.folder)
        let clash = try TestPackage.bytes("desk", in: host.folder)
        let gauge = "/sensors/gauge"
        let open = [
            Exercise("health", 200, Call("GET", "/health")),
            Exercise("description", 200, Call("GET", "/openapi.json")),
            host.owned("status", 200, "GET", "/status"), host.owned("me", 200, "GET", "/me"),
            host.owned(
                "batch", 200, "POST", "/batch",
                json: #"{"calls": [{"path": "/api/v1/sensors"}, {"path": "/api/v1/x"}]}"#),
            host.owned("batch", 400, "POST", "/batch", json: #"{"calls": []}"#),
            host.owned(
                "batch", 413, "POST", "/batch",
                json: #"{"x": ""# + String(repeating: "x", count: 1 << 20) + #""}"#),
            host.owned(
                "batch", 415, "POST", "/batch", json: "{}",
                headers: [("Content-Type", "text/plain")]),
            host.owned("openDashboard", 201, "POST", "/dashboard"),
            host.owned("listDashboard", 200, "GET", "/dashboard"),
            host.owned("lockDashboard", 204, "DELETE", "/dashboard?all"),
            host.owned("lockDashboard", 400, "DELETE", "/dashboard?all=x"),
            host.owned("lockDashboard", 404, "DELETE", "/dashboard"),
        ]
        let reading = [
            host.owned("listSensors", 200, "GET", "/sensors"),
            host.owned("sensor", 200, "GET", gauge),
            host.owned("sensor", 404, "GET", "/sensors/none"),
            host.owned("latest", 200, "GET", "\(gauge)/latest"),
            host.owned("latest", 404, "GET", "/sensors/quiet/latest"),
            host.owned("latest", 503, "GET", "/sensors/battery/latest"),
            host.owned("samples", 200, "GET", "\(gauge)/samples?limit=2"),
            host.owned(
                "samples", 200, "GET", "\(gauge)/samples",
                headers: [("Accept", "application/x-ndjson")]),
            host.owned(
                "samples", 200, "GET", "\(gauge)/samples", headers: [("Accept", "text/csv")]),
            host.owned(
                "samples", 200, "GET", "\(gauge)/samples",
                headers: [("Accept", "application/senml+json")]),
            host.owned(
                "samples", 204, "GET", "\(gauge)/samples?from=1&to=2",
                headers: [("Accept", "application/senml+json")]),
            host.owned(
                "latest", 200, "GET", "\(gauge)/latest",
                headers: [("Accept", "application/senml+json")]),
            host.owned("samples", 400, "GET", "\(gauge)/samples?limit=0"),
            host.owned("samples", 404, "GET", "/sensors/none/samples"),
            host.owned(
                "samples", 406, "GET", "\(gauge)/samples", headers: [("Accept", "image/png")]),
            host.owned("samples", 422, "GET", "\(gauge)/samples?fields=none"),
            host.owned("samples", 503, "GET", "/sensors/battery/samples"),
            host.owned("statistics", 200, "GET", "\(gauge)/stats"),
            host.owned("statistics", 200, "GET", "\(gauge)/stats?every=1h&fn=p99,first"),
            host.owned("statistics", 200, "GET", "\(gauge)/stats?every=1d&zone=Europe/Zurich"),
            host.owned("statistics", 400, "GET", "\(gauge)/stats?every=1d&zone=x"),
            host.owned("statistics", 400, "GET", "\(gauge)/stats?every=x"),
            host.owned("statistics", 404, "GET", "/sensors/none/stats"),
            host.owned("statistics", 422, "GET", "\(gauge)/stats?fn=x"),
            host.owned("statistics", 503, "GET", "/sensors/battery/stats"),
            host.owned(
                "statistics", 200, "GET", "\(gauge)/stats",
                headers: [("Accept", "application/vnd.nervous.columns")]),
            host.owned(
                "statisticsSeveral", 200, "GET",
                "/stats?of=gauge:level&of=none&of=quiet&of=gauge&every=1h&from=0&to=7200000&digits=5"
            ),
            host.owned("statisticsSeveral", 200, "GET", "/stats?of=*&fn=mean"),
            host.owned("statisticsSeveral", 400, "GET", "/stats"),
            host.owned("statisticsSeveral", 422, "GET", "/stats?of=gauge&fn=x"),
            host.owned(
                "streamSeveral", 200, "HEAD",
                "/stream?sensors=gauge,none&runs&newest&access&storage"),
            host.owned("streamSeveral", 400, "GET", "/stream"),
            host.owned("stream", 200, "HEAD", "\(gauge)/stream"),
            host.owned(
                "stream", 400, "GET", "\(gauge)/stream", headers: [("Last-Event-ID", "x")]),
            host.owned("stream", 404, "GET", "/sensors/none/stream"),
            host.owned("stream", 503, "GET", "/sensors/battery/stream"),
            host.owned("accessLog", 200, "GET", "/access-log?limit=2"),
            host.owned("accessLog", 200, "GET", "/access-log?kind=notice"),
            host.owned("accessLog", 200, "GET", "/access-log?clientKind=app"),
            host.owned("accessLog", 400, "GET", "/access-log?outcome=x"),
            host.owned("accessLog", 400, "GET", "/access-log?clientKind=x"),
            host.owned("verifyLog", 200, "GET", "/access-log/verification"),
            host.owned(
                "verifyLog", 200, "GET",
                "/access-log/verification?expect=" + String(repeating: "0", count: 64)),
            host.owned("verifyLog", 400, "GET", "/access-log/verification?expect=x"),
            host.owned(
                "verifyLog", 200, "GET", "/access-log/verification",
                headers: [("Accept", "application/x-ndjson")]),
            host.owned(
                "verifyLog", 406, "GET", "/access-log/verification",
                headers: [("Accept", "image/png")]),
            host.owned("logSeal", 200, "GET", "/access-log/seal"),
            host.owned("checkpointLog", 409, "POST", "/access-log/checkpoints"),
            host.owned("sealLog", 201, "POST", "/access-log/seal", json: "{}"),
            host.owned("sealLog", 409, "POST", "/access-log/seal", json: "{}"),
            host.owned("sealLog", 201, "POST", "/access-log/seal", json: #"{"replace": true}"#),
            host.owned("checkpointLog", 201, "POST", "/access-log/checkpoints"),
            host.owned("logSeal", 200, "GET", "/access-log/seal"),
            host.owned("pruneLog", 200, "DELETE", "/access-log?before=-90d"),
            host.owned("pruneLog", 400, "DELETE", "/access-log"),
        ]
        let steps = "/sensors/steps"
        let declared = #"{"title": "Steps", "fields": [{"name": "count", "kind": "integer"}]}"#
        let defined =
            #"{"inputs": ["steps.count"], "window": "1s", "outputs": [{"name": "a", "by": "sum"}]}"#
        func published(_ status: Int, _ sensor: String, _ csv: String) -> Exercise {
            host.owned(
                "publish", status, "POST", "\(sensor)/samples",
                headers: [("Content-Type", "text/csv")], body: Array(csv.utf8))
        }
        let publishing = [
            host.owned("declareSensor", 201, "PUT", steps, json: declared),
            host.owned("declareSensor", 200, "PUT", steps, json: declared),
            host.owned(
                "publish", 201, "POST", "\(steps)/samples", json: #"{"t": 1000, "count": 1}"#),
            host.owned(
                "latest", 406, "GET", "\(steps)/latest",
                headers: [("Accept", "application/senml+json")]),
            host.owned("declareSensor", 409, "PUT", gauge, json: declared),
            host.owned("declareSensor", 422, "PUT", steps, json: #"{"fields": []}"#),
            host.owned("declareSensor", 201, "PUT", "/sensors/virtual.pace", json: defined),
            host.owned("sensor", 200, "GET", "/sensors/virtual.pace"),
            host.owned("withdrawSensor", 204, "DELETE", "/sensors/virtual.pace"),
            host.owned("publish", 201, "POST", "\(steps)/samples", json: #"{"count": 1}"#),
            host.owned("publish", 400, "POST", "\(steps)/samples", json: "{"),
            host.owned("publish", 422, "POST", "\(steps)/samples", json: #"{"count": "x"}"#),
            host.owned(
                "samples", 200, "GET", "\(steps)/samples",
                headers: [("Accept", "application/vnd.nervous.columns")]),
            published(404, "/sensors/none", "count\n1\n"),
            published(503, "/sensors/battery", "count\n1\n"),
            published(409, gauge, "level,total,state,note\n1,1,a,b\n"),
            published(413, steps, "count\n" + String(repeating: "1\n", count: 4_000_001)),
            host.owned(
                "publish", 415, "POST", "\(steps)/samples",
                headers: [("Content-Type", "image/png")],
                body: [1]),
            host.owned("setLevel", 200, "PUT", "/collection/steps", json: #"{"level": "off"}"#),
            published(409, steps, "count\n1\n"),
            host.owned("withdrawSensor", 204, "DELETE", steps),
            host.owned("withdrawSensor", 404, "DELETE", steps),
            host.owned("withdrawSensor", 409, "DELETE", gauge),
        ]
        let collection = [
            host.owned("levels", 200, "GET", "/collection"),
            host.owned("collectOnce", 204, "POST", "/collection"),
            host.owned("setLevel", 200, "PUT", "/collection/quiet", json: #"{"level": "2s"}"#),
            host.owned("setLevel", 404, "PUT", "/collection/none", json: #"{"level": "off"}"#),
        ]
        let apps = [
            host.owned("install", 200, "POST", "/apps?dryRun=true", body: package),
            host.owned("install", 201, "POST", "/apps", body: package),
            host.owned("install", 201, "POST", "/apps", body: newer),
            host.owned("install", 201, "POST", "/apps", body: signed),
            host.owned("install", 400, "POST", "/apps?dryRun=maybe", body: package),
            host.owned("install", 404, "POST", "/apps", json: #"{"download": "none"}"#),
            host.owned("install", 409, "POST", "/apps", body: package),
            host.owned("install", 409, "POST", "/apps", body: clash),
            host.owned("install", 413, "POST", "/apps", body: .init(repeating: 0, count: 21 << 20)),
            host.owned("install", 422, "POST", "/apps", body: [1, 2, 3]),
            host.owned("doctor", 200, "GET", "/doctor"),
            host.owned("doctor", 400, "GET", "/doctor?checks=none"),
            host.owned("startDownload", 400, "POST", "/downloads", json: #"{"url": "x"}"#),
            host.owned("download", 404, "GET", "/downloads/none"),
            host.owned("discardDownload", 404, "DELETE", "/downloads/none"),
            host.owned("listApps", 200, "GET", "/apps"),
            host.owned("app", 200, "GET", "/apps/my-app"),
            host.owned("app", 404, "GET", "/apps/none"),
            host.owned("launch", 201, "POST", "/apps/my-app/launch"),
            host.owned("launch", 404, "POST", "/apps/none/launch"),
            host.owned("uninstall", 204, "DELETE", "/apps/second-app"),
            host.owned("uninstall", 404, "DELETE", "/apps/second-app"),
        ]
        let grants = [
            host.owned("decide", 200, "PUT", "/grants/my-app/sensor:gauge", json: decision),
            host.owned("decide", 404, "PUT", "/grants/none/sensor:gauge", json: decision),
            host.owned("decide", 422, "PUT", "/grants/my-app/camera", json: decision),
            host.owned("listGrants", 200, "GET", "/grants"),
            host.owned("grantsOf", 200, "GET", "/grants/my-app"),
            host.owned("reset", 204, "DELETE", "/grants/my-app/sensor:gauge"),
            host.owned("reset", 404, "DELETE", "/grants/none/sensor:gauge"),
            host.owned("reset", 422, "DELETE", "/grants/my-app/camera"),
            host.owned("resetAll", 204, "DELETE", "/grants/my-app"),
            host.owned("resetAll", 404, "DELETE", "/grants/none"),
        ]
        let tokens = [
            host.owned("createToken", 201, "POST", "/tokens", json: #"{"name": "curl"}"#),
            host.owned("createToken", 409, "POST", "/tokens", json: #"{"name": "curl"}"#),
            host.owned("listTokens", 200, "GET", "/tokens"),
            host.owned("beginProgramRun", 201, "POST", "/tokens/curl/runs", json: "{}"),
            host.owned("beginProgramRun", 404, "POST", "/tokens/none/runs", json: "{}"),
            host.owned(
                "beginProgramRun", 409, "POST", "/tokens/my-app/runs", json: #"{"create": true}"#),
            host.owned("renewProgramRun", 404, "PUT", "/tokens/curl/runs/none"),
            host.owned("endProgramRun", 404, "DELETE", "/tokens/curl/runs/none"),
            host.owned("revokeToken", 204, "DELETE", "/tokens/curl"),
            host.owned("revokeToken", 404, "DELETE", "/tokens/curl"),
        ]
        return open + reading + publishing + collection + apps + grants + tokens
            + host.wrongBodies("setLevel", "PUT", "/collection/quiet")
            + host.wrongBodies("declareSensor", "PUT", steps)
            + host.wrongBodies("decide", "PUT", "/grants/my-app/sensor:gauge")
            + host.wrongBodies("createToken", "POST", "/tokens")
            + host.wrongBodies("sealLog", "POST", "/access-log/seal")
            + host.wrongBodies("beginProgramRun", "POST", "/tokens/curl/runs")
            + host.wrongBodies("startDownload", "POST", "/downloads")
            + host.wrongBodies("redeem", "POST", "/launch")
            + [
                Exercise(
                    "redeem", 401,
                    Call("POST", "/api/v1/launch", json: #"{"code": "x", "page": "y"}"#))
            ]
    }

    private static let decision = """
        {"decision": "allow", "terms": {"access": "raw", "rate": 2, "precision": 0.5,
         "history": "1h", "expires": 4102444800000, "background": false}}
        """
}
