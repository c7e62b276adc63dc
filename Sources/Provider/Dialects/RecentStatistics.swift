import LAE
import Samples
import Statistics
import VM

/// The recent time whose statistics a dialect shows instead of the newest sample, under a statistics-only grant.
///
/// ```swift
/// let recent = RecentStatistics(of: sensor)
/// let table = try await engine.statistics(recent.query([.mean, .count], at: now), for: grant)
/// ```
struct RecentStatistics {
    /// Ten minutes, or more for sensors that are read rarely.
    let width: Duration

    private static let shortest = Duration.seconds(600)
    /// The cells of a statistics-only grant are at most a hundred times as long as the interval of the level `medium`.
    private static let longestCell = 100

    init(of sensor: Sensor) {
        width = max(Self.shortest, sensor.cadence.medium * Self.longestCell)
    }

    /// How often another cell can end.
    var period: Duration { width / 10 }

    /// The last of ``width``, as one window.
    func query(_ statistics: [Statistic], at now: Timestamp) -> StatisticsQuery {
        StatisticsQuery(
            range: TimeRange(from: now.advanced(by: .zero - width), to: now),
            statistics: statistics)
    }
}
