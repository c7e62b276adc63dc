import Databases
import Files
import Foundation
import GRDB
import Scheduling

/// Copies of SQLite files, made and checked without writing to the original.
struct DatabaseCopy: Sendable {
    private static let progressInterval = Duration.milliseconds(200)

    /// The original.
    let path: String
    let time: any TimeSource

    /// Writes a copy with the committed content of this moment, also while a host writes.
    ///
    /// The rows are copied, not the pages, so the copy contains nothing that was deleted. Until the copy is
    /// complete, the host cannot truncate the write-ahead log.
    ///
    /// - Parameter onProgress: called now and then with the bytes of the copy.
    /// - Throws: ``BackupError``, `CancellationError`.
    func make(at copy: String, onProgress: @escaping @Sendable (Int64) -> Void) async throws {
        if let fault = DatabaseFile.headerFault(of: path) { throw Self.damaged(path, fault) }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while true {
                        try await time.sleep(for: Self.progressInterval)
                        let facts = try? FileManager.default.attributesOfItem(atPath: copy)
                        onProgress((facts?[.size] as? NSNumber)?.int64Value ?? 0)
                    }
                }
                defer { group.cancelAll() }
                let queue = try DatabaseFile.openForReading(path)
                try await queue.vacuum(into: copy)
                try queue.close()
            }
        } catch let error as DatabaseError {
            throw Self.failure(error, copying: path, to: copy)
        }
    }

    /// Checks a copy.
    ///
    /// - Throws: ``BackupError`` with `damagedData` unless SQLite finds it intact.
    static func check(_ copy: String, of name: String) async throws {
        if let fault = DatabaseFile.headerFault(of: copy) { throw damaged(name, fault) }
        do {
            if let defect = try DatabaseFile.defects(of: copy, limit: 3).first {
                throw damaged(name, "is damaged: \(defect)")
            }
        } catch let error as DatabaseError {
            throw damaged(name, "is damaged: \(error.message ?? "\(error)")", cause: error)
        }
    }

    private static func failure(
        _ error: DatabaseError, copying path: String, to copy: String
    ) -> any Error {
        switch error.resultCode {
        case .SQLITE_FULL:
            BackupError(
                .diskFull, "Cannot write \(copy): the disk is full.",
                hint: "Free some space, or use another disk.", cause: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            BackupError(
                .busy, "\(path) is locked by another program.", hint: "Try again.", cause: error)
        case .SQLITE_INTERRUPT: CancellationError()
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            damaged(path, "is damaged: \(error.message ?? "\(error)")", cause: error)
        default:
            BackupError(
                .unreadable, "Cannot copy \(path): \(error.message ?? "\(error)").", cause: error)
        }
    }

    private static func damaged(
        _ path: String, _ fault: String, cause: (any Error)? = nil
    ) -> BackupError {
        BackupError(
            .damagedData, "The database \(path) \(fault).",
            hint: "Check it with: nervous doctor databases", cause: cause)
    }
}
