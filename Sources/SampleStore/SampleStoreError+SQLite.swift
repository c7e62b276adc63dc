import GRDB

extension SampleStoreError {
    /// The store's own word for an error that SQLite or the file system reported.
    init(wrapping error: any Error, while action: String) {
        if let own = error as? SampleStoreError {
            self = own
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
}
