import Foundation
import Samples
import TestSupport
import Testing

@testable import Dialects

/// A source whose values are computed by plain loops over all samples.
private struct NaiveSource: SeriesSource {
    let samples: [(series: MetricSeries, points: [(time: Int64, value: Double)])]

    func series(matching matchers: [LabelMatcher]) -> [MetricSeries] {
        samples.map(\.series).filter { matchers.match($0.labels) }
    }

    func values(
        of function: RangeFunction, _ series: [MetricSeries], window: Int64?,
        at times: EvaluationTimes
    ) -> [[Double?]] {
        series.map { series in
            let points = samples.first { $0.series == series }?.points ?? []
            return (0..<times.count).map { index in
                let end = times.time(index).microseconds
                let values = points.filter {
                    $0.time > end - (window ?? 300_000_000) && $0.time <= end
                }.map(\.value)
                guard let last = values.last else { return nil }
                return switch function {
                case .average: values.reduce(0, +) / Double(values.count)
                case .sum: values.reduce(0, +)
                case .count: Double(values.count)
                default: last
                }
            }
        }
    }

    func samples(of series: [MetricSeries], in range: TimeRange) -> [SeriesSamples] {
        series.map { series in
            let points = (samples.first { $0.series == series }?.points ?? []).filter {
                range.contains(Timestamp(microseconds: $0.time))
            }
            return SeriesSamples(
                times: points.map { Timestamp(microseconds: $0.time) }, values: points.map(\.value))
        }
    }
}

struct QueryEvaluationTests {
    private static let eth = MetricSeries(Field("rxRate", unit: "By/s"), of: "network.eth0")
    private static let wlan = MetricSeries(Field("rxRate", unit: "By/s"), of: "network.wlan0")
    private static let name = "sensor_network_rx_rate_bytes_per_second"

    /// `eth0` has 1, 2, 3 … and `wlan0` 10, 20, 30 … every 10 s.
    private static let source = NaiveSource(samples: [
        (eth, (1...100).map { ($0 * 10_000_000, Double($0)) }),
        (wlan, (1...100).map { ($0 * 10_000_000, Double($0 * 10)) }),
    ])

    private static func vector(_ query: String, at seconds: Int64) async throws -> [ResultSeries] {
        let times = EvaluationTimes(at: Timestamp(microseconds: seconds * 1_000_000))
        let result = try await QueryEvaluation(of: source, at: times)
            .result(of: QueryParser.parse(query))
        guard case .vector(let vector) = result else { return [] }
        return vector
    }

    @Test(arguments: [
        (name, [5.0, 50]), ("\(name){sensor=\"network.eth0\"}", [5]),
        ("\(name){sensor=~\"network.w.*\"}", [50]), ("\(name){sensor!=\"network.eth0\"}", [50]),
        ("{field=\"rxRate\",sensor!~\".*eth.*\"}", [50]), ("\(name) * 2", [10, 100]),
        ("100 - \(name)", [95, 50]), ("-\(name)", [-5, -50]), ("\(name) > 7", [50]),
        ("7 > \(name)", [5]), ("\(name) > bool 7", [0, 1]), ("sum(\(name))", [55]),
        ("avg(\(name)) by (field)", [27.5]), ("max without (sensor) (\(name))", [50]),
        ("min(\(name))", [5]), ("count(\(name) > 0)", [2]),
        ("avg_over_time(\(name)[20s])", [4.5, 45]), ("\(name) offset 20s", [3, 30]),
        ("sum_over_time(\(name)[20s] offset 20s)", [5, 50]), ("\(name)_other", []),
        ("rate(\(name)[40s])", [0.1, 1]), ("increase(\(name)[40s])", [4, 40]),
        ("delta(\(name)[40s])", [4, 40]), ("(1 + 1) * \(name)", [10, 100]),
        ("\(name) ^ 2", [25, 2500]), ("\(name) / 0", [.infinity, .infinity]),
    ])
    func `a query has the values that Prometheus defines`(
        query: String, expected: [Double]
    ) async throws {
        let found = try await Self.vector(query, at: 50)
        #expect(found.count == expected.count)
        for (series, value) in zip(found, expected) {
            let number = try #require(series.values[0])
            #expect(number == value || abs(number - value) < 1e-9, "\(number) is not \(value)")
        }
    }

