import Databases
import Files
import GRDB
import TestSupport
import Testing

/// Connections to database files, and what their errors mean.
struct DatabaseFailureTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("words") { database in
            try database.execute(sql: "CREATE TABLE word (text TEXT NOT NULL) STRICT")
        }
        return migrator
    }

    private static func words(_ database: Database) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT text FROM word")
    }

    /// The error of a call.
    private func failure(_ call: () throws -> Void) -> DatabaseFailure? {
        do {
            try call()
            return nil
        } catch {
            return DatabaseFailure(error)
        }
    }

    @Test func `a new database has its tables and no defects`() throws {
        let path = folder.path("a.sqlite")
        let queue = try DatabaseFile.open(path, label: "a", migrator: Self.migrator)
        try queue.write { try $0.execute(sql: "INSERT INTO word VALUES ('here')") }
        #expect(try DatabaseFile.defects(of: path).isEmpty)
        let reader = try DatabaseFile.openForReading(path)
        #expect(try reader.read { try Self.words($0) } == ["here"])
        let written = failure { try reader.write { try $0.execute(sql: "DELETE FROM word") } }
        guard case .other = written else {
            Issue.record("\(String(describing: written))")
            return
        }
    }

    @Test func `erased values do not remain in the file`() throws {
        let path = folder.path("a.sqlite")
        let queue = try DatabaseFile.open(path, label: "a", erasing: true, migrator: Self.migrator)
        let secret = "a text that is long enough to be found"
        try queue.write { try $0.execute(sql: "INSERT INTO word VALUES (?)", arguments: [secret]) }
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        #expect(try text(of: "a.sqlite").contains(secret))
        try queue.write { try $0.execute(sql: "DELETE FROM word") }
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
        #expect(try !text(of: "a.sqlite").contains(secret))
    }

    private func text(of name: String) throws -> String {
        String(decoding: try folder.content(name), as: UTF8.self)
    }

    @Test func `errors of the content, of the disk and of the file are told apart`() throws {
        try folder.write(String(repeating: "no database ", count: 1000), to: "b.sqlite")
        let path = folder.path("b.sqlite")
        let opened = failure {
            _ = try DatabaseFile.open(path, label: "b", migrator: Self.migrator)
        }
        guard case .damaged = opened else {
            Issue.record("\(String(describing: opened))")
            return
        }
        guard case .diskFull = DatabaseFailure(DatabaseError(resultCode: .SQLITE_FULL)),
            case .diskFull = DatabaseFailure(DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE)),
            case .other(let reason) = DatabaseFailure(CancellationError())
        else {
            Issue.record("a failure has another meaning")
            return
        }
        #expect(reason == "CancellationError()")
        let missing = failure { try DatabaseFile.create("/dev/null/a.sqlite") { _ in } }
        guard case .file = missing else {
            Issue.record("\(String(describing: missing))")
            return
        }
    }
}
