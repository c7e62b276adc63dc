import TestSupport
import Testing

@testable import Statistics

struct AnomalyDetectionTests {
    private static let minute: Int64 = 60_000_000

    /// Sums of twelve uniform numbers less 6, which have nearly a standard normal distribution.
    private static func noise(_ count: Int, seed: UInt64) -> [Double] {
        var random = SplitMix(state: seed)
        return (0..<count).map { _ in
            (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        }
    }

    private static func series(_ values: [Double], every step: Int64 = minute) -> Series {
        Series(times: values.indices.map { Int64($0) * step }, values: values)
    }

    @Test func `sliding quantiles equal those of the sorted members`() {
        var random = SplitMix(state: 5)
        for _ in 0..<40 {
            let numbers = (0..<Int.random(in: 1...70, using: &random)).map { _ in
                Double(Int.random(in: -9...9, using: &random))
            }
            var sliding = SlidingQuantiles(numbers)
            var members: [Int] = []
            #expect(sliding.quantile(0.5) == nil)
            for index in numbers.indices.shuffled(using: &random) {
                sliding.insert(index)
                members.append(index)
                if members.count > 20 { sliding.remove(members.removeFirst()) }
                let sorted = members.map { numbers[$0] }.sorted()
                for fraction in [0, 0.25, 0.5, 0.9, 1] {
                    #expect(sliding.quantile(fraction) == Quantile.of(fraction, sorted: sorted))
                }
            }
        }
    }

    @Test(arguments: [8, 9, 30, 500])
    func `rolling scores equal their definition`(window: Int) {
        let values = Self.noise(200, seed: 11).map { ($0 * 4).rounded() }
        let found = AnomalyDetection.rolling(values, window)
        func width(_ sorted: [Double]) -> Double {
            let ends = [0.25, 0.75].compactMap { Quantile.of($0, sorted: sorted) }
            return (ends[1] - ends[0]) / 1.349
        }
        let least = width(values.sorted()) / 2
        for index in values.indices {
            let before = values[max(0, index - window)..<index].sorted()
            let wanted =
                index < 8
                ? 0
                : (values[index] - (Quantile.of(0.5, sorted: before) ?? .nan))
                    / max(width(before), least)
            #expect(areClose(found[index], wanted, 1e-12, scale: 1))
        }
    }

    @Test(arguments: [1, 4, 25, 100, 101])
    func `changes are differences of the means of two windows`(window: Int) {
        let values = Self.noise(200, seed: 12).map { $0 + 1e6 }
        let found = AnomalyDetection.changes(values, window)
        for index in values.indices {
            var wanted = 0.0
            if index >= window, index + window <= values.count {
                wanted =
                    (values[index..<(index + window)].reduce(0, +)
                        - values[(index - window)..<index].reduce(0, +)) / Double(window)
            }
            #expect(areClose(found[index], wanted, 1e-8, scale: 1))
        }
    }

    @Test func `peaks are the highest scores that are far enough apart`() {
        for seed in 0..<20 as Range<UInt64> {
            let scores = Self.noise(300, seed: seed)
            let peaks = AnomalyDetection.peaks(scores, above: 1, 6)
            for (left, right) in zip(peaks, peaks.dropFirst()) {
                #expect(right.index - left.index > 6)
            }
            for index in scores.indices where abs(scores[index]) > 1 {
                // Each score above the threshold has a peak near it that is at least as high.
                #expect(
                    peaks.contains {
                        abs($0.index - index) <= 6 && abs($0.score) >= abs(scores[index])
                    })
            }
            #expect(peaks.allSatisfy { scores[$0.index] == $0.score && abs($0.score) > 1 })
        }
    }

    @Test(arguments: AnomalyDetection.Method.allCases)
    func `a constant series has no anomaly`(method: AnomalyDetection.Method) throws {
        for count in [0, 1, 2, 50, 400] {
            let series = Self.series(Array(repeating: 21.5, count: count))
            let found = try AnomalyDetection(series, by: method, period: Self.period(method))
            #expect(found?.items == [])
        }
    }

    /// A period where the method has one.
    private static func period(_ method: AnomalyDetection.Method) -> Double? {
        method == .seasonal ? 3600 : nil
    }

