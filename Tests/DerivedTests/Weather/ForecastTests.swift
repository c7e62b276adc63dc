import Derived
import Samples
import TestSupport
import Testing

struct ForecastTests {
    private func time(_ text: String) throws -> Timestamp {
        try #require(Timestamp(rfc3339: text))
    }

    /// Blocks of three hours from a moment on; the temperature is the number of the block.
    private func blocks(_ count: Int, from start: String, condition: Int = 800) throws -> [Forecast
        .Block]
    {
        let start = try time(start)
        return (0..<count).map {
            Forecast.Block(
                time: start.advanced(byMicroseconds: Int64($0) * 10_800_000_000),
                temperature: Double($0), condition: condition)
        }
    }

    @Test(
        arguments: [
            (200, WeatherIcon.thunderstorm), (299, .thunderstorm), (300, .rain), (599, .rain),
            (600, .snow), (699, .snow), (700, .fog), (799, .fog), (800, .sun), (801, .cloud),
            (804, .cloud), (199, .cloud), (0, .cloud), (-1, .cloud), (.max, .cloud),
        ])
    func `D8: a condition has its picture, and any other is a cloud`(
        condition: Int, icon: WeatherIcon
    ) {
        #expect(WeatherIcon(condition: condition) == icon)
    }

    @Test func `D7: three days have the least and the most of all their blocks`() throws {
        let forecast = Forecast(
            try blocks(40, from: "2026-06-10T00:00:00Z"), at: LocalDays(ahead: .zero))
        #expect(forecast.days.map(\.date) == ["2026-06-10", "2026-06-11", "2026-06-12"])
        #expect(forecast.days.map(\.minimum) == [0, 8, 16])
        #expect(forecast.days.map(\.maximum) == [7, 15, 23])
        #expect(forecast.days.map(\.mean) == [3.5, 11.5, 19.5])
        #expect(forecast.days.map(\.blocks) == [8, 8, 8])
    }

    @Test(
        arguments: [
            (0, [5, 8, 2]), (3600 * 9, [2, 8, 5]), (-3600 * 5, [7, 8]), (-3600 * 10, [1, 8, 6]),
            (20_700, [4, 8, 3]),
        ])
    func `D7: days begin at the place's own midnight`(ahead: Int, blocks: [Int]) throws {
        let forecast = Forecast(
            try self.blocks(15, from: "2026-06-10T09:00:00Z"), at: LocalDays(ahead: .seconds(ahead))
        )
        #expect(forecast.days.map(\.blocks) == blocks)
    }

    /// Clocks in Copenhagen: on 29 March 2026 a day of 23 hours, on 25 October one of 25.
    @Test func `D7: a day on which clocks change has its hours, no more and no less`() throws {
        let place = LocalDays([
            .init(from: try time("2026-10-25T01:00:00Z"), ahead: .seconds(3600)),
            .init(from: try time("2026-03-29T01:00:00Z"), ahead: .seconds(7200)),
            .init(from: try time("2025-10-26T01:00:00Z"), ahead: .seconds(3600)),
        ])
        func hours(_ date: String, from: String) throws -> Int {
            let start = try time(from)
            return (0..<96).filter {
                let hour = start.advanced(byMicroseconds: Int64($0) * 3_600_000_000)
                return LocalDays.date(place.day(hour)) == date
            }.count
        }
        #expect(try hours("2026-03-28", from: "2026-03-27T00:00:00Z") == 24)
        #expect(try hours("2026-03-29", from: "2026-03-27T00:00:00Z") == 23)
        #expect(try hours("2026-10-25", from: "2026-10-23T00:00:00Z") == 25)
        let forecast = Forecast(try blocks(24, from: "2026-10-24T22:00:00Z"), at: place)
        #expect(forecast.days.map(\.date) == ["2026-10-25", "2026-10-26", "2026-10-27"])
        #expect(forecast.days.map(\.blocks) == [9, 8, 7])
    }

    @Test(arguments: [0, 1, 15, 16])
    func `D7: fewer than sixteen blocks make fewer days, and no sample`(count: Int) throws {
        let blocks = try blocks(count, from: "2026-06-10T00:00:00Z")
        let forecast = Forecast(blocks, at: LocalDays([]))
        #expect(forecast.days.count == (count + 7) / 8)
        let sampled = Forecast.sampled(blocks)
        #expect(sampled?.map(\.temperature) == (count < 16 ? nil : [0, 7, 15]))
    }

    @Test func `D7: order does not matter, and what is no number is left out`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let blocks = try blocks(16, from: "2026-06-10T00:00:00Z")
        let broken = Forecast.Block(time: blocks[3].time, temperature: .nan, condition: 600)
        let days = Forecast(blocks, at: LocalDays([])).days
        let shuffled = (blocks + [broken]).shuffled(using: &random)
        #expect(Forecast(shuffled, at: LocalDays([])).days == days, "seed \(seed)")
        #expect(Forecast(blocks, at: LocalDays([]), days: -1).days == [])
    }

    @Test func `D7: the picture of a day is that of most of its blocks`() throws {
        let conditions = [800, 800, 500, 501, 300, 600, 200, 801]
        let start = try time("2026-06-10T00:00:00Z")
        let blocks = conditions.enumerated().map { place, condition in
            Forecast.Block(
                time: start.advanced(byMicroseconds: Int64(place) * 10_800_000_000), temperature: 1,
                condition: condition)
        }
        #expect(Forecast(blocks, at: LocalDays([])).days.map(\.icon) == [.rain])
        #expect(Forecast(Array(blocks[..<4]), at: LocalDays([])).days.map(\.icon) == [.sun])
    }
}
