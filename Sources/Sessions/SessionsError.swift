public import Tracks

/// Why a session is not as asked, or could not be kept.
public struct SessionsError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case notFound, nameTaken, wrongState, tooFar, inaccurate, invalid, full
            case unsafeFile, diskFull, storeFailed
        }
        private let kind: Kind

        /// There is no such session.
        public static let notFound = Code(kind: .notFound)
        /// There is a session with this identifier.
        public static let nameTaken = Code(kind: .nameTaken)
        /// The state does not allow the step.
        public static let wrongState = Code(kind: .wrongState)
        /// The place is too far from where the session was paused.
        public static let tooFar = Code(kind: .tooFar)
        /// The place is not known well enough to go on from.
        public static let inaccurate = Code(kind: .inaccurate)
        /// A name, a number or a list is not one that is allowed.
        public static let invalid = Code(kind: .invalid)
        /// The session was paused as often as it may be.
        public static let full = Code(kind: .full)
        /// The file could be read or written by others than its owner.
        public static let unsafeFile = Code(kind: .unsafeFile)
        /// The disk has no room.
        public static let diskFull = Code(kind: .diskFull)
        /// The file could not be read or written.
        public static let storeFailed = Code(kind: .storeFailed)
    }

    public let code: Code
    /// One sentence.
    public let message: String
    /// The command that would help.
    public let hint: String?
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// This module's word for what the rules of sessions and routes refuse.
    public init(_ error: TrackError) {
        let code: Code =
            switch error.code {
            case .wrongState: .wrongState
            case .tooFar: .tooFar
            case .inaccurate: .inaccurate
            default: .invalid
            }
        self.init(code, error.message, cause: error)
    }

    public var description: String { message }
}
