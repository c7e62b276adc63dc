import GRDB

extension Authority {
    /// What SQLite finds wrong in a file of permissions, reading only and also while a host has it open.
    ///
    /// - Throws: `storeFailed` when the file cannot be read or is no database.
    public static func faults(inFile path: String) async throws(AuthError) -> [String] {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let lines = try await queue.read { database in
                try String.fetchAll(database, sql: "PRAGMA quick_check(10)")
            }
            return lines == ["ok"] ? [] : lines
        } catch {
            throw AuthError(wrapping: error, while: "checking \(path)")
        }
    }
}
