import Databases
import Foundation
import GRDB
import Glibc
public import Samples
import Text

/// Verifies the hash chain of the access log and its seals, in bounded memory and without writing.
///
/// It reads a snapshot of the file, so a host can write at the same time. Without a key it checks that every entry
/// after the first sealed one has a seal, and that none is missing at the end; with the key also each seal.
///
/// ```swift
/// let report = try await AccessLogVerification(path: path, expecting: notedHash).run()
/// print(report.isIntact, report.entryCount)
/// ```
public struct AccessLogVerification: Sendable {
    private static let progressInterval = 1000

    private let path: String
    private let expected: String?
    private let key: AccessLogKey?
    private let checkpoint: LogCheckpoint?
    private let hasState: Bool

    /// - Parameters:
    ///   - path: of `permissions.sqlite`; `access-log.seal` is read beside it.
    ///   - expected: an earlier head of the log, in hexadecimal, which must still be in the chain.
    ///   - key: the key that was returned when the log was sealed.
    ///   - checkpoint: an earlier checkpoint, whose entry must still be in the chain.
    ///   - hasState: whether `access-log.seal` must be there if entries are sealed; a backup has none.
    public init(
        path: String, expecting expected: String? = nil, key: AccessLogKey? = nil,
        checkpoint: LogCheckpoint? = nil, hasState: Bool = true
    ) {
        self.path = path
        self.expected = expected?.lowercased()
        self.key = key
        self.checkpoint = checkpoint
        self.hasState = hasState
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
        // Before the snapshot, which then has every entry that the state has.
        let seal = LogSealFile.read(LogSealFile.path(beside: path))
        do {
            let queue = try DatabaseFile.openForReading(path)
            var report = try await queue.read { try verify($0, seal, onProgress) }
            report.checkpoint = try checkpoint.map { try verdict(on: $0, seal, report) }
            return report
        } catch {
            throw AuthError(wrapping: error, while: "verifying the access log")
        }
    }

