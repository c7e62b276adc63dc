import ArgumentParser
import Crypto
import Foundation
import Host
import Ingest
import Text

/// A file that samples are exported to page by page, with checkpoints to resume from.
///
/// Until it is complete it is named `FILE.part`, and `FILE.part.json` is its checkpoint: data after
/// the last checkpoint is truncated when the export is resumed.
struct ExportFile {
    /// Bytes between two checkpoints.
    private static let checkpointInterval = 8 << 20

    /// A checkpoint.
    struct Progress: Codable, Equatable {
        let sensor: String
        let form: String
        /// As requested.
        let from: String?
        /// The time range that was fixed when the export started.
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
    private var checkpointed = 0

    private static func part(_ path: String) -> String { path + ".part" }
    private static func checkpointFile(_ path: String) -> String { path + ".part.json" }

    /// Starts an export, or resumes an interrupted one of the same range.
    ///
    /// - Throws: `CommandFailure` if the file already exists, or cannot be written.
    init(_ path: String, _ wanted: Progress, hasOpenEnd: Bool) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure.cannotWrite(path)
        }
        self.path = path
        progress = wanted
        if let kept = Self.savedCheckpoint(path), Self.canResume(kept, wanted, hasOpenEnd) {
            progress = kept
        }
        let part = Self.part(path)
        if progress.bytes == 0 || !FileManager.default.fileExists(atPath: part) {
            progress = wanted
            guard FileManager.default.createFile(atPath: part, contents: nil) else {
                throw CommandFailure.cannotWrite(path)
            }
        }
        guard let handle = FileHandle(forUpdatingAtPath: part) else {
            throw CommandFailure.cannotWrite(path)
        }
        self.handle = handle
        try restore()
    }

    /// Adds a page.
    mutating func append(_ bytes: Data, samples: Int, next: String?) throws {
        try handle.write(contentsOf: bytes)
        hash.update(data: bytes)
        progress.bytes += bytes.count
        progress.samples += samples
        progress.cursor = next
        if progress.bytes - checkpointed >= Self.checkpointInterval { try checkpoint() }
    }

    /// Renames the complete file.
    ///
    /// - Returns: its SHA-256, 64 hexadecimal digits.
    mutating func finish() throws -> String {
        try handle.synchronize()
        try handle.close()
        try FileManager.default.moveItem(atPath: Self.part(path), toPath: path)
        try? FileManager.default.removeItem(atPath: Self.checkpointFile(path))
        return hash.finalize().hexadecimal
    }

    /// Writes a checkpoint.
    mutating func checkpoint() throws {
        try handle.synchronize()
        let data = try JSONEncoder().encode(progress)
        try data.write(to: URL(filePath: Self.checkpointFile(path)), options: .atomic)
        checkpointed = progress.bytes
    }

    // MARK: - Private

    private static func savedCheckpoint(_ path: String) -> Progress? {
        guard let data = FileManager.default.contents(atPath: checkpointFile(path)) else {
            return nil
        }
        return try? JSONDecoder().decode(Progress.self, from: data)
    }

    private static func canResume(_ kept: Progress, _ wanted: Progress, _ hasOpenEnd: Bool) -> Bool
    {
        kept.sensor == wanted.sensor && kept.form == wanted.form && kept.from == wanted.from
            && (hasOpenEnd || kept.to == wanted.to) && kept.cursor != nil
    }

    /// Hashes the bytes up to the checkpoint, and truncates the rest.
    private mutating func restore() throws {
        var left = progress.bytes
        while left > 0 {
            let piece = try handle.read(upToCount: min(left, 1 << 20)) ?? Data()
            guard !piece.isEmpty else {
                throw CommandFailure(
                    .badData, "\(Self.part(path)) is shorter than its checkpoint.",
                    hint: "Remove it and its .json file, and start again.")
            }
            hash.update(data: piece)
            left -= piece.count
        }
        try handle.truncate(atOffset: UInt64(progress.bytes))
        try handle.seek(toOffset: UInt64(progress.bytes))
        checkpointed = progress.bytes
    }
}

/// The formats of files that samples are exported to and imported from.
enum TransferFormat: String, ExpressibleByArgument, CaseIterable {
    case csv, ndjson, columns, senml

    /// The formats of the known file extensions.
    private static let extensions: [(name: String, format: TransferFormat)] = [
        ("csv", .csv), ("ndjson", .ndjson), ("jsonl", .ndjson), ("columns", .columns),
        ("nvc", .columns), ("senml", .senml),
    ]

    /// The format of a file extension; `nil` if unknown.
    init?(path: String) {
        let name = URL(filePath: path).pathExtension.lowercased()
        guard let known = Self.extensions.first(where: { $0.name == name }) else { return nil }
        self = known.format
    }

    /// Checks that the extension of a file is known, or that it has none.
    static func check(_ path: String) throws {
        let name = URL(filePath: path).pathExtension
        guard !name.isEmpty, TransferFormat(path: path) == nil else { return }
        let known = extensions.map { ".\($0.name)" }.joined(separator: ", ")
        throw ValidationError(
            "No format has the extension .\(name). Use \(known), or --format.")
    }

    var sampleFormat: SampleFormat {
        switch self {
        case .csv: .csv
        case .ndjson: .ndjson
        case .columns: .columns
        case .senml: .senml
        }
    }
}
