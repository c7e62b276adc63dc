import Glibc
import Text

/// Why a run could not be prepared, started or recorded.
///
/// Messages contain no path of this machine except of its own programs.
public struct AppRunsError: Error, Sendable {
    /// The kind of error; its raw value is stable across releases.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// No run has that identifier.
        case noRun = "no-run"
        /// The run is in another state than the call requires.
        case conflict = "conflict"
        /// The app's script cannot be run.
        case damaged = "damaged"
        /// The kernel lacks a layer of the sandbox.
        case confinement = "confinement"
        /// A system call failed.
        case io = "io"
    }

    /// The kind of error.
    public let code: Code
    /// One sentence that names the thing.
    public let message: String
    /// How the owner can resolve it.
    public let hint: String?
    /// The underlying error, if any.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }
}

extension AppRunsError {
    /// An `io` error; `what` is a sentence without full stop, to which the cause is appended.
    static func io(_ what: String, _ number: Int32 = errno) -> AppRunsError {
        AppRunsError(.io, "\(what): \(String(cString: strerror(number))).")
    }

    static func noRun(_ id: String) -> AppRunsError {
        AppRunsError(
            .noRun, "The run \(id.escapedForDisplay(limit: 40)) does not exist.",
            hint: "List the runs with: nervous apps")
    }
}

extension AppRunsError.Code: CustomStringConvertible {
    /// The stable name, such as `no-run`.
    public var description: String { rawValue }
}

extension AppRunsError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
