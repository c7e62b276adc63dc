import Databases
import Files
import Foundation
import GRDB
import Samples
import Statistics

extension SampleStore {
    /// The names of the migrations that this version knows, in order.
    public static var migrations: [String] { SampleSchema.migrator.migrations }

    /// Checks a file of samples: the integrity check of SQLite, and the checksums of all samples and summaries.
    ///
    /// Only reads, one chunk at a time, also while a host has the file open.
    ///
    /// ```swift
    /// let faults = try await SampleStore.faults(inFile: path)
    /// for fault in faults { print(fault) }
    /// ```
    ///
    /// - Returns: one sentence for each fault, with the sensor and the time range; about a hundred at most.
    public static func faults(inFile path: String) async throws(SampleStoreError) -> [String] {
        // SQLite takes an empty file for a database without tables.
        if let fault = DatabaseFile.headerFault(of: path) { return ["The file \(fault)."] }
        do {
            let queue = try DatabaseFile.openForReading(path)
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

/// Decodes all samples of a file and reports the damage.
private struct FileInspection {
    /// The maximum number of reported faults.
    private static let limit = 100

    private let database: Database
    private(set) var faults: [String] = []

    init(_ database: Database) {
        self.database = database
    }

    /// - Throws: errors of SQLite while reading.
    mutating func inspect() throws {
        let isCurrent = try database.tableExists("content") && database.tableExists("fresh")
        // Files of former versions have other tables, which are not inspected.
        guard isCurrent else { return }
        let layouts = try Row.fetchAll(
            database,
            sql: "SELECT layout.id, name, fields FROM layout JOIN sensor ON sensor.id = sensor")
        for row in layouts {
            let (id, name) = (try Int64.stored(row, 0), try String.stored(row, 1))
            do {
                let layout = try Layout(id: id, encoded: .stored(row, 2))
                try inspectChunks(layout, name)
                try inspectGroups(layout, name)
                try inspectRollups(layout, name)
                try inspectUnsealed(layout, name)
            } catch let error as SampleStoreError {
                record("\(name): \(error.message)")
            }
        }
        try inspectJournal(layouts)
        for (table, column) in [("content", "chunk"), ("fresh", "first")] {
            let owner =
                table == "content"
                ? "SELECT id FROM chunk WHERE id = content.chunk"
                : "SELECT id FROM layout WHERE id = fresh.layout"
            let sql = "SELECT \(column) FROM \(table) WHERE NOT EXISTS (\(owner)) LIMIT 10"
            for lost in try Int64.fetchAll(database, sql: sql) {
                let parent = table == "content" ? "chunk" : "layout"
                record("The row \(lost) of the table \(table) belongs to no \(parent).")
            }
        }
        if faults.count > Self.limit {
            faults = faults.prefix(Self.limit) + ["There are more faults."]
        }
    }

    // MARK: - Private

    private mutating func inspectChunks(_ layout: Layout, _ name: String) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(ChunkEntry.columns), summary, firstArrival, lastArrival, bytes, isDamaged
                FROM chunk WHERE layout = ? ORDER BY fromTime, fromSequence
                """, arguments: [layout.id])
        var last: SampleQuery.Position?
        while faults.count <= Self.limit, let row = try rows.next() {
            let entry = try ChunkEntry(row)
            let arrivals = (try Int64.stored(row, 7), try Int64.stored(row, 8))
            let bytes = try Int.stored(row, 9)
            let isSound = try? ChunkTable.withContent(of: entry.id, database) { data in
                bytes == data.count && Self.holds(data, layout, entry, arrivals)
            }
            if try isSound != true || Bool.stored(row, 10) {
                record("\(name): the samples \(Self.span(entry)) are damaged.")
            } else if let last, !(last < entry.from) {
                record("\(name): the samples \(Self.span(entry)) overlap other samples.")
            } else {
                last = entry.to
            }
            if Self.summary(row, layout, entry) == nil {
                record("\(name): the summary of the samples \(Self.span(entry)) is damaged.")
            }
        }
    }

    /// Whether the bytes decode to exactly the samples that the chunk's row describes.
    private static func holds(
        _ data: Data, _ layout: Layout, _ entry: ChunkEntry, _ arrivals: (Int64, Int64)
    ) -> Bool {
        guard let batch = try? ChunkReader.decode(data, layout), batch.isOrdered else {
            return false
        }
        return batch.count == entry.count && batch.position(0) == entry.from
            && batch.position(batch.count - 1) == entry.to
            && batch.sequences.min() == arrivals.0 && batch.sequences.max() == arrivals.1
    }

    private mutating func inspectGroups(_ layout: Layout, _ name: String) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(ChunkEntry.columns), summary,
                    (SELECT coalesce(sum(count), 0) FROM chunk WHERE groupID = chunkGroup.id)
                FROM chunkGroup WHERE layout = ? ORDER BY fromTime, fromSequence
                """, arguments: [layout.id])
        while faults.count <= Self.limit, let row = try rows.next() {
            let entry = try ChunkEntry(row)
            guard try Self.summary(row, layout, entry) == nil || Int.stored(row, 7) != entry.count
            else { continue }
            record("\(name): the summary of the samples \(Self.span(entry)) is damaged.")
        }
    }

    private mutating func inspectRollups(_ layout: Layout, _ name: String) throws {
        guard try database.tableExists("rollup") else { return }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(ChunkEntry.columns), summary, hour FROM rollup WHERE layout = ?
                ORDER BY hour
                """, arguments: [layout.id])
        while faults.count <= Self.limit, let row = try rows.next() {
            let hour = try Int64.stored(row, 7)
            let entry = try? ChunkEntry(row)
            let isSound = entry.map { entry in
                [entry.from, entry.to].allSatisfy { Rollup.hour(of: $0.time) == hour }
                    && Self.summary(row, layout, entry) != nil
            }
            if isSound != true { record("\(name): the summary of the hour \(hour) is damaged.") }
        }
    }

    private static func summary(_ row: Row, _ layout: Layout, _ entry: ChunkEntry) -> ChunkSummary?
    {
        try? row.withUnsafeData(atIndex: 6) { data in
            try ChunkSummary(data ?? Data(), layout.fields, entry)
        }
    }

    private mutating func inspectUnsealed(_ layout: Layout, _ name: String) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT first, last, count, data FROM fresh WHERE layout = ? ORDER BY first",
            arguments: [layout.id])
        while faults.count <= Self.limit, let row = try rows.next() {
            let (first, last) = (try Int64.stored(row, 0), try Int64.stored(row, 1))
            let batch = try row.withUnsafeData(atIndex: 3) { data in
                try? ChunkReader.decode(data ?? Data(), layout)
            }
            let count = try Int.stored(row, 2)
            if batch?.sequences.first != first || batch?.sequences.last != last
                || batch?.count != count
            {
                record("\(name): the unsealed samples \(first) to \(last) are damaged.")
            }
        }
    }

    private mutating func inspectJournal(_ layouts: [Row]) throws {
        guard try database.tableExists("journal") else { return }
        let content = try SampleJournal.rows(database)
        let areSound = try content.rows.allSatisfy { row in
            guard let found = try layouts.first(where: { try Int64.stored($0, 0) == row.layout })
            else { return false }
            let layout = try Layout(id: row.layout, encoded: .stored(found, 2))
            let batch = try? ChunkReader.decode(row.data, layout)
            return batch?.sequences.first == row.key.first
                && batch?.sequences.last == row.key.last && batch?.count == row.size.samples
        }
        if content.isDamaged || !areSound { record("The journal is damaged.") }
    }

    private static func span(_ entry: ChunkEntry) -> String {
        "from \(entry.from.time) to \(entry.to.time)"
    }

    private mutating func record(_ fault: String) {
        faults.append(fault)
    }
}
