public import Databases

/// Why health data was not saved, read or removed.
public struct HealthError: DatabaseFileError, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: DatabaseErrorCode, Hashable, Sendable, CaseIterable {
        /// No type has this name.
        case unknownType
        /// Nothing with this identifier that the caller may see or change.
        case notFound
        /// The unit is not one of the type's.
        case unitMismatch
        /// A value, time, activity, key or metadata is not allowed.
        case invalid
        /// The key was used for other content.
        case keyReused
        /// The app or program has reached its limit.
        case full
        /// The file, or a value in it, is damaged, or the key does not open it.
        case damaged
        /// Other users of the machine could read or change the file or its key.
        case unsafeFile
        /// The disk is full.
        case diskFull
        /// The database failed.
        case storeFailed
    }

    package static let failedAccess = "The health store could not be read or written"

    /// The kind of error.
    public let code: Code
    /// One sentence; never a value of health data.
    public let message: String
    /// How to resolve it.
    public let hint: String?
    /// The error of a lower layer.
    public let cause: (any Error)?

    public var description: String { message }

    package init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// No type has a name.
    public init(unknownType name: String) {
        self.init(
            .unknownType,
            "No type of health data has the name \(name.prefix(60).debugDescription).",
            hint: "List the types with: nervous health types")
    }

    /// - Parameter fault: what is wrong with the file, such as "is not a database".
    package init(damaged fault: String, cause: (any Error)? = nil) {
        self.init(
            .damaged, "The health store is unavailable: health.sqlite \(fault).",
            hint:
                "Restore health.sqlite and health.key from a backup while the host is stopped, or set the"
                + " file aside to begin with an empty store: mv health.sqlite health.sqlite.damaged",
            cause: cause)
    }
}
