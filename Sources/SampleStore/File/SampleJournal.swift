import Foundation
import GRDB
import Samples

/// The table `journal`: committed samples that are not in rows yet.
///
/// A transaction that writes a row for each sensor modifies several pages of tables and indexes. The pages of
/// the journal are modified in place, so a transaction that appends to it modifies one or two. Samples in the
/// journal are also in memory, where every read finds them; only the next session reads the journal, if this
/// one dies before it has written them as rows.
enum SampleJournal {
    /// The maximum number of pages.
    static let pageLimit = 32
    /// The bytes of a page in the table: with them a row fills a page of the file.
    private static let pageBytes = 4040
    /// Bytes before the content of a page: its base, and the length of its content.
    private static let headerBytes = 10
    /// The content of a page.
    private static let pageCapacity = pageBytes - headerBytes

    /// Where the next samples are appended.
    struct End: Sendable {
        /// The last sequence number in rows when the journal was started.
        ///
        /// It distinguishes its pages from those of an earlier journal.
        fileprivate let base: Int64
        /// The number of full pages.
        fileprivate var page = 0
        /// The content of the page that is not full.
        fileprivate var rest: [UInt8] = []
        /// The number of pages that may contain samples, also of an earlier journal.
        fileprivate var written: Int

        /// - Parameter base: a sequence number greater than all bases before.
        init(base: Int64, written: Int = SampleJournal.pageLimit) {
            (self.base, self.written) = (base, written)
        }

        var isEmpty: Bool { page == 0 && rest.isEmpty }
        /// The number of pages with content.
        fileprivate var pages: Int { rest.isEmpty ? page : page + 1 }
    }

    /// What a session that died had left.
    struct Recovery: Sendable {
        /// The amount of samples that was written as rows, by layout.
        var sizes: [Int64: UnsealedSize] = [:]
        /// Whether some samples could not be read.
        var isDamaged = false
    }

    // MARK: - Writing

    /// Appends rows.
    ///
    /// - Returns: `nil` when they do not fit.
    static func append(
        _ rows: [UnsealedRow], to end: End, _ database: Database
    ) throws -> End? {
        var bytes = end.rest + encoded(rows)
        guard end.page * pageCapacity + bytes.count <= pageLimit * pageCapacity else { return nil }
        var next = end
        next.rest = []
        while !bytes.isEmpty {
            let part = Array(bytes.prefix(pageCapacity))
            try write(part, at: next.page, of: end.base, database)
            bytes.removeFirst(part.count)
            if part.count < pageCapacity { next.rest = part } else { next.page += 1 }
        }
        next.written = max(next.written, next.pages)
        return next
    }

    /// Begins another journal in the transaction that writes the samples of this one as rows.
    ///
    /// The next journal overwrites the pages of this one as it grows. Pages that this journal did not use,
    /// but an earlier one did, are overwritten now, so that no page keeps samples for long.
    static func begin(after last: Int64, _ end: End, _ database: Database) throws -> End {
        for page in [0] + Array(max(1, end.pages)..<max(1, end.pages, end.written)) {
            try overwrite(page, of: last, database)
        }
        return End(base: last, written: end.pages)
    }

    /// Overwrites all pages, and begins a journal with these rows if they fit.
    static func replace(
        by rows: [UnsealedRow], _ end: End, _ database: Database
    ) throws -> (end: End, isWritten: Bool) {
        let pages = try Int.fetchOne(database, sql: "SELECT count(*) FROM journal")
        guard pages != 0 else { return (end, false) }
        for page in 0..<pageLimit { try overwrite(page, of: end.base, database) }
        let empty = End(base: end.base, written: 0)
        guard let next = try append(rows, to: empty, database) else { return (empty, false) }
        return (next, true)
    }

