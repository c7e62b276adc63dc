public import Databases
public import Tracks

/// An error of a session, a route or the file of sessions.
public struct SessionsError: DatabaseFileError, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: DatabaseErrorCode, Hashable, Sendable, CaseIterable {
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

    package static let failedAccess = "The file of sessions could not be read or written"

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// What you can do.
    public let hint: String?
    /// The underlying error.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// - Parameter fault: what is wrong with the file, such as "is not a database".
    package init(damaged fault: String, cause: (any Error)?) {
        self.init(
            .storeFailed, "The sessions are unavailable: sessions.sqlite \(fault).", cause: cause)
    }

    /// Wraps an error of a route or track.
    public init(_ error: TrackError) {
        self.init(.invalid, error.message, cause: error)
    }

    public var description: String { message }
}
