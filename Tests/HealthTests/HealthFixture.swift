import Foundation
import Health
import Samples
import Synchronization
import Testing
import Text

/// A folder with a health store, and a clock that the test sets.
final class HealthFixture: Sendable {
    static let now = Timestamp(microseconds: 1_795_297_499_000_000)
    static let run = HealthSource(name: "run-log", number: "1")
    static let pulse = HealthSource(name: "pulse", number: "2")

    let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "health-\(UUID().uuidString)", directoryHint: .notDirectory)
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var path: String { "\(folder)/health.sqlite" }
    var key: HealthKeyPlace { HealthKeyPlace(path: "\(folder)/health.key") }

    func open(limit: Int = HealthStore.objectLimit) throws -> HealthStore {
        try HealthStore(path: path, key: key, limit: limit, now: { Self.now })
    }

    /// The bytes of the database and its log.
    func bytes() throws -> Data {
        try ["", "-wal"].reduce(into: Data()) { all, suffix in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return }
            all += try Data(contentsOf: URL(filePath: path + suffix))
        }
    }

    static func type(_ name: String) throws -> HealthType { try #require(HealthType(name)) }

    /// A moment some seconds before ``now``.
    static func ago(_ seconds: Int64) -> Timestamp {
        now.advanced(byMicroseconds: -seconds * 1_000_000)
    }

    /// A workout of 1800 s that ended `seconds` ago.
    static func workout(
        _ samples: [HealthSampleDraft] = [], endedAgo seconds: Int64 = 60,
        _ activity: WorkoutActivity = .running, key: String? = nil
    ) -> HealthGroupDraft {
        HealthGroupDraft(
            .workout(
                activity, start: ago(seconds + 1800), end: ago(seconds), active: .seconds(1500)),
            samples: samples, key: key, metadata: ["indoor": .flag(false)])
    }

    static func sample(
        _ type: String, _ value: Double, unit: String? = nil, ago seconds: Int64? = nil,
        key: String? = nil
    ) throws -> HealthSampleDraft {
        HealthSampleDraft(
            try Self.type(type), .number(value), unit: unit, start: seconds.map(ago), key: key)
    }
}

/// The code of the error that a call ends with; `nil` when it succeeds.
func refusal(_ call: () async throws -> Void) async -> HealthError.Code? {
    do {
        try await call()
        return nil
    } catch let error as HealthError {
        return error.code
    } catch {
        Issue.record(error)
        return nil
    }
}
