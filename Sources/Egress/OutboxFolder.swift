import Files
import Foundation

/// The folder of queued uploads: for each a JSON file that describes it, and a file with its body.
struct OutboxFolder: Sendable {
    private static let record = "json"
    private static let body = "body"

    private let path: String

    /// - Throws: `storeFailed`, `diskFull`.
    init(_ path: String) throws(OutboxError) {
        self.path = path
        do {
            try PrivateFolder.make(path)
        } catch {
            throw OutboxError(error)
        }
    }

    /// All queued uploads, and the names of files that cannot be read.
    ///
    /// Files that an interrupted change left behind are removed.
    func load() -> (uploads: [QueuedUpload], unreadable: [String]) {
        DurableFile.removeDrafts(in: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var uploads: [QueuedUpload] = []
        var unreadable: [String] = []
        for name in names.sorted() where name.hasSuffix(".\(Self.record)") {
            let id = String(name.dropLast(Self.record.count + 1))
            if let data = FileManager.default.contents(atPath: "\(path)/\(name)"),
                let upload = try? JSONDecoder().decode(QueuedUpload.self, from: data),
                upload.id == id, access(file(id, Self.body), R_OK) == 0
            {
                uploads.append(upload)
            } else {
                unreadable.append(name)
            }
        }
        for name in names where name.hasSuffix(".\(Self.body)") {
            let id = String(name.dropLast(Self.body.count + 1))
            if !names.contains("\(id).\(Self.record)") { unlink("\(path)/\(name)") }
        }
        return (uploads, unreadable)
    }

    /// Writes a new upload.
    ///
    /// - Throws: `storeFailed`, `diskFull`; nothing is written then.
    func add(_ upload: QueuedUpload, _ body: [UInt8]) throws(OutboxError) {
        do {
            try DurableFile.replace(file(upload.id, Self.body), with: body)
        } catch {
            throw OutboxError(error)
        }
        do throws(OutboxError) {
            try update(upload)
        } catch {
            unlink(file(upload.id, Self.body))
            throw error
        }
    }

    /// Writes the state of an upload.
    func update(_ upload: QueuedUpload) throws(OutboxError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let data = try encoder.encode(upload)
            try DurableFile.replace(file(upload.id, Self.record), with: Array(data))
        } catch let error as FilesError {
            throw OutboxError(error)
        } catch {
            throw OutboxError(.storeFailed, "Upload \(upload.id) cannot be written: \(error)")
        }
    }

    /// - Throws: `storeFailed`.
    func body(of upload: QueuedUpload) throws(OutboxError) -> [UInt8] {
        let path = file(upload.id, Self.body)
        guard let data = FileManager.default.contents(atPath: path), data.count == upload.size
        else { throw OutboxError(.storeFailed, "\(path) cannot be read, or was changed.") }
        return Array(data)
    }

    func remove(_ id: String) {
        // The record is removed first, because an upload without a record does not exist.
        unlink(file(id, Self.record))
        unlink(file(id, Self.body))
    }

    private func file(_ id: String, _ kind: String) -> String { "\(path)/\(id).\(kind)" }
}

extension OutboxError {
    fileprivate init(_ error: FilesError) {
        self.init(
            error.code == .diskFull ? .diskFull : .storeFailed, error.message, hint: error.hint)
    }
}
