/// Why a backup could not be made or restored.
public struct BackupError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The data directory or the backup does not exist, or is empty.
        case missing
        /// The file exists already, or the directory is not empty.
        case exists
        /// A file cannot be written where it should be.
        case cannotWrite
        /// The disk is full.
        case diskFull
        /// Another process changes the same files.
        case busy
        /// A file cannot be read.
        case unreadable
        /// A database of the data directory is damaged.
        case damagedData
        /// The file is not a backup.
        case notABackup
        /// The backup is truncated or was changed.
        case damaged
        /// The backup was made by a later version.
        case newer
        /// A file of the data directory was written by a later version.
        case newerData
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence that names the file.
    public let message: String
    /// How to resolve it, if that is known.
    public let hint: String?
    /// The error of a lower layer, if there is one.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
    }

    /// The message.
    public var description: String { message }
}
