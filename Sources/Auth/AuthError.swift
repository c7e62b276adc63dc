public import AppStorage
import Databases
import Files
import GRDB
public import Samples

/// Why a call was refused, or why permissions could not be read or changed.
///
/// ```swift
/// do throws(AuthError) {
///     grant = try await authority.checkApp(token: token, name: "load-watch", requested: request)
/// } catch {
///     if error.code == .undecided { print(error.message, error.hint ?? "") }
/// }
/// ```
public struct AuthError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The call has no token.
        case missingToken
        /// The token is unknown, malformed, expired or revoked.
        case invalidToken
        /// The token belongs to another app than the one named.
        case nameMismatch
        /// The call is reserved for the owner.
        case ownerOnly
        /// The owner has denied the privilege.
        case denied
        /// The owner has not decided about the privilege.
        case undecided
        /// The client may read only aggregates.
        case statisticsOnly
        /// The permission applies only to foreground runs and open pages.
        case notInBackground
        /// The client named a kind, and may use several sensors of it.
        case severalSensors
        /// The policy of this machine blocks the privilege.
        case restricted
        /// The privilege cannot be granted, or not under these terms.
        case invalidPrivilege
        /// No such client, token, run or request.
        case notFound
        /// Another client has the name.
        case nameTaken
        /// Other users of the machine could read or change the database.
        case unsafeFile
        /// Too many wrong tokens; ``AuthError/retryAfter`` is how long to wait.
        case tooManyAttempts
        /// The app's manifest does not declare the privilege.
        case undeclared
        /// The storage key is too long.
        case invalidKey
        /// The stored value is too large.
        case tooLarge
        /// The app's storage is full; ``AuthError/usage`` is its usage.
        case storageFull
        /// The message has no title, or its tag is too long.
        case invalidMessage
        /// The app has sent too many messages; ``AuthError/retryAfter`` is how long to wait.
        case tooManyMessages
        /// The access log cannot be written, so nothing is read.
        case logUnavailable
        /// The access log is sealed already, or not sealed.
        case wrongSeal
        /// The file of the apps' storage is damaged; everything else works.
        case storageDamaged
        /// The disk is full.
        case diskFull
        /// The database failed.
        case storeFailed
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// How the owner can resolve it, usually a command.
    public let hint: String?
    /// The hint for a refused app or program, instead of ``hint``; `nil` if the caller is the owner.
    ///
    /// It says what to ask the owner for, and never contains the command that would allow it: an app or an
    /// assistant could pass that command to a shell.
    public let clientHint: String?
    /// The privilege that is missing.
    public let privilege: PrivilegeID?
    /// How long to wait before trying again, for `tooManyAttempts` and `tooManyMessages`.
    public let retryAfter: Duration?
    /// The current usage, for `storageFull`.
    public let usage: StorageUsage?
    /// The error of a lower layer.
    public let cause: (any Error)?

    public var description: String { message }

    init(
        _ code: Code, _ message: String, hint: String? = nil, clientHint: String? = nil,
        privilege: PrivilegeID? = nil, retryAfter: Duration? = nil, usage: StorageUsage? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.clientHint = clientHint
        self.privilege = privilege
        self.retryAfter = retryAfter
        self.usage = usage
        self.cause = cause
    }

    /// Wraps an error of the storage of apps or of the notices.
    public init(_ error: AppStorageError) {
        let code: Code =
            switch error.code {
            case .invalidKey: .invalidKey
            case .tooLarge: .tooLarge
            case .storageFull: .storageFull
            case .diskFull: .diskFull
            case .unsafeFile: .unsafeFile
            case .damaged: .storageDamaged
            case .storeFailed: .storeFailed
            case .invalidMessage: .invalidMessage
            case .tooManyMessages: .tooManyMessages
            }
        self.init(
            code, error.message, hint: error.hint, retryAfter: error.retryAfter,
            usage: error.usage, cause: error.cause)
    }

    /// The access log cannot be written.
    static let logUnavailable = AuthError(
        .logUnavailable,
        "The access log cannot be written, so apps and programs cannot read data.",
        hint: "The disk may be full: free some space. See: nervous status",
        retryAfter: .seconds(10))

    /// The error when a call names a kind and the client may use several sensors of it.
    public init(
        several sensors: [SensorID], named name: SensorID, for client: Client,
        privilege: PrivilegeID? = nil
    ) {
        let names = sensors.map(\.description).joined(separator: ", ")
        var message = "\(name) can refer to \(sensors.count) sensors"
        var hint = "Use one of: \(names)"
        var clientHint: String?
        if client.kind != .owner {
            message += " that \(client.name) may use"
            if let privilege, let first = sensors.first {
                clientHint = hint + "; or ask the owner to choose the one that \(name) refers to."
                hint +=
                    "; or choose the one that \(name) refers to: nervous permissions grant"
                    + " \(client.name) \(privilege) --only \(first)"
            }
        }
        self.init(
            .severalSensors, message + ".", hint: hint, clientHint: clientHint,
            privilege: privilege)
    }

    init(_ error: FilesError) {
        let code: Code =
            switch error.code {
            case .unsafe: .unsafeFile
            case .diskFull: .diskFull
            default: .storeFailed
            }
        self.init(code, error.message, hint: error.hint, cause: error)
    }

    /// Wraps an error of SQLite or of a lower module.
    ///
    /// - Parameter action: the action that failed, as in "while opening FILE".
    init(wrapping error: any Error, while action: String) {
        switch error {
        case let own as AuthError: self = own
        case let error as AppStorageError: self.init(error)
        default:
            let found = error as? DatabaseError
            self.init(
                found?.isLackOfSpace == true ? .diskFull : .storeFailed,
                "The permission database failed while \(action): \(found?.message ?? "\(error)").",
                cause: error)
        }
    }

    /// Reports that the permission database cannot be used.
    ///
    /// - Parameter fault: what is wrong with the file, such as "is not a database".
    init(damaged path: String, _ fault: String, cause: (any Error)? = nil) {
        self.init(
            .storeFailed, "The permission database \(path) \(fault).",
            hint:
                "Without the decisions in it, the host does not start. Restore the file from a backup, or"
                + " set it aside and begin without decisions, tokens and access log: mv \(path)"
                + " \(path).damaged",
            cause: cause)
    }

    /// Reports a revocation that could not be stored yet.
    ///
    /// - Parameter fact: what has taken effect, without a full stop.
    init(unstored error: any Error, _ fact: String) {
        let found = error as? DatabaseError
        self.init(
            found?.isLackOfSpace == true ? .diskFull : .storeFailed,
            "\(fact), but this could not be stored: \(found?.message ?? "\(error)").",
            hint:
                "Free some disk space and leave the host running: it stores this as soon as it can.",
            cause: error)
    }
}