    @Test func `only the values of a metric keep its name`() async throws {
        for query in [Self.name, "\(Self.name) > 1", "last_over_time(\(Self.name)[1m])"] {
            let found = try await Self.vector(query, at: 50)
            #expect(found.allSatisfy { $0.labels["__name__"] == Self.name }, "\(query)")
        }
        for query in [
            "-\(Self.name)", "\(Self.name) + 1", "rate(\(Self.name)[1m])", "sum(\(Self.name))",
        ] {
            let found = try await Self.vector(query, at: 50)
            #expect(!found.isEmpty && found.allSatisfy { $0.labels["__name__"] == nil }, "\(query)")
        }
    }

    /// The definition, sample by sample.
    @Test func `rates of counters add resets and are extrapolated like those of plain loops`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<50 {
            var (time, value) = (Int64(0), 0.0)
            let points = (0..<60).map { _ -> (time: Int64, value: Double) in
                time += Int64.random(in: 1...20_000_000, using: &random)
                value =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? 0 : value + Double.random(in: 0...9, using: &random)
                return (time, value)
            }
            let window = Int64.random(in: 5_000_000...200_000_000, using: &random)
            let times = try EvaluationTimes(
                from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 600_000_000),
                every: Int64.random(in: 1_000_000...60_000_000, using: &random))
            let samples = SeriesSamples(
                times: points.map { Timestamp(microseconds: $0.time) }, values: points.map(\.value))
            let found = RateComputation(samples, .increase).values(window: window, at: times)
            for index in 0..<times.count {
                let end = times.time(index).microseconds
                let own = points.filter { $0.time > end - window && $0.time <= end }
                let expected = Self.increase(own, from: end - window, to: end)
                #expect((found[index] == nil) == (expected == nil), "seed \(seed)")
                if let one = found[index], let other = expected {
                    #expect(abs(one - other) <= 1e-9 * max(1, abs(other)), "seed \(seed)")
                }
            }
        }
    }

    private static func increase(
        _ points: [(time: Int64, value: Double)], from: Int64, to: Int64
    ) -> Double? {
        guard let first = points.first, let last = points.last, last.time > first.time else {
            return nil
        }
        var growth = last.value - first.value
        for (one, next) in zip(points, points.dropFirst()) where next.value < one.value {
            growth += one.value
        }
        func seconds(_ from: Int64, _ to: Int64) -> Double { Double(to - from) / 1e6 }
        let sampled = seconds(first.time, last.time)
        let mean = sampled / Double(points.count - 1)
        var before = seconds(from, first.time)
        if growth > 0 { before = min(before, sampled * first.value / growth) }
        let after = seconds(last.time, to)
        let start = before < mean * 1.1 ? before : mean / 2
        let end = after < mean * 1.1 ? after : mean / 2
        return growth * (sampled + start + end) / sampled
    }

    @Test func `the numbers of steps and of values are limited`() throws {
        let day = Timestamp(microseconds: 86_400_000_000)
        #expect(throws: PrometheusError.self) {
            try EvaluationTimes(from: .init(microseconds: 0), to: day, every: 1_000_000)
        }
        for step in [0, -1] as [Int64] {
            #expect(throws: PrometheusError.self) {
                try EvaluationTimes(from: .init(microseconds: 0), to: day, every: step)
            }
        }
        #expect(throws: PrometheusError.self) {
            try EvaluationTimes(from: day, to: .init(microseconds: 0), every: 1_000_000)
        }
        #expect(throws: PrometheusError.self) {
            try EvaluationTimes(from: .distantPast, to: .distantFuture, every: .max)
        }
        let times = try EvaluationTimes(from: .init(microseconds: 0), to: day, every: 3_600_000_000)
        #expect(times.count == 25)
    }
}