    @Test(arguments: [AnomalyDetection.Method.auto, .global, .rolling, .seasonal])
    func `a spike on a constant series is the only anomaly`(
        method: AnomalyDetection.Method
    ) throws {
        for spike in [-1e-3, 1e6] {
            var values = [Double](repeating: 21.5, count: 400)
            values[170] += spike
            let found = try #require(
                try AnomalyDetection(
                    Self.series(values), by: method, period: Self.period(method)))
            #expect(found.items.map(\.index) == [170])
            #expect(found.items.allSatisfy { ($0.score < 0) == (spike < 0) })
        }
    }

    @Test(arguments: [false, true])
    func `a step of the level is found where it is`(isNoisy: Bool) throws {
        let noise = isNoisy ? Self.noise(2000, seed: 3) : Array(repeating: 0, count: 2000)
        let values = noise.enumerated().map { index, noise in noise / 10 + (index < 900 ? 4 : 1) }
        for (method, reach) in [(AnomalyDetection.Method.change, 1), (.auto, 20)] {
            let found = try #require(try AnomalyDetection(Self.series(values), by: method))
            let step = try #require(found.strongest(1).first)
            #expect(abs(step.index - 900) <= reach && step.score < 0, "\(method)")
        }
        let plain = try #require(try AnomalyDetection(Self.series(values), by: .change))
        #expect(isNoisy || plain.items.map(\.index) == [900])
    }

    @Test(arguments: [86_400.0, 604_800, 25_200])
    func `a value at an unusual phase of a period is found`(period: Double) throws {
        // Five periods; a fifth of the samples is missing, and the night value is ordinary by day.
        let step = period / 288
        let noise = Self.noise(5 * 288, seed: 21)
        var series = Series()
        for index in 0..<(5 * 288) where index % 5 != 3 {
            let phase = Double(index % 288) / 288
            let value = index == 2 * 288 + 40 ? 20 : phase < 0.5 ? 10.0 : 20
            series.append(value + noise[index] / 10, at: Int64(Double(index) * step * 1e6))
        }
        let wanted = try #require(
            series.times.firstIndex { $0 >= Int64(Double(2 * 288 + 40) * step * 1e6) })
        let found = try #require(try AnomalyDetection(series, by: .seasonal))
        #expect(areClose(found.period, period, 0.02))
        #expect(found.strongest(1).map(\.index) == [wanted])
        #expect(try AnomalyDetection(series, by: .global)?.strongest(1).map(\.index) != [wanted])
        let given = try #require(try AnomalyDetection(series, by: .seasonal, period: period))
        #expect(given.period == period && given.strongest(1).map(\.index) == [wanted])
        let auto = try #require(try AnomalyDetection(series, by: .auto))
        #expect(auto.period == found.period)
        #expect(auto.strongest(1).map(\.index) == [wanted])
    }

    @Test func `a series that does not repeat has no period`() throws {
        for seed in 0..<10 as Range<UInt64> {
            let noise = Self.noise(3000, seed: seed)
            #expect(try SeasonalProfile.period(of: Self.series(noise)) == nil)
            #expect(try AnomalyDetection(Self.series(noise), by: .seasonal) == nil)
        }
        let slope = Self.series((0..<3000).map(Double.init))
        #expect(try SeasonalProfile.period(of: slope) == nil)
        #expect(try SeasonalProfile.period(of: Series()) == nil)
        let instant = Series(times: [5, 5, 5], values: [1, 2, 3])
        #expect(try SeasonalProfile.period(of: instant) == nil)
    }

    @Test func `noise has fewer events than numbers beyond three standard deviations`() throws {
        var (events, outliers) = (0, 0)
        for seed in 0..<10 as Range<UInt64> {
            let noise = Self.noise(4000, seed: seed)
            events += try #require(try AnomalyDetection(Self.series(noise), by: .auto)).items.count
            outliers += noise.count { abs($0) > 3 }
        }
        #expect(events < outliers)
    }

    @Test func `few samples are compared with all of them`() throws {
        var values = Self.noise(99, seed: 8)
        values[40] = 30
        let few = try #require(try AnomalyDetection(Self.series(values), by: .auto))
        #expect(few.method == .global)
        #expect(few == (try AnomalyDetection(Self.series(values), by: .global)))
        #expect(few.strongest(1).map(\.index) == [40])
        #expect(try AnomalyDetection(Self.series(values + [0]), by: .auto)?.method == .auto)
    }

    @Test func `a limit keeps the strongest anomalies in the order of time`() throws {
        var values = Self.noise(1000, seed: 2)
        for (index, value) in [(100, 30.0), (400, -50), (700, 40), (900, 20)] {
            values[index] = value
        }
        for method in [AnomalyDetection.Method.global, .auto] {
            let found = try #require(try AnomalyDetection(Self.series(values), by: method))
            #expect(found.strongest(3).map(\.index) == [100, 400, 700])
            #expect(found.strongest(0).isEmpty)
            #expect(found.strongest(.max) == found.items)
        }
    }

    @Test(arguments: AnomalyDetection.Method.allCases)
    func `values that are not finite are skipped, and huge ones do not trap`(
        method: AnomalyDetection.Method
    ) throws {
        var values = Self.noise(400, seed: 4)
        values[200] = 60
        let period = Self.period(method)
        let plain = try AnomalyDetection(Self.series(values), by: method, period: period)
        for place in [0, 150, 300] { values.insert(.nan, at: place) }
        values.append(.infinity)
        let gaps = try #require(
            try AnomalyDetection(Self.series(values), by: method, period: period))
        #expect(gaps.items.allSatisfy { values[$0.index].isFinite })
        #expect(gaps.items.isEmpty == plain?.items.isEmpty)
        let greatest = Double.greatestFiniteMagnitude
        let huge = (0..<400).map { [greatest, -greatest, 0, 1][$0 * $0 % 7 % 4] }
        let found = try AnomalyDetection(Self.series(huge), by: method, period: period)
        #expect(found?.items.allSatisfy { $0.score.isFinite } ?? true)
        let ends = Series(times: [.min, 0, .max], values: [1, 2, 900])
        for window in [4, 100_000] {
            for period in [nil, 1e-6, 1e300] {
                _ = try AnomalyDetection(ends, by: method, window: window, period: period)
            }
        }
    }
}
