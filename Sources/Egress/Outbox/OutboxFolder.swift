import Files
import Foundation

/// The folder in which things wait: of each a text that says where it goes, and its bytes.
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

    /// Everything that waits, and the names of files that cannot be read.
    ///
    /// What was left of a removal or a keeping that was interrupted is removed.
    func load() -> (deliveries: [Delivery], unreadable: [String]) {
        DurableFile.removeDrafts(in: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var deliveries: [Delivery] = []
        var unreadable: [String] = []
        for name in names.sorted() where name.hasSuffix(".\(Self.record)") {
            let id = String(name.dropLast(Self.record.count + 1))
            if let data = FileManager.default.contents(atPath: "\(path)/\(name)"),
                let delivery = try? JSONDecoder().decode(Delivery.self, from: data),
                delivery.id == id, access(file(id, Self.body), R_OK) == 0
            {
                deliveries.append(delivery)
            } else {
                unreadable.append(name)
            }
        }
        for name in names where name.hasSuffix(".\(Self.body)") {
            let id = String(name.dropLast(Self.body.count + 1))
            if !names.contains("\(id).\(Self.record)") { unlink("\(path)/\(name)") }
        }
        return (deliveries, unreadable)
    }

    /// Keeps a thing that is new.
    ///
    /// - Throws: `storeFailed`, `diskFull`; nothing is kept then.
    func keep(_ delivery: Delivery, _ body: [UInt8]) throws(OutboxError) {
        do {
            try DurableFile.replace(file(delivery.id, Self.body), with: body)
        } catch {
            throw OutboxError(error)
        }
        do throws(OutboxError) {
            try note(delivery)
        } catch {
            unlink(file(delivery.id, Self.body))
            throw error
        }
    }

    /// Writes how it stands with a thing that is kept.
    func note(_ delivery: Delivery) throws(OutboxError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let data = try encoder.encode(delivery)
            try DurableFile.replace(file(delivery.id, Self.record), with: Array(data))
        } catch let error as FilesError {
            throw OutboxError(error)
        } catch {
            throw OutboxError(.storeFailed, "\(delivery.id) cannot be written: \(error)")
        }
    }

    /// - Throws: `storeFailed`.
    func body(of delivery: Delivery) throws(OutboxError) -> [UInt8] {
        let path = file(delivery.id, Self.body)
        guard let data = FileManager.default.contents(atPath: path), data.count == delivery.size
        else { throw OutboxError(.storeFailed, "\(path) cannot be read, or was changed.") }
        return Array(data)
    }

    func remove(_ id: String) {
        // Without its record a thing is gone, whatever happens next.
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