    private func verify(
        _ database: Database, _ seal: LogSealFile.Content, _ onProgress: (Int, Int) -> Void
    ) throws -> AccessLogReport {
        var report = AccessLogReport(head: AccessLogChain.start.hexadecimal)
        if expected != nil { report.containsExpected = false }
        guard try database.tableExists("ledger") else { return report }
        let total = try Int.fetchOne(database, sql: "SELECT count(*) FROM ledger") ?? 0
        // Texts as bytes: SQLite would repair invalid UTF-8 and cut texts at a zero byte.
        let present = Set(try database.columns(in: "ledger").map(\.name))
        let later = AccessLogChain.laterColumns.filter(present.contains)
        let sealColumn = present.contains("seal") ? "seal" : "NULL"
        var seals = SealVerifier(key, seal)
        let columns = (AccessLogChain.columns + later).map { name in
            ["id", "time", "from", "to", "calls", "count"].contains(name)
                ? "\"\(name)\"" : "CAST(\"\(name)\" AS BLOB)"
        }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(columns.joined(separator: ", ")), hash, \(sealColumn)
                FROM ledger ORDER BY id
                """)
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
                note(before, id - 1, &report)
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
            if let message = seals.fault(
                of: id, hash: chain.head, seal: Data.fromDatabaseValue(row[columns.count + 1]))
            {
                report.fault = .init(entry: id, message: message)
                return report
            }
            note(chain.head, id, &report)
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
        if hasState {
            report.fault = seals.fault(atEnd: next).map { .init(entry: next, message: $0) }
        }
        report.sealedCount = seals.verifiedCount
        return report
    }

    private func note(_ hash: Data, _ id: Int64, _ report: inout AccessLogReport) {
        report.head = hash.hexadecimal
        if report.head == expected { report.containsExpected = true }
        if id == checkpoint?.entry { report.hashOfCheckpoint = hash }
    }

    /// Compares a checkpoint with the chain that was verified.
    private func verdict(
        on checkpoint: LogCheckpoint, _ seal: LogSealFile.Content, _ report: AccessLogReport
    ) throws -> AccessLogReport.CheckpointVerdict {
        var publicKey = key?.publicKey
        if publicKey == nil, case .state(let state) = seal { publicKey = try state.publicKey }
        guard let publicKey else { return .signerUnknown }
        guard checkpoint.isSigned(by: publicKey) else { return .badSignature }
        if let hash = report.hashOfCheckpoint {
            return hash == checkpoint.hash ? .matches : .differs
        }
        return checkpoint.entry < report.prunedCount ? .pruned : .missing
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
    /// The number of entries whose seal was verified; `nil` without a key.
    public internal(set) var sealedCount: Int?
    /// What was found about the checkpoint; `nil` when none was given.
    public internal(set) var checkpoint: CheckpointVerdict?
    /// The hash of the entry that the checkpoint names.
    fileprivate var hashOfCheckpoint: Data?

    /// What was found about a checkpoint.
    public enum CheckpointVerdict: String, Hashable, Sendable, CaseIterable {
        /// Its entry is in the chain and has the same hash.
        case matches
        /// Its entry is in the chain and has another hash: entries were rewritten.
        case differs
        /// The valid chain ends before its entry.
        case missing
        /// Its entry was pruned, as the log records, so that it cannot be compared.
        case pruned
        /// It was signed with another key, or changed.
        case badSignature = "bad-signature"
        /// Neither a key nor `access-log.seal` is there to verify its signature.
        case signerUnknown = "signer-unknown"
    }

    /// Whether every entry is valid, and the expected hash and the checkpoint, if they were given, were found.
    public var isIntact: Bool {
        fault == nil && containsExpected != false && (checkpoint ?? .matches) == .matches
    }
}

/// Verifies the seals of entries in their order.
private struct SealVerifier {
    /// The key of the entry that was verified last, or of the first sealed one; `nil` without the owner's key.
    private var key: LogSealKey?
    private let state: LogSealFile.Content
    /// The first entry that must have a seal.
    private let first: Int64?
    private var hasSeals = false
    /// Whether the key in the file is one of this log; `nil` before its entry is reached.
    private var isStateValid: Bool?
    /// `nil` without the owner's key.
    private(set) var verifiedCount: Int?

    init(_ key: AccessLogKey?, _ state: LogSealFile.Content) {
        self.key = key?.first
        self.state = state
        verifiedCount = key.map { _ in 0 }
        if let key {
            first = key.firstEntry
        } else if case .state(let state) = state {
            first = state.first
        } else {
            first = nil
        }
    }

    /// What is wrong with the seal of an entry, in a sentence.
    mutating func fault(of id: Int64, hash: Data, seal: Data?) -> String? {
        hasSeals = hasSeals || seal != nil
        guard let first, id >= first else { return nil }
        guard let seal else {
            return "Entry \(id) has no seal, although the log was sealed before."
        }
        guard key != nil else { return nil }
        move(to: id)
        guard key?.tag(of: hash) == seal else {
            return
                "The seal of entry \(id) does not match: the entry was written or changed without the key of"
                + " this log."
        }
        verifiedCount? += 1
        return nil
    }

    /// What is wrong with the state in the file, in a sentence.
    ///
    /// - Parameter next: the number after the last entry.
    mutating func fault(atEnd next: Int64) -> String? {
        guard first != nil || hasSeals else { return nil }
        guard case .state(let state) = state else {
            return
                "The file access-log.seal is missing or damaged, so entries after \(next - 1) may have been"
                + " removed."
        }
        guard state.key.entry <= next else {
            return "Entries \(next) to \(state.key.entry - 1) are missing at the end."
        }
        guard key != nil else { return nil }
        move(to: max(next, state.key.entry))
        // The key may be that of an earlier entry after a crash, but not of one before the first.
        guard isStateValid != true else { return nil }
        return "The file access-log.seal was replaced: its key does not belong to this log."
    }

    /// Moves the key, and compares it with the one in the file when it passes that one's entry.
    private mutating func move(to id: Int64) {
        if case .state(let state) = state, let current = key, isStateValid == nil,
            (current.entry...max(id, current.entry)).contains(state.key.entry)
        {
            key?.move(to: state.key.entry)
            isStateValid = key?.equals(state.key)
        }
        key?.move(to: id)
    }
}
