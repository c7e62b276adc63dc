import AppRuns

/// Runs: each start is of a newly prepared run.
extension Exercise {
    static func runs(_ host: ServedHost) async throws -> [Exercise] {
        let foreground = try await host.supervisor.prepare(app: "my-app").id
        let waiting = try await host.supervisor.prepare(app: "my-app").id
        let background = try await host.supervisor.prepare(app: "my-app", isForeground: false).id
        return [
            host.owned("prepareRun", 201, "POST", "/apps/my-app/runs"),
            host.owned(
                "prepareRun", 201, "POST", "/apps/my-app/runs", json: #"{"background": true}"#),
            host.owned("prepareRun", 400, "POST", "/apps/my-app/runs", json: "{"),
            host.owned("prepareRun", 404, "POST", "/apps/none/runs"),
            host.owned("prepareRun", 413, "POST", "/apps/my-app/runs", json: big),
            host.owned(
                "consultBroker", 200, "POST", "/runs/\(waiting)/broker",
                json: #"{"privileges": ["sensor:cpu"]}"#),
            host.owned("consultBroker", 400, "POST", "/runs/\(waiting)/broker", json: "{"),
            host.owned(
                "consultBroker", 422, "POST", "/runs/\(waiting)/broker",
                json: #"{"privileges": ["cpu"]}"#),
            host.owned(
                "consultBroker", 404, "POST", "/runs/none/broker", json: #"{"privileges": []}"#),
            host.owned("consultBroker", 413, "POST", "/runs/\(waiting)/broker", json: big),
            host.owned("startRun", 400, "POST", "/runs/\(waiting)/start", json: "[]"),
            host.owned("startRun", 413, "POST", "/runs/\(waiting)/start", json: big),
            host.owned("startRun", 200, "POST", "/runs/\(foreground)/start"),
            host.owned("startRun", 409, "POST", "/runs/\(foreground)/start"),
            host.owned("startRun", 202, "POST", "/runs/\(background)/start"),
            host.owned("startRun", 404, "POST", "/runs/none/start"),
            host.owned("listRuns", 200, "GET", "/runs"),
            host.owned("run", 200, "GET", "/runs/\(foreground)"),
            host.owned("run", 404, "GET", "/runs/none"),
            host.owned("stopRun", 200, "DELETE", "/runs/\(waiting)"),
            host.owned("stopRun", 404, "DELETE", "/runs/none"),
            host.owned("app", 200, "GET", "/apps/my-app"),
        ]
    }
}
