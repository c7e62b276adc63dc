import Crypto
import Foundation
import Ingest

/// A file of samples that is read as batches of whole rows.
///
/// Where a batch begins and ends depends on the file alone, so a batch keeps its key.
struct ImportFile {
    private static let piece = 1 << 20
    /// What one batch has at most, unless a batch of columns is larger.
    private static let batchBytes = 8 << 20
    private static let batchRows = 50_000
    /// What the host takes at most.
    private static let longestBatch = 64 << 20

    /// Some rows of the file, as a body of their own.
    struct Batch {
        let body: Data
        let offset: Int
        /// Where the next one begins.
        let end: Int
    }

    let form: SampleFormat
    /// The SHA-256 of the whole file, 64 hexadecimal digits.
    let sha256: String
    let size: Int
    private let handle: FileHandle
    /// What was read and is in no batch yet.
    private var rest = Data()
    private var offset = 0
    private var header = Data()

    /// - Parameter show: told how many bytes of how many were looked at.
    init(_ path: String, _ form: SampleFormat, show: (Int, Int) -> Void) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(.noInput, "\(path) cannot be read.")
        }
        self.form = form
        self.handle = handle
        size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 0)
        var hash = SHA256()
        var done = 0
        while let more = try handle.read(upToCount: Self.piece), !more.isEmpty {
            hash.update(data: more)
            done += more.count
            show(done, size)
        }
        sha256 = hash.finalize().map { String(format: "%02x", $0) }.joined()
        try handle.seek(toOffset: 0)
    }

    /// The next rows; `nil` at the end.
    mutating func next() throws -> Batch? {
        var isAtEnd = false
        while true {
            while rest.count < Self.batchBytes, !isAtEnd {
                isAtEnd = try !fill()
            }
            if rest.isEmpty { return nil }
            if form == .csv, header.isEmpty {
                guard takeHeader() || isAtEnd else {
                    throw CommandFailure(.badData, "The first line of the file has no end.")
                }
                if header.isEmpty { swap(&header, &rest) }
                if rest.isEmpty { return nil }
            }
            let found = rest.withUnsafeBytes { RowCounter(form).rows($0, most: Self.batchRows) }
            // The last line may have no end, and what is cut off is for the host to refuse.
            let isRest =
                isAtEnd && (found.bytes == 0 || form != .columns && found.rows < Self.batchRows)
            let count = isRest ? rest.count : found.bytes
            if count > 0 {
                let body = rest.prefix(count)
                rest = Data(rest.dropFirst(count))
                defer { offset += count }
                return Batch(body: header + body, offset: offset, end: offset + count)
            }
            guard rest.count < Self.longestBatch else {
                throw CommandFailure(
                    .badData, "The rows at byte \(offset) are larger than the host takes at once.")
            }
            isAtEnd = try !fill()
        }
    }

    // MARK: - Private

    /// - Returns: whether there was more.
    private mutating func fill() throws -> Bool {
        guard let more = try handle.read(upToCount: Self.piece), !more.isEmpty else { return false }
        rest.append(more)
        return true
    }

    private mutating func takeHeader() -> Bool {
        let first = rest.withUnsafeBytes { RowCounter(form).rows($0, most: 1) }
        guard first.rows == 1 else { return false }
        header = Data(rest.prefix(first.bytes))
        rest = Data(rest.dropFirst(first.bytes))
        offset = first.bytes
        return true
    }
}
