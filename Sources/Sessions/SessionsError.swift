import Databases
import Files
public import Tracks

/// An error of a session, a route or the file of sessions.
public struct SessionsError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// There is no such session.
        case notFound
        /// A session with this identifier exists.
        case nameTaken
        /// The state does not allow the step.
        case wrongState
        /// The position is too far from where the session was paused.
        case tooFar
        /// The position is not accurate enough.
        case inaccurate
        /// A name, a number or a list is not allowed.
        case invalid
        /// The session has the maximum number of steps.
        case full
        /// Other users than the owner of the file can read or write it.
        case unsafeFile
        /// The disk is full.
        case diskFull
        /// The file could not be read or written.
        case storeFailed
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// What you can do.
    public let hint: String?
    /// The underlying error.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// Wraps an error of a route or track.
    public init(_ error: TrackError) {
        self.init(.invalid, error.message, cause: error)
    }

    /// Wraps an error of SQLite or of the file; an error of this module stays as it is.
    init(wrapping error: any Error) {
        if let own = error as? SessionsError {
            self = own
            return
        }
        let failed = "The file of sessions could not be read or written"
        switch DatabaseFailure(error) {
        case .file(let file):
            let code: Code =
                switch file.code {
                case .unsafe: .unsafeFile
                case .diskFull: .diskFull
                case .failed: .storeFailed
                }
            self.init(code, file.message, hint: file.hint, cause: file)
        case .diskFull(let reason): self.init(.diskFull, "\(failed): \(reason).", cause: error)
        case .damaged(let reason), .other(let reason):
            self.init(.storeFailed, "\(failed): \(reason).", cause: error)
        }
    }

    public var description: String { message }
}
