import API
import Foundation
import Provider

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
        self.init(
            Self.code(problem.code, status), problem.detail, hint: problem.fix,
            type: problem.code)
    }

    /// What a run that could not start means for a command.
    init(_ event: RunEventItem) {
        let code = event.code ?? "internal"
        self.init(
            Self.code(code, 500), event.text ?? "The app could not start.", hint: event.fix,
            type: code)
    }

    private static func code(_ problem: String, _ status: UInt) -> Code {
        let packageFaults = [
            "not-an-archive", "malformed-archive", "unsupported-archive", "too-large",
            "unsafe-path",
            "unsafe-entry", "duplicate-name", "wrong-folder-name", "missing-file", "bad-manifest",
            "bad-signature", "signer-changed", "downgrade", "invalid-sample",
        ]
        return switch problem {
        case _ where packageFaults.contains(problem): .badData
        case "not-installed", "unknown-sensor", "not-found", "no-samples", "input-missing",
            "no-run":
            .noInput
        case "sensor-unavailable", "not-serving", "confinement", "unpacker-unavailable":
            .unavailable
        case _ where status == 401 || status == 403: .noPermission
        case _ where status == 400 || status == 422: .usage
        case "io", "internal", "damaged": .input
        case "too-many-attempts", "busy": .tryAgain
        case "disk-full": .cannotCreate
        case "name-taken", "conflict", "undeclared", "sensor-off", "sensor-virtual",
            "sensor-collected", "wrong-state", "too-far", "inaccurate", "session-full":
            .failed
        default: .remote
        }
    }
}
