import Foundation
import GRDB
import Samples
import Statistics

/// Looks at every sample of a file, one chunk after the other, and says what of it cannot be read.
struct FileInspection {
    /// Who wants to know more has a file to restore.
    private static let limit = 100

    private let database: Database
    private(set) var faults: [String] = []

    init(_ database: Database) {
        self.database = database
    }

    /// - Throws: what SQLite finds wrong on the way.
    mutating func inspect() throws {
        let isCurrent = try database.tableExists("content") && database.tableExists("fresh")
        // A file of former versions has rows, which its own version looks after.
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
                try inspectFresh(layout, name)
            } catch let error as SampleStoreError {
                note("\(name): \(error.message)")
            }
        }
        for (table, column) in [("content", "chunk"), ("fresh", "first")] {
            let owner =
                table == "content"
                ? "SELECT id FROM chunk WHERE id = content.chunk"
                : "SELECT id FROM layout WHERE id = fresh.layout"
            let sql = "SELECT \(column) FROM \(table) WHERE NOT EXISTS (\(owner)) LIMIT 10"
            for lost in try Int64.fetchAll(database, sql: sql) {
                note("The row \(lost) of \(table) belongs to nothing.")
            }
        }
        if faults.count > Self.limit {
            faults = faults.prefix(Self.limit) + ["There is more of that."]
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
            let isSound = try? SampleFile.withContent(of: entry.id, database) { data in
                bytes == data.count && Self.holds(data, layout, entry, arrivals)
            }
            if try isSound != true || Bool.stored(row, 10) {
                note("\(name): the samples \(Self.span(entry)) are damaged.")
            } else if let last, !(last < entry.from) {
                note("\(name): the samples \(Self.span(entry)) lie within others.")
            } else {
                last = entry.to
            }
            if Self.summary(row, layout, entry) == nil {
                note("\(name): the summary of the samples \(Self.span(entry)) is damaged.")
            }
        }
    }

    /// Whether the bytes are those of the chunk, to the last column.
    private static func holds(
        _ data: Data, _ layout: Layout, _ entry: ChunkEntry, _ arrivals: (Int64, Int64)
    ) -> Bool {
        guard let batch = try? SampleFile.decode(data, layout), batch.isOrdered else {
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
            note("\(name): the summary of the samples \(Self.span(entry)) is damaged.")
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
            if isSound != true { note("\(name): the summary of the hour \(hour) is damaged.") }
        }
    }

    private static func summary(_ row: Row, _ layout: Layout, _ entry: ChunkEntry) -> ChunkSummary?
    {
        try? row.withUnsafeData(atIndex: 6) { data in
            try ChunkSummary(data ?? Data(), layout.fields, entry)
        }
    }

    private mutating func inspectFresh(_ layout: Layout, _ name: String) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT first, last, count, data FROM fresh WHERE layout = ? ORDER BY first",
            arguments: [layout.id])
        while faults.count <= Self.limit, let row = try rows.next() {
            let (first, last) = (try Int64.stored(row, 0), try Int64.stored(row, 1))
            let batch = try row.withUnsafeData(atIndex: 3) { data in
                try? SampleFile.decode(data ?? Data(), layout)
            }
            let count = try Int.stored(row, 2)
            if batch?.sequences.first != first || batch?.sequences.last != last
                || batch?.count != count
            {
                note("\(name): the fresh samples that came as \(first) to \(last) are damaged.")
            }
        }
    }

    private static func span(_ entry: ChunkEntry) -> String {
        "from \(entry.from.time) to \(entry.to.time)"
    }

    private mutating func note(_ fault: String) {
        faults.append(fault)
    }
}
