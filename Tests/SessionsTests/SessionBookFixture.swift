import Foundation
import GRDB
import Samples
import Sessions
import Synchronization
import Testing
import Tracks

/// A folder with a session book, and a clock that the test advances.
final class SessionBookFixture: Sendable {
    static let start = Timestamp(microseconds: 1_700_000_000_000_000)

    let folder: URL
    private let time = Mutex(SessionBookFixture.start)

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

    /// A workout with a pause and three points.
    static func workout(_ id: String, name: String = "Ridge") throws -> Workout {
        func time(_ seconds: Int64) -> Timestamp {
            start.advanced(byMicroseconds: seconds * 1_000_000 - 86_400_000_000)
        }
        func point(
            _ seconds: Int64, _ altitude: Double?, isPausePoint: Bool = false
        ) throws -> RoutePoint {
            RoutePoint(
                Fix(
                    time: time(seconds),
                    position: try #require(
                        Position(latitude: 0.1 + Double(seconds) / 1e4, longitude: -179.9)),
                    altitude: altitude, accuracy: altitude.map { $0 / 100 }),
                isPausePoint: isPausePoint)
        }
        let segments = [
            [try point(10, 400.5), try point(20, nil, isPausePoint: true)], [try point(80, 1)],
        ]
        return try Workout(
            id: id, SessionDraft(name: name, sensors: ["location.phone", "steps"]),
            spans: [
                TimeRange(from: time(0), to: time(30)), TimeRange(from: time(70), to: time(90)),
            ],
            route: RouteRecord(
                segments: segments, distance: Track(segments: segments).distance,
                warnings: [.signalLost]))
    }

    /// The content of the file, including the write-ahead log.
    func content() throws -> Data {
        // A previous connection may close a moment later.
        try tamper("")
        return try Data(contentsOf: URL(filePath: path))
    }

    /// The rows of a table.
    func count(of table: String) throws -> Int? {
        try DatabaseQueue(path: path).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)")
        }
    }

    /// Changes the file directly with SQL.
    func tamper(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
    }
}

/// The code of the error that `body` throws.
func refusal(_ body: () async throws -> Void) async -> SessionsError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? SessionsError)?.code
    }
}
