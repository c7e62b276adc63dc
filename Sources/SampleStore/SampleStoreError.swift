import Files
import GRDB

/// An error of the sample store.
///
/// ```swift
/// do {
///     try await store.flush()
/// } catch where error.code == .full {
///     print(error.message)
/// }
/// ```
public struct SampleStoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable {
        /// The file cannot be created, opened or read.
        case cannotOpen
        /// The file is not a sample store, or part of it is damaged.
        case damaged
        /// The disk is full.
        case full
        /// Another process keeps the file locked.
        case busy
        /// A sample does not match the fields of its sensor, the sensor is not registered, or an argument is
        /// out of range.
        case invalid
        /// Any other failure of the file or of SQLite.
        case failed
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// The error of SQLite or of the system, if any.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Wraps an error of SQLite or of the system; returns an error of the store unchanged.
    ///
    /// - Parameter action: completes "The sample store failed while …".
    init(wrapping error: any Error, while action: String) {
        if let own = error as? SampleStoreError {
            self = own
            return
        }
        if let file = error as? FilesError {
            self.init(file.code == .diskFull ? .full : .cannotOpen, file.message, cause: file)
            return
        }
        guard let database = error as? DatabaseError else {
            self.init(.failed, "The sample store failed while \(action): \(error).", cause: error)
            return
        }
        let code: Code =
            switch database.resultCode {
            case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .cannotOpen
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .damaged
            case .SQLITE_FULL: .full
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            default: .failed
            }
        let reason = database.message ?? "SQLite error \(database.resultCode.rawValue)"
        self.init(code, "The sample store failed while \(action): \(reason).", cause: error)
    }

    /// The message.
    public var description: String { message }
}

extension DatabaseValueConvertible {
    /// Decodes a column of a row.
    ///
    /// The subscript of a row would trap on a value of another type, which only damage to the file causes.
    static func stored(_ row: Row, _ column: Int) throws(SampleStoreError) -> Self {
        let value: DatabaseValue = row[column]
        guard let converted = Self.fromDatabaseValue(value) else {
            throw SampleStoreError(.damaged, "A row of the sample store is damaged.")
        }
        return converted
    }
}

extension Optional where Wrapped: DatabaseValueConvertible {
    /// Decodes a nullable column of a row.
    static func stored(_ row: Row, _ column: Int) throws(SampleStoreError) -> Wrapped? {
        let value: DatabaseValue = row[column]
        return value.isNull ? nil : try Wrapped.stored(row, column)
    }
}
