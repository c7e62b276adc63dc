public import Files
public import GRDB

/// What an error of SQLite or of a database file means.
///
/// ```swift
/// switch DatabaseFailure(error) {
/// case .file(let error): show(error.message)
/// case .damaged(let fault): show("The database \(fault).")
/// case .diskFull(let reason), .other(let reason): show("Not stored: \(reason).")
/// }
/// ```
public enum DatabaseFailure {
    /// The file could not be created or is unsafe.
    case file(FilesError)
    /// The file is not a database, or its content is damaged.
    ///
    /// - `fault`: a clause such as "is empty".
    case damaged(fault: String)
    /// The disk is full.
    case diskFull(reason: String)
    /// Any other error.
    case other(reason: String)

    /// Classifies an error.
    public init(_ error: any Error) {
        if let file = error as? FilesError {
            self = .file(file)
            return
        }
        if let damage = error as? DatabaseDamage {
            self = .damaged(fault: damage.fault)
            return
        }
        guard let found = error as? DatabaseError else {
            self = .other(reason: "\(error)")
            return
        }
        let reason = found.message ?? "\(found)"
        switch found.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(fault: "is damaged: \(reason)")
        case _ where found.isLackOfSpace: self = .diskFull(reason: reason)
        default: self = .other(reason: reason)
        }
    }
}

/// A database file whose content cannot be used.
public struct DatabaseDamage: Error, Hashable, Sendable {
    /// What is wrong with the file, such as "is empty".
    public let fault: String
}

/// The codes that the errors of all modules with a database file have.
package protocol DatabaseErrorCode {
    /// Other users can read or write the file.
    static var unsafeFile: Self { get }
    /// The disk is full.
    static var diskFull: Self { get }
    /// The file could not be read or written.
    static var storeFailed: Self { get }
}

/// An error of a module that keeps its data in a database file.
package protocol DatabaseFileError: Error {
    associatedtype Code: DatabaseErrorCode

    /// What failed, such as "The alert rules could not be read or written".
    static var failedAccess: String { get }

    init(_ code: Code, _ message: String, hint: String?, cause: (any Error)?)

    /// - Parameter fault: what is wrong with the file, such as "is not a database".
    init(damaged fault: String, cause: (any Error)?)
}

extension DatabaseFileError {
    /// Wraps an error of SQLite or of the file; an error of the same module stays as it is.
    package init(wrapping error: any Error) {
        if let own = error as? Self {
            self = own
            return
        }
        switch DatabaseFailure(error) {
        case .file(let file):
            let code: Code =
                switch file.code {
                case .unsafe: .unsafeFile
                case .diskFull: .diskFull
                case .failed: .storeFailed
                }
            self.init(code, file.message, hint: file.hint, cause: file)
        case .damaged(let fault): self.init(damaged: fault, cause: error)
        case .diskFull(let reason):
            self.init(.diskFull, "\(Self.failedAccess): \(reason).", hint: nil, cause: error)
        case .other(let reason):
            self.init(.storeFailed, "\(Self.failedAccess): \(reason).", hint: nil, cause: error)
        }
    }
}

extension DatabaseError {
    /// Whether the disk is full; if there is no space for its shared memory, SQLite reports an I/O error.
    public var isLackOfSpace: Bool {
        resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
            || extendedResultCode == .SQLITE_IOERR_SHMOPEN
    }
}
