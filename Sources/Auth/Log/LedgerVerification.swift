import Foundation
import GRDB
import Glibc
import Samples

/// Walks along the chain of the access log, in bounded memory, reading only.
///
/// It looks at one moment of the file, so a host may go on writing meanwhile.
public struct LedgerVerification: Sendable {
    private static let progressInterval = 1000

    private let path: String
    private let expected: String?

    /// - Parameters:
    ///   - path: of `permissions.sqlite`.
    ///   - expected: a hash that was noted earlier, in hexadecimal, and must still be in the chain.
    public init(path: String, expecting expected: String? = nil) {
        self.path = path
        self.expected = expected?.lowercased()
    }

    /// - Parameter onProgress: called now and then with the lines that were seen and how many there are.
    /// - Throws: `notFound` when there is no log, `storeFailed` when it cannot be read.
    public func run(
        onProgress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(AuthError) -> LedgerReport {
        guard access(path, R_OK) == 0 else {
            throw AuthError(.notFound, "There is no access log: \(path) is not there.")
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try await queue.read { try walk($0, onProgress) }
        } catch {
            throw AuthError(wrapping: error, while: "verifying the access log")
        }
    }

    private func walk(
        _ database: Database, _ onProgress: (Int, Int) -> Void
    ) throws -> LedgerReport {
        var report = LedgerReport(head: LedgerChain.start.hexadecimal)
        if expected != nil { report.hasExpected = false }
        guard try database.tableExists("ledger") else { return report }
        let total = try Int.fetchOne(database, sql: "SELECT count(*) FROM ledger") ?? 0
        // Texts as bytes: what the library would repair or cut must not pass for what was written.
        let columns = LedgerChain.columns.map { name in
            ["id", "time", "from", "to", "calls", "count"].contains(name)
                ? "\"\(name)\"" : "CAST(\"\(name)\" AS BLOB)"
        }
        let rows = try Row.fetchCursor(
            database, sql: "SELECT \(columns.joined(separator: ", ")), hash FROM ledger ORDER BY id"
        )
        var chain = LedgerChain()
        var next: Int64 = 1
        while let row = try rows.next() {
            let values = (0..<LedgerChain.columns.count).map { LedgerChain.Value(row[$0]) }
            guard case .integer(let id) = values[0] else {
                report.fault = .init(line: next, message: "A line without a number follows.")
                return report
            }
            if report.lines == 0, id > 1 {
                guard let before = try Self.cut(before: id, database) else {
                    report.fault = .init(line: 1, message: "The lines before \(id) are missing.")
                    return report
                }
                chain = LedgerChain(after: before)
                (report.cut, next) = (id - 1, id)
                note(before, &report)
            }
            guard id == next else {
                report.fault = .init(line: next, message: "Line \(next) is missing.")
                return report
            }
            chain.add(values)
            guard chain.head == Data.fromDatabaseValue(row[values.count]) else {
                report.fault = .init(
                    line: id, message: "Line \(id) is not what was written, or follows another.")
                return report
            }
            note(chain.head, &report)
            if case .integer(let time) = values[1] {
                report.first = report.first ?? Timestamp(microseconds: time)
                report.last = Timestamp(microseconds: time)
            }
            report.lines += 1
            next += 1
            if report.lines.isMultiple(of: Self.progressInterval) {
                onProgress(report.lines, total)
            }
        }
        report.head = chain.head.hexadecimal
        return report
    }

    private func note(_ hash: Data, _ report: inout LedgerReport) {
        report.head = hash.hexadecimal
        if report.head == expected { report.hasExpected = true }
    }

    /// The hash of the line before `id`, when a later line says that all up to it were cut off.
    private static func cut(before id: Int64, _ database: Database) throws -> Data? {
        let hash = try String.fetchOne(
            database,
            sql: """
                SELECT detail FROM ledger WHERE kind = 'pruned' AND count = ?
                ORDER BY id DESC LIMIT 1
                """, arguments: [id - 1])
        return hash.flatMap(Data.init(hexadecimal:))
    }
}

extension LedgerChain.Value {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .blob(let bytes): self = .text(Array(bytes))
        case .string(let text): self = .text(Array(text.utf8))
        // No column holds one; its bytes then fit no hash.
        case .double(let number): self = .text(Array("\(number)".utf8))
        }
    }
}
