import Glibc

/// The reason why a file or folder is rejected or an operation on it failed.
public struct FilesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// Other users can read or change the file or folder.
        case unsafe
        /// The disk is full.
        case diskFull
        /// Any other failure of a system call.
        case failed
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence that names the path.
    public let message: String
    /// The reason without the path, to be embedded in another sentence.
    public let reason: String
    /// The command that resolves the problem, if any.
    public let hint: String?

    init(_ code: Code, _ message: String, reason: String, hint: String?) {
        (self.code, self.message, self.reason, self.hint) = (code, message, reason, hint)
    }

    /// The failure described by `errno`.
    ///
    /// - Parameter action: the start of the message, such as "Cannot open /a".
    public static func last(_ action: String) -> FilesError { FilesError(action, errno) }

    private init(_ action: String, _ number: Int32) {
        code = number == ENOSPC || number == EDQUOT ? .diskFull : .failed
        reason = String(cString: strerror(number))
        message = "\(action): \(reason)."
        hint = nil
    }

    /// The message.
    public var description: String { message }
}
