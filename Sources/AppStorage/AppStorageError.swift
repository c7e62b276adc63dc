public import Databases

/// Why a value was not stored or read, or a message not accepted.
public struct AppStorageError: DatabaseFileError, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: DatabaseErrorCode, Hashable, Sendable, CaseIterable {
        /// The key is too long.
        case invalidKey
        /// The value is larger than ``StoredValue/limit``.
        case tooLarge
        /// The app or program has reached its limit; ``AppStorageError/usage`` is its usage.
        case storageFull
        /// The disk is full.
        case diskFull
        /// Other users of the machine could read or change the file.
        case unsafeFile
        /// The file is not a database, or damaged.
        case damaged
        /// The database failed.
        case storeFailed
        /// The message has no title, or its tag is too long.
        case invalidMessage
        /// The app has sent too many messages; ``AppStorageError/retryAfter`` is how long to wait.
        case tooManyMessages
    }

    package static let failedAccess = "The storage of apps could not be read or written"

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// How to resolve it.
    public let hint: String?
    /// How long to wait before trying again, for `tooManyMessages`.
    public let retryAfter: Duration?
    /// The current usage, for `storageFull`.
    public let usage: StorageUsage?
    /// The error of a lower layer.
    public let cause: (any Error)?

    public var description: String { message }

    init(
        _ code: Code, _ message: String, hint: String? = nil, retryAfter: Duration? = nil,
        usage: StorageUsage? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.retryAfter = retryAfter
        self.usage = usage
        self.cause = cause
    }

    package init(_ code: Code, _ message: String, hint: String?, cause: (any Error)?) {
        self.init(code, message, hint: hint, retryAfter: nil, cause: cause)
    }

    init(full usage: StorageUsage) {
        let hasTooManyKeys = usage.items >= StorageUsage.itemLimit
        self.init(
            .storageFull,
            hasTooManyKeys
                ? "An app can store \(StorageUsage.itemLimit) keys; \(usage.items) are in use."
                : "An app can store \(StorageUsage.limit) bytes; \(usage.used) are in use.",
            hint: "Remove values that are no longer needed.", usage: usage)
    }

    /// - Parameter limit: the bytes that all apps may store together.
    init(allFull usage: StorageUsage, limit: Int) {
        self.init(
            .storageFull, "All apps together can store \(limit) bytes, which are in use.",
            hint: "Uninstall apps that are no longer needed, or raise budgets.total.diskMiB in"
                + " config.json.", usage: usage)
    }

    /// - Parameter fault: what is wrong with the file, such as "is not a database".
    package init(damaged fault: String, cause: (any Error)? = nil) {
        self.init(
            .damaged, "The storage of apps is unavailable: app-storage.sqlite \(fault).",
            hint:
                "Restore it from a backup while the host is stopped, or set it aside, and apps start"
                + " with empty storage: mv app-storage.sqlite app-storage.sqlite.damaged",
            cause: cause)
    }
}
