import AppRuns
import Auth
import JSApps
import Samples
import Testing

extension ServedHost {
    /// Runs a script as an app that controls its environment.
    ///
    /// It has `publish(sensor, sample)`, and `allow`, `deny` and `reset` of a privilege, which take
    /// effect before its next line or call is handled.
    /// - Parameters:
    ///   - privileges: what it declares.
    ///   - decisions: the decisions before it starts.
    ///   - hearing: called with each of its other lines.
    /// - Returns: its other lines, and its uncaught errors.
    func play(
        _ script: String, privileges: String = #"["gauge"]"#, as app: String = "demo",
        decisions: [String: Decision] = [:],
        hearing: @escaping @Sendable (String, ServedHost) async -> Void = { _, _ in }
    ) async throws -> [String] {
        let prologue = """
            const publish = (sensor, sample) => console.log("!publish", sensor, JSON.stringify(sample));
            const [allow, deny, reset] = ["allow", "deny", "reset"].map((name) =>
              (privilege) => console.log(`!${name}`, privilege));
            const say = (...values) => console.log(values.map((value) =>
              typeof value === "string" ? value : JSON.stringify(value) ?? "undefined").join(" "));

            """
        try await install(app, script: prologue + script, privileges: privileges)
        for (privilege, decision) in decisions { try await decide(decision, privilege, by: app) }
        let lines = Lines()
        let run = try await supervisor.prepare(app: app).id
        let report = try await supervisor.run(run) { event in
            if case .uncaught(let message, let place, _) = event {
                lines.take(.console(level: .error, text: "\(place ?? ""): \(message)"))
            }
            guard case .console(_, let text) = event else { return }
            guard text.hasPrefix("!") else {
                lines.take(event)
                return await hearing(text, self)
            }
            do {
                try await self.perform(
                    text.split(separator: " ", maxSplits: 2).map(String.init), app)
            } catch {
                Issue.record("\(text): \(error)")
            }
        }
        #expect(report.ending?.name == "finished", "\(String(describing: report.ending))")
        return lines.all
    }

    /// Waits until an app requests a privilege, and allows it.
    func allowFirstRequest() async throws {
        while true {
            guard let request = await authority.pendingRequests().first else {
                await Task.yield()
                continue
            }
            return try await authority.decide(
                .allowAlways, on: request.privilege, by: request.app)
        }
    }

    private func perform(_ words: [String], _ app: String) async throws {
        switch words[0] {
        case "!publish": try await feedSensor(words[2], to: words[1])
        case "!allow": try await decide(.allowAlways, words[1], by: app)
        case "!deny": try await decide(.deny, words[1], by: app)
        case "!reset": try await authority.reset(PrivilegeID(words[1]), of: app)
        default: Issue.record("\(words)")
        }
    }
}
