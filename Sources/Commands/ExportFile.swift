import ArgumentParser
import Crypto
import Foundation
import Host
import Ingest

/// A file that samples are exported to page by page, and what is needed to go on with it.
///
/// Until it is whole it is named `FILE.part`, and `FILE.part.json` says how far it is: what was
/// written after the last such note is cut off when the export goes on.
struct ExportFile {
    /// Between two notes.
    private static let stretch = 8 << 20

    /// How far an export is.
    struct Progress: Codable, Equatable {
        let sensor: String
        let form: String
        /// What was asked for.
        let from: String?
        /// The range as it was when the export began, whatever the clock says when it goes on.
        let start: String?
        let to: String
        var cursor: String?
        var bytes = 0
        var samples = 0
    }

    let path: String
    private(set) var progress: Progress
    private let handle: FileHandle
    private var hash = SHA256()
    private var noted = 0

    private static func part(_ path: String) -> String { path + ".part" }
    private static func note(_ path: String) -> String { path + ".part.json" }

    /// Begins anew, or where an export of the same range was interrupted.
    ///
    /// - Throws: `CommandFailure` when the file is there already, or cannot be written.
    init(_ path: String, _ wanted: Progress, hasOpenEnd: Bool) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .cannotCreate, "\(path) is there already.", hint: "Take it away, or name another.")
        }
        self.path = path
        progress = wanted
        if let kept = Self.kept(path), Self.goesOn(kept, wanted, hasOpenEnd) { progress = kept }
        let part = Self.part(path)
        if progress.bytes == 0 || !FileManager.default.fileExists(atPath: part) {
            progress = wanted
            guard FileManager.default.createFile(atPath: part, contents: nil) else {
                throw CommandFailure(.cannotCreate, "\(part) cannot be written.")
            }
        }
        guard let handle = FileHandle(forUpdatingAtPath: part) else {
            throw CommandFailure(.cannotCreate, "\(part) cannot be written.")
        }
        self.handle = handle
        try recall()
    }

    /// Adds a page.
    mutating func append(_ bytes: Data, samples: Int, next: String?) throws {
        try handle.write(contentsOf: bytes)
        hash.update(data: bytes)
        progress.bytes += bytes.count
        progress.samples += samples
        progress.cursor = next
        if progress.bytes - noted >= Self.stretch { try note() }
    }

    /// Gives the file its name.
    ///
    /// - Returns: its SHA-256, 64 hexadecimal digits.
    mutating func finish() throws -> String {
        try handle.synchronize()
        try handle.close()
        try FileManager.default.moveItem(atPath: Self.part(path), toPath: path)
        try? FileManager.default.removeItem(atPath: Self.note(path))
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }

    /// Notes how far it is, for an export that goes on later.
    mutating func note() throws {
        try handle.synchronize()
        let data = try JSONEncoder().encode(progress)
        try data.write(to: URL(filePath: Self.note(path)), options: .atomic)
        noted = progress.bytes
    }

    // MARK: - Private

    private static func kept(_ path: String) -> Progress? {
        guard let data = FileManager.default.contents(atPath: note(path)) else { return nil }
        return try? JSONDecoder().decode(Progress.self, from: data)
    }

    private static func goesOn(_ kept: Progress, _ wanted: Progress, _ hasOpenEnd: Bool) -> Bool {
        kept.sensor == wanted.sensor && kept.form == wanted.form && kept.from == wanted.from
            && (hasOpenEnd || kept.to == wanted.to) && kept.cursor != nil
    }

    /// Reads what is there already, for its hash, and cuts off what came after the note.
    private mutating func recall() throws {
        var left = progress.bytes
        while left > 0 {
            let piece = try handle.read(upToCount: min(left, 1 << 20)) ?? Data()
            guard !piece.isEmpty else {
                throw CommandFailure(
                    .badData, "\(Self.part(path)) is shorter than its note says.",
                    hint: "Take it and its note away, and begin anew.")
            }
            hash.update(data: piece)
            left -= piece.count
        }
        try handle.truncate(atOffset: UInt64(progress.bytes))
        try handle.seek(toOffset: UInt64(progress.bytes))
        noted = progress.bytes
    }
}

/// The forms of files that samples are exported to and imported from.
enum TransferForm: String, ExpressibleByArgument, CaseIterable {
    case csv, ndjson, columns

    /// What the ending of a name says; `nil` when it says nothing.
    init?(path: String) {
        switch URL(filePath: path).pathExtension.lowercased() {
        case "csv": self = .csv
        case "ndjson", "jsonl": self = .ndjson
        case "columns", "nvc": self = .columns
        default: return nil
        }
    }

    var form: SampleForm {
        switch self {
        case .csv: .csv
        case .ndjson: .ndjson
        case .columns: .columns
        }
    }
}