    private static func write(
        _ content: [UInt8], at page: Int, of base: Int64, _ database: Database
    ) throws {
        var writer = ByteWriter(capacity: pageBytes)
        writer.append(base)
        writer.append(UInt16(content.count))
        writer.append(content)
        writer.append(repeatElement(UInt8(0), count: pageBytes - writer.count))
        let data = Data(writer.bytes)
        // Data of the same length replace the row where it is.
        try database.cachedStatement(sql: "UPDATE journal SET data = ? WHERE page = ?")
            .execute(arguments: [data, page])
        guard database.changesCount == 0 else { return }
        try database.cachedStatement(sql: "INSERT INTO journal (page, data) VALUES (?, ?)")
            .execute(arguments: [page, data])
    }

    /// Overwrites a page, if it exists.
    private static func overwrite(_ page: Int, of base: Int64, _ database: Database) throws {
        let exists = try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM journal WHERE page = ?"),
            arguments: [page])
        if exists == true { try write([], at: page, of: base, database) }
    }

    private static func encoded(_ rows: [UnsealedRow]) -> [UInt8] {
        var writer = ByteWriter()
        for row in rows {
            writer.appendVariable(UInt64(row.layout))
            writer.appendVariable(UInt64(row.key.first))
            writer.appendVariable(UInt64(row.key.last - row.key.first))
            writer.appendVariable(UInt64(row.size.samples))
            writer.appendVariable(UInt64(row.data.count))
            writer.append(row.data)
        }
        return writer.bytes
    }

    // MARK: - Reading

    /// Writes what is in the journal as rows, and overwrites all pages.
    static func recover(_ pool: DatabasePool) async throws -> Recovery {
        let isEmpty = try await pool.read { database in
            let content = try rows(database)
            return content.rows.isEmpty && !content.isDamaged
        }
        guard !isEmpty else { return Recovery() }
        return try await pool.write { database in
            let content = try rows(database)
            var recovery = Recovery(isDamaged: content.isDamaged)
            for row in content.rows {
                guard try UnsealedTable.restore(row, database) else {
                    recovery.isDamaged = true
                    continue
                }
                recovery.sizes[row.layout, default: UnsealedSize()] += row.size
            }
            for page in 0..<pageLimit { try overwrite(page, of: 0, database) }
            return recovery
        }
    }

    /// As ``recover(_:)``.
    ///
    /// - Returns: `nil` when the disk is full: the file can be read, and the first write recovers the journal.
    static func recoverUnlessFull(_ pool: DatabasePool) async throws -> Recovery? {
        do {
            return try await recover(pool)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            return nil
        }
    }

    /// The rows in the journal, without checking their samples.
    static func rows(
        _ database: Database
    ) throws -> (rows: [UnsealedRow], isDamaged: Bool) {
        var content = Data()
        var base: Int64?
        var isDamaged = false
        let pages = try Row.fetchCursor(database, sql: "SELECT data FROM journal ORDER BY page")
        while let page = try pages.next() {
            let data = try Data.stored(page, 0)
            guard let (found, part) = try? Self.content(data) else {
                isDamaged = true
                break
            }
            guard base == nil || base == found else { break }
            base = found
            content += part
            guard part.count == data.count - headerBytes else { break }
        }
        var rows: [UnsealedRow] = []
        content.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            while !reader.rest.isEmpty {
                guard let row = try? Self.row(&reader) else {
                    isDamaged = true
                    return
                }
                rows.append(row)
            }
        }
        return (rows, isDamaged)
    }

    private static func content(_ page: Data) throws -> (base: Int64, content: Data) {
        try page.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            let base: Int64 = try reader.integer()
            let count = try reader.integer(UInt16.self)
            return (base, Data(try reader.bytes(Int(count))))
        }
    }

    private static func row(_ reader: inout ByteReader) throws(ByteReader.Damage) -> UnsealedRow {
        let layout = Int64(try reader.count(atMost: 1 << 62))
        let first = Int64(try reader.count(atMost: 1 << 61))
        let last = try first + Int64(reader.count(atMost: 1 << 61))
        let count = try reader.count(atMost: 1 << 20)
        let length = try reader.count(atMost: reader.rest.count)
        let data = Data(try reader.bytes(length))
        guard first > 0, count > 0 else { throw ByteReader.Damage() }
        return UnsealedRow(
            layout: layout, key: UnsealedRow.Key(first: first, last: last), data: data,
            samples: count)
    }
}
