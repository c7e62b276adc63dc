public import Samples

/// The days of a forecast that comes in blocks of three hours.
public struct Forecast: Hashable, Sendable {
    /// One of the blocks.
    public struct Block: Hashable, Sendable {
        public let time: Timestamp
        /// In any one unit.
        public let temperature: Double
        /// The number of the condition; see ``WeatherIcon``.
        public let condition: Int

        public init(time: Timestamp, temperature: Double, condition: Int) {
            (self.time, self.temperature, self.condition) = (time, temperature, condition)
        }
    }

    /// What a day will be like.
    public struct Day: Hashable, Sendable {
        /// `YYYY-MM-DD` at the place.
        public let date: String
        public let minimum: Double
        public let maximum: Double
        /// The mean of its blocks.
        public let mean: Double
        /// That of most of its blocks; of equals the one whose first block is earlier.
        public let icon: WeatherIcon
        /// How many blocks it is made of; eight in a whole day.
        public let blocks: Int
    }

    public let days: [Day]

    /// The first days of a forecast, each from all of its blocks.
    ///
    /// - Parameters:
    ///   - blocks: in any order; one whose temperature is not finite is left out.
    ///   - place: where midnight is taken from.
    ///   - count: the most days; fewer where there are not as many.
    public init(_ blocks: [Block], at place: LocalDays, days count: Int = 3) {
        let usable = blocks.filter { $0.temperature.isFinite }.sorted { $0.time < $1.time }
        let groups = Dictionary(grouping: usable) { place.day($0.time) }
        days = groups.sorted { $0.key < $1.key }.prefix(max(0, count)).compactMap {
            Self.day($0.key, $0.value)
        }
    }

    /// Three blocks alone, by their places 0, 7 and 15 in the list: now, and 21 and 45 hours on.
    ///
    /// That is how an earlier dashboard did it, and it is kept for one that wants to look the same.
    /// - Returns: `nil` of fewer than 16 blocks.
    public static func sampled(_ blocks: [Block]) -> [Block]? {
        guard blocks.count > 15 else { return nil }
        return [blocks[0], blocks[7], blocks[15]]
    }

    private static func day(_ number: Int64, _ blocks: [Block]) -> Day? {
        let moments = Moments(blocks.map(\.temperature))
        guard let mean = moments.mean else { return nil }
        var counts: [WeatherIcon: Int] = [:]
        for block in blocks { counts[WeatherIcon(condition: block.condition), default: 0] += 1 }
        let most = counts.values.max()
        let icon = blocks.lazy.map { WeatherIcon(condition: $0.condition) }
            .first { counts[$0] == most }
        return Day(
            date: LocalDays.date(number), minimum: moments.minimum, maximum: moments.maximum,
            mean: mean, icon: icon ?? .cloud, blocks: blocks.count)
    }
}
