/// Why a call was refused, or why permission could not be looked up.
public struct AuthError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case missingToken, invalidToken, nameMismatch, ownerOnly, denied, undecided
            case statisticsOnly, notInBackground, invalidPrivilege, notFound, nameTaken, unsafeFile
            case storeFailed, tooManyAttempts, undeclared, invalidKey, tooLarge
            case storageFull, diskFull, invalidMessage, tooManyMessages, restricted
            case severalSensors
        }
        private let kind: Kind

        /// The call carried no token.
        public static let missingToken = Code(kind: .missingToken)
        /// The token is unknown, malformed, expired or revoked.
        public static let invalidToken = Code(kind: .invalidToken)
        /// The token belongs to another app than the one named.
        public static let nameMismatch = Code(kind: .nameMismatch)
        /// Only the owner may do this.
        public static let ownerOnly = Code(kind: .ownerOnly)
        /// The person has refused.
        public static let denied = Code(kind: .denied)
        /// The person has not been asked, or did not answer.
        public static let undecided = Code(kind: .undecided)
        /// The client's grants cover only aggregates.
        public static let statisticsOnly = Code(kind: .statisticsOnly)
        /// The client's grant holds only while a person watches, and nobody does.
        public static let notInBackground = Code(kind: .notInBackground)
        /// The client named a kind, and may use several instances of it.
        public static let severalSensors = Code(kind: .severalSensors)
        /// The policy of this machine keeps it from everybody.
        public static let restricted = Code(kind: .restricted)
        /// A privilege in a manifest or a flag is not one.
        public static let invalidPrivilege = Code(kind: .invalidPrivilege)
        /// There is no such client, token or record.
        public static let notFound = Code(kind: .notFound)
        /// A client of that name exists.
        public static let nameTaken = Code(kind: .nameTaken)
        /// The database could be read or written by others than its owner.
        public static let unsafeFile = Code(kind: .unsafeFile)
        /// Too many wrong tokens came in a short time; `retryAfter` says how long to wait.
        public static let tooManyAttempts = Code(kind: .tooManyAttempts)
        /// An app asks for what it has not declared.
        public static let undeclared = Code(kind: .undeclared)
        /// What an app wants to keep has a name that is none.
        public static let invalidKey = Code(kind: .invalidKey)
        /// What an app wants to keep is larger than one thing may be.
        public static let tooLarge = Code(kind: .tooLarge)
        /// An app keeps as much as it may; `usage` says how much that is.
        public static let storageFull = Code(kind: .storageFull)
        /// What an app wants to tell the person is no message.
        public static let invalidMessage = Code(kind: .invalidMessage)
        /// An app has told the person enough for now; `retryAfter` says how long to wait.
        public static let tooManyMessages = Code(kind: .tooManyMessages)
        /// The disk has no room.
        public static let diskFull = Code(kind: .diskFull)
        /// The database failed.
        public static let storeFailed = Code(kind: .storeFailed)
    }

    public let code: Code
    /// One sentence.
    public let message: String
    /// The command that would help.
    public let hint: String?
    /// The privilege that was missing.
    public let privilege: PrivilegeID?
    /// How long to wait before trying again, for `tooManyAttempts` and `tooManyMessages`.
    public let retryAfter: Duration?
    /// What is kept already, for `storageFull`.
    public let usage: StorageUsage?
    public let cause: (any Error)?

    init(
        _ code: Code, _ message: String, hint: String? = nil, privilege: PrivilegeID? = nil,
        retryAfter: Duration? = nil, usage: StorageUsage? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.privilege = privilege
        self.retryAfter = retryAfter
        self.usage = usage
        self.cause = cause
    }

    public var description: String { message }
}
