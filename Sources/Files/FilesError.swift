import Glibc

/// Why a file or folder cannot be used, or was not written.
public struct FilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case unsafe, diskFull, failed
        }
        private let kind: Kind

        /// Others than the owner of the process could read or change it.
        public static let unsafe = Code(kind: .unsafe)
        /// The disk has no room.
        public static let diskFull = Code(kind: .diskFull)
        /// The machine refused.
        public static let failed = Code(kind: .failed)
    }

    public let code: Code
    /// One sentence, with the path.
    public let message: String
    /// The end of such a sentence, without the path, for one of another's own.
    public let reason: String
    /// The command that would help.
    public let hint: String?

    init(_ code: Code, _ message: String, reason: String, hint: String?) {
        (self.code, self.message, self.reason, self.hint) = (code, message, reason, hint)
    }

    /// What a call to the kernel left in `errno`.
    ///
    /// - Parameter action: begins the sentence, such as “Cannot open /a”.
    static func last(_ action: String) -> FilesError { FilesError(action, errno) }

    private init(_ action: String, _ number: Int32) {
        code = number == ENOSPC || number == EDQUOT ? .diskFull : .failed
        reason = String(cString: strerror(number))
        message = "\(action): \(reason)."
        hint = nil
    }

    public var description: String { message }
}
