public import Files
public import GRDB

/// What an error of SQLite or of a database file means.
///
/// ```swift
/// switch DatabaseFailure(error) {
/// case .file(let error): show(error.message)
/// case .damaged(let reason), .diskFull(let reason), .other(let reason): show("Not stored: \(reason).")
/// }
/// ```
public enum DatabaseFailure {
    /// The file could not be created or is unsafe.
    case file(FilesError)
    /// The file is not a database, or its content is damaged.
    case damaged(reason: String)
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
        guard let found = error as? DatabaseError else {
            self = .other(reason: "\(error)")
            return
        }
        let reason = found.message ?? "\(found)"
        switch found.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(reason: reason)
        case _ where found.isLackOfSpace: self = .diskFull(reason: reason)
        default: self = .other(reason: reason)
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
