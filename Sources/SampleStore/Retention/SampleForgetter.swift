import Foundation
import GRDB
import Samples

/// Removes samples and summaries of a time range at the owner's request.
///
/// Nothing else may modify chunks meanwhile.
struct SampleForgetter: Sendable {
    /// What a step removed.
    struct Removal: Sendable {
        var samples = 0
        /// By how much unsealed rows decreased.
        var unsealed = UnsealedSize()
        var bytes: Int64 = 0
        var unreadable = 0
        /// The last sequence number that was removed.
        var last: Int64 = 0
    }

    private let pool: DatabasePool
    private let pruner: SamplePruner

    init(_ pool: DatabasePool, _ pruner: SamplePruner) {
        self.pool = pool
        self.pruner = pruner
    }

    /// Removes samples and summaries of a sensor step by step, and adds what was removed to a
    /// receipt.
    ///
    /// - Parameters:
    ///   - last: the last sequence number to remove.
    ///   - didRemove: receives the decrease of unsealed rows of a layout after each step.
    func forget(
        _ sensor: StoredSensor, _ initialReceipt: ForgetReceipt, through last: Int64,
        didRemove: @Sendable (Int64, UnsealedSize) async -> Void
    ) async throws -> ForgetReceipt {
        var receipt = initialReceipt
        for layout in sensor.layouts {
            var first: Int64? = .min
            while let row = first {
                let plan = try await pool.write { database in
                    let plan = try ForgetPlan(
                        unsealed: layout, initialReceipt.range, through: last, behind: row, database
                    )
                    try plan.apply(database)
                    return plan
                }
                receipt.add(plan.removal)
                await didRemove(layout.id, plan.removal.unsealed)
                first = plan.next
            }
            first = .min
            while let id = first {
                // Chunks are decoded and encoded concurrently with writes.
                let plan = try await pool.read { database in
                    try ForgetPlan(
                        chunks: layout, initialReceipt.range, through: last, behind: id, database)
                }
                try await pool.write { try plan.apply($0) }
                receipt.add(plan.removal)
                first = plan.next
            }
            var count: Int
            repeat {
                count = receipt.summaries
                receipt = try await removeSummaries(of: layout, receipt)
            } while receipt.summaries > count
        }
        for layout in sensor.unreadable {
            var rows: Int
            repeat {
                rows = try await pruner.remove(unreadable: layout, isForgotten: true)
                receipt.unreadable += rows
            } while rows > 0
        }
        return receipt
    }

    /// Removes the idempotency keys of a client for batches of which no sample is left.
    ///
    /// - Parameter last: batches with later samples are not considered.
    func releaseKeys(
        of client: String, _ sensor: StoredSensor, through last: Int64
    ) async throws {
        let all = try await pool.read {
            try BatchKeyTable.entries(of: client, sensor.row, through: last, $0)
        }
        var left = all
        for layout in sensor.layouts where !left.isEmpty {
            for table in SampleTable.allCases {
                var first: Int64? = .min
                while let row = first, !left.isEmpty {
                    let open = left
                    (left, first) = try await pool.read {
                        try table.missing(from: open, in: layout, behind: row, $0)
                    }
                }
            }
        }
        let released = left
        guard !released.isEmpty else { return }
        try await pool.write { database in
            for entry in released {
                try BatchKeyTable.remove(entry.name, of: client, sensor.row, database)
            }
        }
    }

