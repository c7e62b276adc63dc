import Foundation

extension CommandFailure {
    private struct Problem: Decodable {
        let code: String
        let detail: String
        let fix: String?
    }

    /// What a problem that the API answered means for a command.
    init(problem data: Data, status: UInt) {
        guard let problem = try? JSONDecoder().decode(Problem.self, from: data) else {
            self.init(.remote, "The host answered \(status) and did not say why.")
            return
        }
        let packageFaults = [
            "not-an-archive", "malformed-archive", "unsupported-archive", "too-large",
            "unsafe-path",
            "unsafe-entry", "duplicate-name", "wrong-folder-name", "missing-file", "bad-manifest",
        ]
        let code: Code =
            switch problem.code {
            case _ where packageFaults.contains(problem.code): .badData
            case "not-installed", "unknown-sensor", "not-found", "no-samples", "input-missing":
                .noInput
            case "sensor-unavailable", "not-serving", "unpacker-unavailable": .unavailable
            case _ where status == 401 || status == 403: .noPermission
            case _ where status == 400 || status == 422: .usage
            case "name-taken": .failed
            default: .remote
            }
        self.init(code, problem.detail, hint: problem.fix, type: problem.code)
    }
}
