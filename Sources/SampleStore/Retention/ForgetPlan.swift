import Foundation
import GRDB
import Samples

/// Samples of a range that are taken out of some rows, and what of these rows stays.
struct ForgetPlan: Sendable {
    /// What one step took out.
    struct Taken: Sendable {
        var samples = 0
        /// What fresh samples are less by.
        var fresh = SampleFile.FreshCount()
        var bytes: Int64 = 0
        var unreadable = 0
        /// The last arrival among it.
        var last: Int64 = 0
    }

    private let layout: Layout
    /// The last arrival that may go.
    private let bound: Int64
    private var removed: [Int64] = []
    private var fresh: [PreparedFresh] = []
    private var chunks: [PreparedChunk] = []
    private(set) var taken = Taken()
    /// The row behind which the next step begins; `nil` when there is none.
    private(set) var next: Int64?
    private let isOfChunks: Bool
    /// Bytes that were read.
    private var size = 0

    private static let rowsAtMost = 64
    private static let chunksAtMost = 2
    /// Bytes of fresh samples, once they are read, that one step takes.
    private static let sizeAtMost = 32 << 20

    /// Of the fresh samples of a layout, from a row on.
    init(
        fresh layout: Layout, _ range: TimeRange, through bound: Int64, behind row: Int64,
        _ database: Database
    ) throws {
        (self.layout, self.bound, isOfChunks) = (layout, bound, false)
        let rows = try Row.fetchCursor(
            database.makeStatement(
                sql: """
                    SELECT first, last, data FROM fresh WHERE layout = ? AND first > ?
                    ORDER BY first LIMIT ?
                    """), arguments: [layout.id, row, Self.rowsAtMost])
        while size < Self.sizeAtMost, let row = try rows.next() {
            let id: Int64 = try .stored(row, 0)
            let data: Data = try .stored(row, 2)
            next = id
            guard let rest = try remove(data, id, last: .stored(row, 1), within: range) else {
                continue
            }
            guard !rest.isEmpty else { continue }
            let prepared = PreparedFresh(rest, layout.id)
            taken.fresh -= prepared.size
            fresh.append(prepared)
        }
    }

    /// Of the chunks of a layout that touch the range, from an identifier on.
    init(
        chunks layout: Layout, _ range: TimeRange, through bound: Int64, behind id: Int64,
        _ database: Database
    ) throws {
        (self.layout, self.bound, isOfChunks) = (layout, bound, true)
        let rows = try Row.fetchCursor(
            database.makeStatement(
                sql: """
                    SELECT id, lastArrival, bytes + length(summary), data
                    FROM chunk LEFT JOIN content ON chunk = id
                    WHERE layout = ? AND id > ?
                    AND (fromTime < ? AND toTime >= ? OR \(ChunkEntry.isUnreadable))
                    ORDER BY id LIMIT ?
                    """),
            arguments: [
                layout.id, id, range.to.microseconds, range.from.microseconds, Self.chunksAtMost,
            ])
        while let row = try rows.next() {
            let id: Int64 = try .stored(row, 0)
            let data = try Data?.stored(row, 3) ?? Data()
            next = id
            guard let rest = try remove(data, id, last: .stored(row, 1), within: range) else {
                continue
            }
            taken.bytes += try .stored(row, 2) - Int64(data.count)
            if !rest.isEmpty {
                let chunk = PreparedChunk(rest, layout)
                taken.bytes -= Int64(chunk.data.count + chunk.summary.count)
                chunks.append(chunk)
            }
        }
    }

    func carryOut(_ database: Database) throws {
        guard !removed.isEmpty else { return }
        try SampleFile.noteErasure(database)
        for row in removed {
            if isOfChunks {
                try SampleFile.removeChunk(row, database)
            } else {
                try database.cachedStatement(sql: "DELETE FROM fresh WHERE first = ?")
                    .execute(arguments: [row])
            }
        }
        for row in fresh { try row.insert(database) }
        for chunk in chunks { try SampleFile.insertChunk(chunk, database) }
        try SampleFile.note(purgedThrough: taken.last, of: layout.id, database)
    }

    /// - Returns: the samples that stay of a row that goes; `nil` when the row stays.
    private mutating func remove(
        _ data: Data, _ row: Int64, last: Int64, within range: TimeRange
    ) throws -> StoredBatch? {
        do {
            let samples = try SampleFile.decode(data, layout)
            size += samples.size
            func goes(_ row: Int) -> Bool {
                range.contains(samples.samples.times[row]) && samples.sequences[row] <= bound
            }
            let rest = samples.filtered { !goes($0) }
            guard rest.count < samples.count else { return nil }
            let gone = samples.filtered(goes)
            taken.samples += gone.count
            taken.last = max(taken.last, gone.sequences.max() ?? 0)
            taken.bytes += Int64(data.count)
            taken.fresh += SampleFile.FreshCount(of: samples, bytes: data.count)
            removed.append(row)
            return rest
        } catch is ByteReader.Damage {
            // Nobody can tell what it holds, so it must not stay.
            taken.unreadable += 1
            taken.last = max(taken.last, last)
            taken.bytes += Int64(data.count)
            taken.fresh += SampleFile.FreshCount(rows: 1, bytes: data.count)
            removed.append(row)
            return StoredBatch(of: layout.fields)
        }
    }
}