    /// Removes some summaries of hours with samples in the range.
    private func removeSummaries(of layout: Layout, _ receipt: ForgetReceipt) async throws
        -> ForgetReceipt
    {
        try await pool.write { database in
            var receipt = receipt
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(ChunkEntry.columns), length(summary) FROM rollup
                    WHERE layout = ? AND (fromTime < ? AND toTime >= ? OR \(ChunkEntry.isUnreadable))
                    ORDER BY hour LIMIT 256
                    """,
                arguments: [
                    layout.id, receipt.range.to.microseconds, receipt.range.from.microseconds,
                ])
            if !rows.isEmpty { try TraceEraser.markDue(database) }
            for row in rows {
                receipt.summaries += 1
                receipt.bytes += try .stored(row, 6)
                if let entry = try? ChunkEntry(row) {
                    receipt.summarised += entry.count
                    if !entry.isWithin(receipt.range) { receipt.partialHours += 1 }
                }
                try database.execute(
                    sql: "DELETE FROM rollup WHERE id = ?", arguments: [try Int64.stored(row, 0)])
            }
            return receipt
        }
    }
}

/// A table that holds samples.
private enum SampleTable: CaseIterable {
    case unsealed, chunks

    private static let rowsAtOnce = 16

    private var query: String {
        switch self {
        case .unsealed:
            "SELECT first, first, last, data FROM fresh WHERE layout = ? AND first > ?"
                + " ORDER BY first LIMIT ?"
        case .chunks:
            "SELECT id, firstArrival, lastArrival, data FROM chunk LEFT JOIN content ON chunk = id"
                + " WHERE layout = ? AND id > ? ORDER BY id LIMIT ?"
        }
    }

    /// The batches among `entries` that have no sample in the next rows of a layout; a damaged row
    /// may contain samples of any batch.
    ///
    /// - Returns: also the row after which the next step continues; `nil` when there is none.
    func missing(
        from entries: [BatchKeyTable.Entry], in layout: Layout, behind row: Int64,
        _ database: Database
    ) throws -> (entries: [BatchKeyTable.Entry], next: Int64?) {
        var left = entries
        var next: Int64?
        let rows = try Row.fetchCursor(
            database.makeStatement(sql: query), arguments: [layout.id, row, Self.rowsAtOnce])
        while let row = try rows.next() {
            next = try .stored(row, 0)
            let (first, last): (Int64, Int64) = (try .stored(row, 1), try .stored(row, 2))
            let isNear = { (entry: BatchKeyTable.Entry) in
                entry.sequences.lowerBound <= last && entry.sequences.upperBound >= first
            }
            guard left.contains(where: isNear) else { continue }
            let data = try Data?.stored(row, 3) ?? Data()
            do {
                let held = try ChunkReader.decode(data, layout).sequences.sorted()
                left.removeAll { entry in
                    let (lower, upper) = (entry.sequences.lowerBound, entry.sequences.upperBound)
                    var (low, high) = (0, held.count)
                    while low < high {
                        let middle = (low + high) / 2
                        if held[middle] < lower { low = middle + 1 } else { high = middle }
                    }
                    return low < held.count && held[low] <= upper
                }
            } catch is ByteReader.Damage {
                left.removeAll(where: isNear)
            }
        }
        return (left, next)
    }
}

/// The rows and chunks that contain samples to forget, and what replaces them.
private struct ForgetPlan: Sendable {
    private let layout: Layout
    /// The last sequence number to forget.
    private let bound: Int64
    private var removed: [Int64] = []
    private var rows: [UnsealedRow] = []
    private var chunks: [PreparedChunk] = []
    private(set) var removal = SampleForgetter.Removal()
    /// The row after which the next step continues; `nil` when there is none.
    private(set) var next: Int64?
    private let isOfChunks: Bool
    /// Decoded bytes so far.
    private var size = 0

    private static let maximumRows = 64
    private static let maximumChunks = 2
    /// The maximum of decoded bytes of unsealed rows in one step.
    private static let maximumSize = 32 << 20

    /// A plan for unsealed rows of a layout, after a row.
    init(
        unsealed layout: Layout, _ range: TimeRange, through bound: Int64, behind row: Int64,
        _ database: Database
    ) throws {
        (self.layout, self.bound, isOfChunks) = (layout, bound, false)
        let rows = try Row.fetchCursor(
            database.makeStatement(
                sql: """
                    SELECT first, last, data FROM fresh WHERE layout = ? AND first > ?
                    ORDER BY first LIMIT ?
                    """), arguments: [layout.id, row, Self.maximumRows])
        while size < Self.maximumSize, let row = try rows.next() {
            let id: Int64 = try .stored(row, 0)
            let data: Data = try .stored(row, 2)
            next = id
            guard let rest = try remove(data, id, last: .stored(row, 1), within: range) else {
                continue
            }
            guard !rest.isEmpty else { continue }
            let prepared = UnsealedRow(rest, layout.id)
            removal.unsealed -= prepared.size
            self.rows.append(prepared)
        }
    }

    /// A plan for chunks of a layout that intersect the range, after an identifier.
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
                layout.id, id, range.to.microseconds, range.from.microseconds, Self.maximumChunks,
            ])
        while let row = try rows.next() {
            let id: Int64 = try .stored(row, 0)
            let data = try Data?.stored(row, 3) ?? Data()
            next = id
            guard let rest = try remove(data, id, last: .stored(row, 1), within: range) else {
                continue
            }
            removal.bytes += try .stored(row, 2) - Int64(data.count)
            if !rest.isEmpty {
                let chunk = PreparedChunk(rest, layout)
                removal.bytes -= Int64(chunk.data.count + chunk.summary.count)
                chunks.append(chunk)
            }
        }
    }

    func apply(_ database: Database) throws {
        guard !removed.isEmpty else { return }
        try TraceEraser.markDue(database)
        for row in removed {
            if isOfChunks {
                try ChunkTable.remove(row, database)
            } else {
                try UnsealedTable.remove(row, database)
            }
        }
        for row in rows { try UnsealedTable.insert(row, database) }
        for chunk in chunks { try ChunkTable.insert(chunk, database) }
        try RetentionTable.mark(prunedThrough: removal.last, of: layout.id, database)
    }

    /// - Returns: the remaining samples of a row that is replaced; `nil` when the row is kept.
    private mutating func remove(
        _ data: Data, _ row: Int64, last: Int64, within range: TimeRange
    ) throws -> StoredBatch? {
        do {
            let samples = try ChunkReader.decode(data, layout)
            size += samples.decodedSize
            func isForgotten(_ row: Int) -> Bool {
                range.contains(samples.samples.times[row]) && samples.sequences[row] <= bound
            }
            let rest = samples.filtered { !isForgotten($0) }
            guard rest.count < samples.count else { return nil }
            let gone = samples.filtered(isForgotten)
            removal.samples += gone.count
            removal.last = max(removal.last, gone.sequences.max() ?? 0)
            removal.bytes += Int64(data.count)
            removal.unsealed += UnsealedSize(of: samples, bytes: data.count)
            removed.append(row)
            return rest
        } catch is ByteReader.Damage {
            // A damaged row may contain samples of the range, so it is removed.
            removal.unreadable += 1
            removal.last = max(removal.last, last)
            removal.bytes += Int64(data.count)
            removal.unsealed += UnsealedSize(rows: 1, bytes: data.count)
            removed.append(row)
            return StoredBatch(of: layout.fields)
        }
    }
}

extension ForgetReceipt {
    fileprivate mutating func add(_ removal: SampleForgetter.Removal) {
        samples += removal.samples
        unreadable += removal.unreadable
        bytes += removal.bytes
    }
}
