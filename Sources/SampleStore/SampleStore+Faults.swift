import GRDB

extension SampleStore {
    /// What SQLite finds wrong in a file of samples, reading only and also while a host has it open.
    public static func faults(inFile path: String) async throws(SampleStoreError) -> [String] {
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
            throw SampleStoreError(wrapping: error, while: "checking \(path)")
        }
    }
}
