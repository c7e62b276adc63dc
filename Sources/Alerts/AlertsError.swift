public import Databases

/// An error of an alert rule or of the file of rules.
public struct AlertsError: DatabaseFileError, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: DatabaseErrorCode, Hashable, Sendable, CaseIterable {
        /// There is no such rule.
        case notFound
        /// A rule with this name exists.
        case nameTaken
        /// The definition is invalid.
        case invalid
        /// There are as many rules as there can be.
        case full
        /// The samples could not be read.
        case sourceFailed
        /// Other users than the owner of the file can read or write it.
        case unsafeFile
        /// The disk is full.
        case diskFull
        /// The file could not be read or written, or is damaged.
        case storeFailed
    }

    package static let failedAccess = "The file of alert rules could not be read or written"

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// What you can do.
    public let hint: String?
    /// The underlying error.
    public let cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    static func invalid(_ message: String, hint: String? = nil) -> AlertsError {
        AlertsError(.invalid, message, hint: hint)
    }

    static func missing(_ name: String) -> AlertsError {
        AlertsError(
            .notFound, "There is no alert rule \(name.prefix(80).debugDescription).",
            hint: "List them with: nervous alerts")
    }

    /// - Parameter fault: what is wrong with the file, such as "is not a database".
    package init(damaged fault: String, cause: (any Error)? = nil) {
        self.init(
            .storeFailed, "The alert rules are unavailable: alerts.sqlite \(fault).",
            hint:
                "Restore it from a backup while the host is stopped, or set it aside and define the"
                + " rules again: mv alerts.sqlite alerts.sqlite.damaged",
            cause: cause)
    }

    public var description: String { message }
}
