/// The reason why something could not be sealed, opened or unlocked.
///
/// No message contains a key, a passphrase or what was sealed.
public struct SealingError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The private key is needed, and the owner has not unlocked it.
        case locked
        /// There is no owner's key yet.
        case notSetUp
        /// There is an owner's key already.
        case alreadySetUp
        /// The passphrase is too short, too long or not UTF-8.
        case unsuitablePassphrase
        /// The passphrase does not open the key.
        case wrongPassphrase
        /// Too many wrong passphrases; see ``SealingError/retryAfter``.
        case tooManyAttempts
        /// A key cannot be unlocked in the requested way.
        case unavailableMethod
        /// A text is not a recipient, an identity or a recovery file of `age`.
        case invalidRecovery
        /// The recovery key is that of another owner's key, or does not open the file.
        case wrongRecovery
        /// A stored form was changed, or sealed for another place or to another key.
        case damaged
        /// The value of a secret is empty, too long or has control characters, or there are too many.
        case invalidSecret
        /// The memory for a key cannot be locked.
        case memory
        /// A file cannot be read or written.
        case storeFailed
        /// The disk is full.
        case diskFull
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence.
    public let message: String
    /// What the owner can do, if anything.
    public let hint: String?
    /// When the next passphrase is tried; for `tooManyAttempts` only.
    public let retryAfter: Duration?

    package init(
        _ code: Code, _ message: String, hint: String? = nil, retryAfter: Duration? = nil
    ) {
        (self.code, self.message, self.hint) = (code, message, hint)
        self.retryAfter = retryAfter
    }

    /// The message.
    public var description: String { message }
}
