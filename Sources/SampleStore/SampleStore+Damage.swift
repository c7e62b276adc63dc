import GRDB
public import Samples

extension SampleStore {
    /// Where samples of a sensor are known to be damaged and are not read, in order; all of time where
    /// nobody can tell.
    ///
    /// Damage is found when samples are looked at. What was found is known until the host ends, and
    /// after it what was found when chunks were to be written anew.
    /// - Parameter range: only what touches it.
    public func damage(of sensor: SensorID, in range: TimeRange = .all) -> [TimeRange] {
        (damage[sensor] ?? []).filter { !$0.intersection(range).isEmpty }.joined
    }

    /// Where samples of each sensor are known to be damaged.
    public var knownDamage: [SensorID: [TimeRange]] { damage.mapValues(\.joined) }

    /// Notes what of a sensor could not be read.
    func note(_ ranges: [TimeRange], of sensor: SensorID) {
        for range in ranges where damage[sensor]?.contains(range) != true {
            damage[sensor, default: []].append(range)
        }
    }

    /// Forgets damage whose samples are not in the file any more.
    func reviseDamage(of kept: SampleFile.Kept) async throws {
        guard let noted = damage[kept.sensor] else { return }
        let gone = try await file.ranges(noted, without: kept)
        damage[kept.sensor]?.removeAll(where: gone.contains)
        if damage[kept.sensor]?.isEmpty == true { damage[kept.sensor] = nil }
    }
}

extension SampleFile {
    /// Those of some damaged ranges in which the layouts have nothing that could be damaged any more.
    fileprivate func ranges(
        _ ranges: [TimeRange], without kept: Kept
    ) async throws -> Set<TimeRange> {
        try await pool.read { database in
            var left: Set<TimeRange> = kept.unreadable.isEmpty ? [] : [.all]
            for layout in kept.layouts {
                let unreadable = try Int64.fetchOne(
                    database,
                    sql:
                        "SELECT id FROM chunk WHERE layout = ? AND \(ChunkEntry.isUnreadable) LIMIT 1",
                    arguments: [layout.id])
                if unreadable != nil { left.insert(.all) }
                // Of fresh samples that cannot be read nobody knows the time.
                try Self.eachFresh(Projection(whole: layout), database) { _ in
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
