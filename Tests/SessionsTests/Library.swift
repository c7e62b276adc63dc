import Derived
import Foundation
import GRDB
import Samples
import Sessions
import Synchronization
import Testing

/// A folder with a book of sessions, and a clock that stands still until told otherwise.
final class Library: Sendable {
    static let start = Timestamp(microseconds: 1_700_000_000_000_000)

    let folder: URL
    private let time = Mutex(Library.start)

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "sessions-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "sessions.sqlite").path(percentEncoded: false) }

    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(
                atPath: folder.path(percentEncoded: false)
            ).sorted()
        }
    }

    func open() throws -> SessionBook {
        try SessionBook(path: path, now: { self.time.withLock { $0 } })
    }

    /// Moves the clock, also backwards.
    func wait(_ seconds: Double) {
        time.withLock {
            $0 = $0.advanced(byMicroseconds: Int64((seconds * 1_000_000).rounded()))
        }
    }

    static func draft(
        _ name: String = "Walk", _ sensors: [SensorID] = ["location"]
    ) throws -> SessionDraft {
        try SessionDraft(name: name, description: "Around the lake", sensors: sensors)
    }

    /// What is in the file once all that was written is.
    func content() throws -> Data {
        // Who had it open may let go of it a moment later.
        try tamper("")
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Changes the file behind the program's back.
    func tamper(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
    }
}

/// The code with which `body` was refused.
func refusal(_ body: () async throws -> Void) async -> SessionsError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? SessionsError)?.code
    }
}
