import GRDB

extension SampleStore {
    /// What is wrong in a file of samples: what SQLite finds, and which samples or summaries do not
    /// have the checksums that they were written with.
    ///
    /// Reads only, one chunk at a time, and also while a host has the file open.
    /// - Returns: a sentence for each fault, with the sensor and the range; a hundred or so at most.
    public static func faults(inFile path: String) async throws(SampleStoreError) -> [String] {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try await queue.read { database in
                let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(10)")
                var inspection = FileInspection(database)
                do {
                    try inspection.inspect()
                } catch let error as DatabaseError where lines != ["ok"] {
                    return lines + inspection.faults + ["\(error.message ?? "unreadable")"]
                }
                return (lines == ["ok"] ? [] : lines) + inspection.faults
            }
        } catch {
            throw SampleStoreError(wrapping: error, while: "checking \(path)")
        }
    }
}
