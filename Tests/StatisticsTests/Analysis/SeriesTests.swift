import Foundation
import Samples
import TestSupport
import Testing

@testable import Statistics

struct SeriesTests {
    @Test func `extremes are the first and last sorted values`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for side in [Extremes.Side.largest, .smallest] {
            for _ in 0..<100 {
                let items = (0..<Int.random(in: 0...60, using: &random)).map { index in
                    TimedValue(
                        time: Timestamp(microseconds: Int64(index)),
                        value: Double(Int.random(in: -5...5, using: &random)))
                }
                let limit = Int.random(in: 0...20, using: &random)
                var extremes = Extremes(limit, side)
                for item in items.shuffled(using: &random) { extremes.insert(item) }
                let sorted = items.sorted {
                    $0.value == $1.value
                        ? $0.time < $1.time : ($0.value > $1.value) == (side == .largest)
                }
                #expect(extremes.items == Array(sorted.prefix(limit)), "seed \(seed)")
            }
        }
    }

    @Test func `NaN is never an extreme, and a negative limit keeps nothing`() {
        var extremes = Extremes(2, .largest)
        for value in [Double.nan, 1, .infinity, -.infinity] {
            extremes.insert(TimedValue(time: Timestamp(microseconds: 0), value: value))
        }
        #expect(extremes.items.map(\.value) == [.infinity, 1])
        var none = Extremes(-4, .smallest)
        none.insert(TimedValue(time: Timestamp(microseconds: 0), value: 1))
        #expect(none.items.isEmpty)
    }

    @Test func `robust scores equal SciPy's`() throws {
        for fixture in try AnalysisFixtures.load().anomalies {
            let found = try #require(AnomalyScore(fixture.values))
            #expect(areClose(found.median, fixture.median, 1e-15))
            #expect(areClose(found.deviation, fixture.deviation, 1e-14))
            for (value, wanted) in zip(fixture.values, fixture.scores) {
                #expect(areClose(found.score(value), wanted, 1e-12))
            }
        }
        #expect(AnomalyScore([]) == nil)
        let greatest = Double.greatestFiniteMagnitude
        #expect(AnomalyScore([greatest, -greatest, 0])?.score(greatest)?.isFinite ?? true)
    }

    @Test(arguments: [1e-300, 0.25, 40, 1e300])
    func `a spike on a constant series has a score, and a constant series has none`(spike: Double)
        throws
    {
        var values = [Double](repeating: 3 * spike, count: 200)
        #expect(try #require(AnomalyScore(values)).score(3 * spike) == nil)
        values[77] = 4 * spike
        let scores = try #require(AnomalyScore(values))
        #expect(scores.deviation == 0)
        #expect(areClose(scores.score(values[77]), 200 / 1.253314, 1e-9))
        #expect(scores.score(values[0]) == 0)
        #expect(areClose(scores.score(2 * spike), -200 / 1.253314, 1e-9))
    }

    @Test func `LTTB keeps the points of the reference implementation`() throws {
        for fixture in try AnalysisFixtures.load().downsampled {
            let series = Series(times: fixture.times, values: fixture.values)
            let found = Downsampling.indices(of: series, keeping: fixture.keep)
            #expect(found == fixture.places, "\(fixture.keep) of \(fixture.times.count)")
        }
    }

    @Test func `downsampling keeps the requested number of points, with both ends, in order`() {
        for count in 0...40 {
            let series = Series(
                times: (0..<count).map { Int64($0) * 1_000_000 },
                values: (0..<count).map { $0 % 3 == 0 ? 1e308 : -1e308 })
            for limit in -1...45 {
                let indices = Downsampling.indices(of: series, keeping: limit)
                #expect(
                    indices.count == max(0, min(count, limit)) || count <= 2, "\(count) \(limit)")
                #expect(indices == Set(indices).sorted())
                if limit >= 2, count >= 2 {
                    #expect(indices.first == 0 && indices.last == count - 1)
                }
            }
        }
    }

    @Test func `cell means and interpolations equal NumPy`() throws {
        let fixture = try AnalysisFixtures.load().interpolated
        let series = Series(times: fixture.times, values: fixture.values)
        let grid = Grid(origin: 0, step: fixture.step)
        for (method, wanted) in [(Resampling.Method.linear, fixture.linear), (.mean, fixture.mean)]
        {
            let found = try #require(Resampling(series, to: grid, by: method, atMost: 10_000))
            #expect(found.values.count == wanted.count)
            for (found, wanted) in zip(found.values, wanted) {
                #expect(areClose(found, wanted, 1e-12, scale: 1), "\(method)")
            }
        }
    }

    @Test func `cells begin at the origin of the grid, also before 1970`() throws {
        let series = Series(times: [-15, -11, -1, 0, 9, 31], values: [1, 3, 5, 7, 9, 11])
        let grid = Grid(origin: 3, step: 10)
        let last = try #require(Resampling(series, to: grid, by: .last, atMost: 6))
        #expect((0..<5).map { last.time($0).microseconds } == [-17, -7, 3, 13, 23])
        #expect(last.values == [3, 7, 9, nil, 11])
        #expect(Resampling(series, to: grid, by: .last, atMost: 4) == nil)
        let ends = Series(times: [.min, .max], values: [1, 2])
        #expect(Resampling(ends, to: Grid(origin: 0, step: 1), by: .mean, atMost: 9) == nil)
        let wide = try #require(
            Resampling(ends, to: Grid(origin: 5, step: .max), by: .linear, atMost: 9))
        #expect(wide.values.allSatisfy { $0?.isFinite ?? true })
        #expect(Resampling(Series(), to: grid, by: .mean, atMost: 0)?.values == [])
    }

    @Test func `cells of a grid are contiguous`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<500 {
            let step = Int64.random(in: 1...1000, using: &random)
            let grid = Grid(origin: .random(in: .min ... .max, using: &random), step: step)
            let time = Int64.random(in: -1_000_000...1_000_000, using: &random)
            let start = grid.start(of: grid.cell(of: time))
            #expect(start <= time && time < start + step, "seed \(seed)")
            #expect(grid.cell(of: start + step) == grid.cell(of: time) + 1, "seed \(seed)")
        }
        for step in [1, 7, Int64.max] {
            let grid = Grid(origin: .min, step: step)
            for time in [Int64.min, -1, 0, .max] { _ = grid.start(of: grid.cell(of: time)) }
        }
    }

    @Test func `rates are differences divided by the elapsed time`() {
        let series = Series(
            times: [0, 1_000_000, 1_000_000, 3_500_000, 4_000_000], values: [1, 9, 3, 8, 8])
        let rates = RateOfChange.of(series)
        #expect(rates.map(\.value) == [2, 2, 0])
        #expect(rates.map(\.time.microseconds) == [1_000_000, 3_500_000, 4_000_000])
        #expect(RateOfChange.of(Series()).isEmpty)
        #expect(RateOfChange.of(Series(times: [1], values: [1])).isEmpty)
        let huge = Series(times: [0, 1, 2], values: [1e308, -1e308, 0])
        #expect(RateOfChange.of(huge).allSatisfy { $0.value.isFinite })
    }

    @Test(arguments: Alignment.Method.allCases)
    func `each sample is matched by the alignment rule`(method: Alignment.Method) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<200 {
            func times() -> [Int64] {
                (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    Int64.random(in: -40...40, using: &random)
                }.sorted()
            }
            let (own, others) = (times(), times())
            let tolerance = Int64.random(in: 0...20, using: &random)
            let found = Alignment(method: method, tolerance: tolerance).indices(of: own, in: others)
            let wanted = own.map { time in
                others.indices.filter {
                    abs(others[$0] - time) <= tolerance
                        && (method == .nearest || others[$0] <= time)
                }.min { left, right in
                    let (first, second) = (abs(others[left] - time), abs(others[right] - time))
                    if first != second { return first < second }
                    return others[left] == others[right]
                        ? left > right : others[left] < others[right]
                }
            }
            #expect(found == wanted, "seed \(seed)")
        }
        let ends = Alignment(method: method, tolerance: .max)
        #expect(ends.indices(of: [.max], in: [.min]) == [0])
        #expect(ends.indices(of: [1], in: []) == [nil])
    }
}
