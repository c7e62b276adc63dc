import JSApps

/// Runs: each start is of a run that was prepared for it.
extension Exercise {
    static func runs(_ host: ServedHost) async throws -> [Exercise] {
        func owned(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            json: String? = nil
        ) -> Exercise {
            Exercise(
                operation, status,
                Call(method, "/api/v1" + target, token: host.owner, json: json))
        }
        let watched = try await host.supervisor.prepare(app: "my-app").id
        let waiting = try await host.supervisor.prepare(app: "my-app").id
        let unwatched = try await host.supervisor.prepare(app: "my-app", isWatched: false).id
        return [
            owned("prepareRun", 201, "POST", "/apps/my-app/runs"),
            owned("prepareRun", 201, "POST", "/apps/my-app/runs", json: #"{"background": true}"#),
            owned("prepareRun", 400, "POST", "/apps/my-app/runs", json: "{"),
            owned("prepareRun", 404, "POST", "/apps/none/runs"),
            owned("prepareRun", 413, "POST", "/apps/my-app/runs", json: big),
            owned("startRun", 400, "POST", "/runs/\(waiting)/start", json: "[]"),
            owned("startRun", 413, "POST", "/runs/\(waiting)/start", json: big),
            owned("startRun", 200, "POST", "/runs/\(watched)/start"),
            owned("startRun", 409, "POST", "/runs/\(watched)/start"),
            owned("startRun", 202, "POST", "/runs/\(unwatched)/start"),
            owned("startRun", 404, "POST", "/runs/none/start"),
            owned("listRuns", 200, "GET", "/runs"), owned("run", 200, "GET", "/runs/\(watched)"),
            owned("run", 404, "GET", "/runs/none"),
            owned("stopRun", 200, "DELETE", "/runs/\(waiting)"),
            owned("stopRun", 404, "DELETE", "/runs/none"),
            owned("app", 200, "GET", "/apps/my-app"),
        ]
    }
}
