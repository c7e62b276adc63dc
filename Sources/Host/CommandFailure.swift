import Auth
import Egress
package import Foundation
import JSApps
package import Provider
import Sessions
import VM

/// The error that ends a command: an exit code, a message, and a hint.
///
/// ```swift
/// throw CommandFailure(.noInput, "No file at \(path).", hint: "Check the path.")
/// ```
package struct CommandFailure: Error, Sendable {
    /// The exit code, from sysexits(3) where it defines one.
    package enum Code: Int32, Sendable {
        case failed = 1
        case usage = 64
        case badData = 65
        case noInput = 66
        case unavailable = 69
        case cannotCreate = 73
        case input = 74
        case tryAgain = 75
        case remote = 76
        case noPermission = 77
        case configuration = 78
        case timeout = 124
        case interrupted = 130
    }

    package let code: Code
    /// The stable name of the kind of failure.
    package let type: String
    package let message: String
    package let hint: String?

    package init(_ code: Code, _ message: String, hint: String? = nil, type: String? = nil) {
        self.code = code
        self.type = type ?? "\(code)"
        self.message = message
        self.hint = hint
    }
}

extension CommandFailure {
    /// Maps the errors of the modules to exit codes.
    package init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as VirtualMachineError: self.init(error)
        case let error as AuthError: self.init(error)
        case let error as JSAppsError: self.init(error)
        case let error as SessionsError: self.init(error)
        case let error as OutboxError: self.init(error)
        case is CancellationError: self.init(.interrupted, "Interrupted.")
        default: self.init(.failed, "\(error)")
        }
    }

    private init(_ error: VirtualMachineError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .alreadyRunning: (.tryAgain, "already-running")
            case .dataUnusable: (.cannotCreate, "data-unusable")
            case .unknownSensor: (.noInput, "unknown-sensor")
            default: (.input, "store-failed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: AuthError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafeFile: (.configuration, "unsafe-file")
            case .storeFailed: (.input, "store-failed")
            case .notFound: (.noInput, "not-found")
            default: (.noPermission, "not-allowed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: JSAppsError) {
        let code: Code =
            switch error.code {
            case .inputMissing, .notInstalled, .noSuchKey, .noRun: .noInput
            case .keyExists, .conflict: .failed
            case .unsafeKeys: .configuration
            case .io, .damaged: .input
            case .unpackerUnavailable, .confinement: .unavailable
            default: .badData
            }
        self.init(code, error.message, hint: error.hint, type: error.code.description)
    }

    private init(_ error: SessionsError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafeFile: (.configuration, "unsafe-file")
            case .diskFull: (.cannotCreate, "disk-full")
            default: (.input, "store-failed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: OutboxError) {
        let (code, type): (Code, String) =
            error.code == .diskFull ? (.cannotCreate, "disk-full") : (.input, "store-failed")
        self.init(code, error.message, hint: error.hint, type: type)
    }
}

extension CommandFailure {
    private struct Problem: Decodable {
        let code: String
        let detail: String
        let fix: String?
    }

    /// Maps a problem that the API returned to an exit code.
    package init(problem data: Data, status: UInt) {
        guard let problem = try? JSONDecoder().decode(Problem.self, from: data) else {
            self.init(.remote, "The host returned status \(status) without a reason.")
            return
        }
        self.init(
            Self.code(problem.code, status), problem.detail, hint: problem.fix,
            type: problem.code)
    }

    /// Maps the event of a run that could not start to an exit code.
    package init(_ event: RunEventItem) {
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
