import GRDB
import Samples
import Synchronization

/// The time ranges of samples that were found damaged since the store was opened, by sensor.
final class DamageLog: Sendable {
    private let ranges = Mutex<[SensorID: [TimeRange]]>([:])
    /// Whether samples of unknown sensors were lost, so that any sensor may lack some.
    private let hasLoss = Mutex(false)

    /// The damaged ranges of all sensors, joined.
    var all: [SensorID: [TimeRange]] { ranges.withLock { $0 }.mapValues(\.joined) }

    /// The damaged ranges of a sensor that intersect a range, joined.
    func damage(of sensor: SensorID, in range: TimeRange) -> [TimeRange] {
        let all = ranges.withLock { $0[sensor] } ?? []
        return all.filter { !$0.intersection(range).isEmpty }.joined
    }

    /// Adds damaged ranges.
    func record(_ damage: [TimeRange], of sensor: SensorID) {
        guard !damage.isEmpty else { return }
        ranges.withLock { ranges in
            for range in damage where ranges[sensor]?.contains(range) != true {
                ranges[sensor, default: []].append(range)
            }
        }
    }

    /// Records that samples of unknown sensors and times were lost.
    func recordLoss(_ pool: DatabasePool) async throws {
        let names = try await pool.read { try String.fetchAll($0, sql: "SELECT name FROM sensor") }
        hasLoss.withLock { $0 = true }
        for sensor in names.compactMap({ SensorID($0) }) { record([.all], of: sensor) }
    }

    /// Removes all ranges.
    func removeAll() {
        ranges.withLock { $0.removeAll() }
    }

    /// Removes ranges whose damaged rows are no longer in the file.
    func revise(_ sensor: StoredSensor, _ pool: DatabasePool) async throws {
        guard let recorded = ranges.withLock({ $0[sensor.sensor] }) else { return }
        var gone = try await Self.ranges(recorded, notIn: sensor, pool)
        if hasLoss.withLock({ $0 }) { gone.remove(.all) }
        ranges.withLock { ranges in
            ranges[sensor.sensor]?.removeAll(where: gone.contains)
            if ranges[sensor.sensor]?.isEmpty == true { ranges[sensor.sensor] = nil }
        }
    }

    /// Returns the ranges that no longer contain damaged rows of the sensor.
    private static func ranges(
        _ ranges: [TimeRange], notIn sensor: StoredSensor, _ pool: DatabasePool
    ) async throws -> Set<TimeRange> {
        try await pool.read { database in
            var left: Set<TimeRange> = sensor.unreadable.isEmpty ? [] : [.all]
            for layout in sensor.layouts {
                let unreadable = try Int64.fetchOne(
                    database,
                    sql:
                        "SELECT id FROM chunk WHERE layout = ? AND \(ChunkEntry.isUnreadable) LIMIT 1",
                    arguments: [layout.id])
                if unreadable != nil { left.insert(.all) }
                // The times of damaged unsealed rows are unknown.
                try UnsealedTable.forEach(Projection(identityOf: layout), database) { _ in
                } damage: {
                    left.insert($0)
                }
                for range in ranges where range != .all {
                    let chunk = try Int64.fetchOne(
                        database.cachedStatement(
                            sql: """
                                SELECT id FROM chunk
                                WHERE layout = ? AND fromTime = ? AND toTime = ? LIMIT 1
                                """),
                        arguments: [
                            layout.id, range.from.microseconds, range.to.microseconds - 1,
                        ])
                    if chunk != nil { left.insert(range) }
                }
            }
            return Set(ranges).subtracting(left)
        }
    }
}
