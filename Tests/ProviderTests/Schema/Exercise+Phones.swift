import Auth

/// Runs of programs.
extension Exercise {
    static func programRuns(_ host: ServedHost) async throws -> [Exercise] {
        _ = try await host.client("desk-lamp")
        let run = try await host.authority.beginRun(ofProgram: "desk-lamp").run
        let path = "/tokens/desk-lamp/runs/\(run)"
        return [
            host.owned("renewProgramRun", 204, "PUT", path),
            host.owned("endProgramRun", 204, "DELETE", path),
            host.owned("endProgramRun", 404, "DELETE", path),
        ]
    }
}

/// Phones that the owner adds.
extension Exercise {
    static func phones(_ host: ServedHost) -> [Exercise] {
        func add(_ status: Int, _ json: String) -> Exercise {
            host.owned("addPhone", status, "POST", "/phones", json: json)
        }
        return [
            add(201, #"{"name": "eve", "app": "owntracks", "lifetime": "never"}"#),
            add(400, #"{"name": "Eve"}"#), add(409, #"{"name": "eve"}"#),
            add(503, #"{"name": "bob", "requiresNetwork": true}"#),
        ] + host.wrongBodies("addPhone", "POST", "/phones")
    }
}
