import Databases
import Foundation
import GRDB
import Glibc
public import Samples
import Text

/// Verifies the hash chain of the access log, in bounded memory and without writing.
///
/// It reads a snapshot of the file, so a host can write at the same time.
///
/// ```swift
/// let report = try await AccessLogVerification(path: path, expecting: notedHash).run()
/// print(report.isIntact, report.entryCount)
/// ```
public struct AccessLogVerification: Sendable {
    private static let progressInterval = 1000

    private let path: String
    private let expected: String?

    /// - Parameters:
    ///   - path: of `permissions.sqlite`.
    ///   - expected: an earlier head of the log, in hexadecimal, which must still be in the chain.
    public init(path: String, expecting expected: String? = nil) {
        self.path = path
        self.expected = expected?.lowercased()
    }

    /// Verifies every entry.
    ///
    /// - Parameter onProgress: called every thousand entries with the number verified and the
    ///   total.
    /// - Throws: `notFound` without a log, `storeFailed` when it cannot be read.
    public func run(
        onProgress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(AuthError) -> AccessLogReport {
        guard access(path, R_OK) == 0 else {
            throw AuthError(.notFound, "No access log: \(path) does not exist.")
        }
        do {
            let queue = try DatabaseFile.openForReading(path)
            return try await queue.read { try verify($0, onProgress) }
        } catch {
            throw AuthError(wrapping: error, while: "verifying the access log")
        }
    }

    private func verify(
        _ database: Database, _ onProgress: (Int, Int) -> Void
    ) throws -> AccessLogReport {
        var report = AccessLogReport(head: AccessLogChain.start.hexadecimal)
        if expected != nil { report.containsExpected = false }
        guard try database.tableExists("ledger") else { return report }
        let total = try Int.fetchOne(database, sql: "SELECT count(*) FROM ledger") ?? 0
        // Texts as bytes: SQLite would repair invalid UTF-8 and cut texts at a zero byte.
        let present = Set(try database.columns(in: "ledger").map(\.name))
        let later = AccessLogChain.laterColumns.filter(present.contains)
        let columns = (AccessLogChain.columns + later).map { name in
            ["id", "time", "from", "to", "calls", "count"].contains(name)
                ? "\"\(name)\"" : "CAST(\"\(name)\" AS BLOB)"
        }
        let rows = try Row.fetchCursor(
            database, sql: "SELECT \(columns.joined(separator: ", ")), hash FROM ledger ORDER BY id"
        )
        var chain = AccessLogChain()
        var next: Int64 = 1
        while let row = try rows.next() {
            let stored = columns.indices.map { AccessLogChain.Value(row[$0]) }
            let values =
                stored.prefix(AccessLogChain.columns.count)
                + stored.dropFirst(AccessLogChain.columns.count).filter { $0 != .null }
            guard case .integer(let id) = values[0] else {
                report.fault = .init(entry: next, message: "Entry \(next) has no number.")
                return report
            }
            if report.entryCount == 0, id > 1 {
                guard let before = try Self.pruned(before: id, database) else {
                    report.fault = .init(
                        entry: 1, message: "The entries before \(id) are missing.")
                    return report
                }
                chain = AccessLogChain(after: before)
                (report.prunedCount, next) = (id - 1, id)
                note(before, &report)
            }
            guard id == next else {
                report.fault = .init(entry: next, message: "Entry \(next) is missing.")
                return report
            }
            chain.add(Array(values))
            guard chain.head == Data.fromDatabaseValue(row[columns.count]) else {
                report.fault = .init(
                    entry: id,
                    message: "Entry \(id) was changed, or does not follow the one before it.")
                return report
            }
            note(chain.head, &report)
            if case .integer(let time) = values[1] {
                report.first = report.first ?? Timestamp(microseconds: time)
                report.last = Timestamp(microseconds: time)
            }
            report.entryCount += 1
            next += 1
            if report.entryCount.isMultiple(of: Self.progressInterval) {
                onProgress(report.entryCount, total)
            }
        }
        report.head = chain.head.hexadecimal
        return report
    }

    private func note(_ hash: Data, _ report: inout AccessLogReport) {
        report.head = hash.hexadecimal
        if report.head == expected { report.containsExpected = true }
    }

    /// The hash of the entry before `id`, if a later entry records that all entries before `id` were pruned.
    private static func pruned(before id: Int64, _ database: Database) throws -> Data? {
        let hash = try String.fetchOne(
            database,
            sql: """
                SELECT detail FROM ledger WHERE kind = 'pruned' AND count = ?
                ORDER BY id DESC LIMIT 1
                """, arguments: [id - 1])
        return hash.flatMap { Data(hexadecimal: $0) }
    }
}

extension AccessLogChain.Value {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .blob(let bytes): self = .text(Array(bytes))
        case .string(let text): self = .text(Array(text.utf8))
        // No column of the log stores a floating-point number, so no valid hash covers these bytes.
        case .double(let number): self = .text(Array("\(number)".utf8))
        }
    }
}

/// The result of an ``AccessLogVerification``.
public struct AccessLogReport: Hashable, Sendable {
    /// The first entry that is missing or wrong.
    public struct Fault: Hashable, Sendable {
        /// The entry's number.
        public let entry: Int64
        /// The fault, in a sentence.
        public let message: String
    }

    /// The number of valid entries, from the first one.
    public internal(set) var entryCount = 0
    /// The number of entries that were pruned before the first one, as recorded in the log.
    public internal(set) var prunedCount: Int64 = 0
    /// When the first valid entry was written.
    public internal(set) var first: Timestamp?
    /// When the last valid entry was written.
    public internal(set) var last: Timestamp?
    /// The hash of the last valid entry in hexadecimal; zeros if there is none.
    public internal(set) var head: String
    /// The first entry that is missing or wrong; `nil` for an intact chain.
    public internal(set) var fault: Fault?
    /// Whether the expected hash was found in the chain; `nil` when none was given.
    public internal(set) var containsExpected: Bool?

    /// Whether every entry is valid and the expected hash, if one was given, was found.
    public var isIntact: Bool { fault == nil && containsExpected != false }
}
