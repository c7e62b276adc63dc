import Auth
import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import LAE

/// Results of analyses of stored samples; the mathematics is tested in StatisticsTests.
struct AnalysisTests {
    private let fixture: EngineFixture

    init() async throws {
        fixture = try await EngineFixture()
    }

    private func fill(_ numbers: [Double], every step: Int64 = 1_000_000) async throws {
        try await fixture.add(numbers.enumerated().map { (time: Int64($0) * step, x: $1) })
    }

    @Test func `a histogram counts every sample`() async throws {
        try await fill([0, 1, 2, 3, 10])
        let answer = try await fixture.analyze("histogram", ["bins": .number(2)], of: ["probe.x"])
        #expect(answer.count == 5)
        #expect(answer.fields.map(\.name) == ["x"])
        #expect(answer.result == .histogram(edges: [0, 5, 10], counts: [4, 1]))
        let span = try await fixture.analyze(
            "histogram", ["bins": .number(1), "min": .number(1), "max": .number(2)],
            of: ["probe.x"])
        #expect(span.result == .histogram(edges: [1, 2], counts: [2]))
        guard
            case .histogram(_, let counts) = try await fixture.analyze("histogram", of: ["probe.x"])
                .result
        else {
            Issue.record("no histogram")
            return
        }
        #expect(counts.compactMap(\.self).reduce(0, +) == 5)
    }

    @Test func `entropy is computed from states or from bins`() async throws {
        try await fill([-1, 2, 3, -4])
        #expect(
            try await fixture.analyze("entropy", of: ["probe.state"]).result
                == .entropy(bits: 1, outcomes: 2))
        #expect(
            try await fixture.analyze("entropy", ["bins": .number(1)], of: ["probe.x"]).result
                == .entropy(bits: 0, outcomes: 1))
    }

    @Test func `the largest and smallest values have their times`() async throws {
        try await fill([5, -2, 5, 9])
        let largest = try await fixture.analyze("largest", ["k": .number(3)], of: ["probe.x"])
        #expect(
            largest.result
                == .items([
                    .init(time: Timestamp(microseconds: 3_000_000), value: 9),
                    .init(time: Timestamp(microseconds: 0), value: 5),
                    .init(time: Timestamp(microseconds: 2_000_000), value: 5),
                ]))
        let smallest = try await fixture.analyze("smallest", ["k": .number(1)], of: ["probe.n"])
        #expect(
            smallest.result == .items([.init(time: Timestamp(microseconds: 0), value: 0)]))
    }

    @Test func `fields of one sensor are paired sample by sample`() async throws {
        try await fill([10, 20, 30, 50])
        let answer = try await fixture.analyze("correlation", of: ["probe.n", "probe.x"])
        guard case .correlation(let pairs) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(pairs.map(\.x.description) == ["probe.n"])
        #expect(pairs.map(\.y.description) == ["probe.x"])
        #expect(areClose(pairs[0].pearson, 1, 1e-14) && areClose(pairs[0].spearman, 1, 1e-14))
        #expect(areClose(pairs[0].covariance, 875 / 3 / 10, 1e-14))
    }

    @Test func `sensors with different times are joined or averaged in windows`() async throws {
        try await fixture.add([(0, 1), (100, 2), (200, 3), (300, 9)])
        try await fixture.addOther([(10, 10), (90, 20), (205, 30)])
        let inputs = ["other.y", "probe.x", "probe.n"]
        let near = try await fixture.analyze(
            "correlation", of: inputs, join: .nearest(within: .microseconds(10)))
        #expect(near.count == 3)
        guard case .correlation(let pairs) = near.result else {
            Issue.record("\(near)")
            return
        }
        #expect(
            pairs.map { "\($0.x) \($0.y)" } == [
                "other.y probe.x", "other.y probe.n", "probe.x probe.n",
            ])
        #expect(areClose(pairs[0].pearson, 1, 1e-14))
        #expect(pairs.dropFirst().map(\.pearson) == [nil, nil])
        let last = try await fixture.analyze(
            "correlation", of: inputs, join: .last(within: .microseconds(10)))
        #expect(last.count == 2)
        let windows = try await fixture.analyze(
            "correlation", of: inputs, range: TimeRange(0, 400), every: .microseconds(100))
        #expect(windows.count == 2)
        let error = await #expect(throws: LAEError.self) {
            try await fixture.analyze("correlation", of: inputs)
        }
        #expect(error?.code == .invalidAnalysis && error?.hint != nil)
    }

    @Test func `a trend is a line from the start of the range`() async throws {
        try await fill([1, 3, 5, 7])
        let open = try await fixture.analyze("trend", of: ["probe.x"])
        #expect(
            open.result
                == .trend(
                    .init(
                        slope: 2, intercept: 1, origin: Timestamp(microseconds: 0), rSquared: 1,
                        standardError: 0)))
        let bounded = try await fixture.analyze(
            "trend", of: ["probe.x"], range: TimeRange(-1_000_000, 2_500_000))
        #expect(
            bounded.result
                == .trend(
                    .init(
                        slope: 2, intercept: -1, origin: Timestamp(microseconds: -1_000_000),
                        rSquared: 1, standardError: 0)))
    }

    @Test func `resampling, rates and downsampling keep times`() async throws {
        try await fill([0, 4, 8, 2])
        let cells = try await fixture.analyze(
            "resample", ["method": .text("linear")], of: ["probe.x"], every: .milliseconds(500))
        guard case .cells(let found) = cells.result else {
            Issue.record("\(cells)")
            return
        }
        #expect(found.map(\.value) == [0, 2, 4, 6, 8, 5, 2])
        #expect(found.map(\.time.microseconds) == (0...6).map { $0 * 500_000 })
        let rate = try await fixture.analyze("rate", of: ["probe.x"])
        guard case .items(let rates) = rate.result else {
            Issue.record("\(rate)")
            return
        }
        #expect(rates.map(\.value) == [4, 4, -6])
        let few = try await fixture.analyze("downsample", ["points": .number(3)], of: ["probe.x"])
        guard case .items(let points) = few.result else {
            Issue.record("\(few)")
            return
        }
        #expect(points.map(\.value) == [0, 8, 2])
    }

    @Test func `a spectrum has its peak at the frequency of the oscillation`() async throws {
        try await fill((0..<512).map { sin(2 * .pi * Double($0) / 8) }, every: 100_000)
        // A gap of two windows, and one sample too many.
        try await fixture.add([(52_000_000, 0), (52_000_001, 0)])
        let answer = try await fixture.analyze(
            "spectrum", ["segment": .number(128)], of: ["probe.x"], every: .milliseconds(100))
        guard case .spectrum(let spectrum) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(spectrum.filled == 8)
        #expect(spectrum.segments == 7)
        let peak = spectrum.densities.indices.max {
            spectrum.densities[$0] < spectrum.densities[$1]
        }
        #expect(spectrum.frequencies[try #require(peak)] == 1.25)
        let sparse = await #expect(throws: LAEError.self) {
            try await fixture.analyze("spectrum", of: ["probe.x"], every: .milliseconds(10))
        }
        #expect(sparse?.code == .invalidAnalysis)
    }

    @Test func `cluster centres are in the units of the fields`() async throws {
        try await fill((0..<20).map { $0 % 2 == 0 ? 100 + Double($0) : -5000 })
        let answer = try await fixture.analyze(
            "k-means", ["k": .number(2), "seed": .number(4)], of: ["probe.x", "probe.n"])
        guard case .clusters(let clusters, let inertia) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        let low = try #require(clusters.first { $0.centre.map { $0[0] < 0 } == true })
        #expect(areClose(low.centre ?? [], [-5000, -500], 1e-12))
        #expect(clusters.map(\.count) == [10, 10])
        #expect(inertia?.isFinite == true)
        let density = try await fixture.analyze(
            "dbscan", ["epsilon": .number(3), "minimum": .number(2), "scale": .flag(false)],
            of: ["probe.x"])
        guard case .density(let found) = density.result else {
            Issue.record("\(density)")
            return
        }
        #expect(found.sizes == [10, 10])
        #expect(found.labels == (0..<20).map { $0 % 2 })
        #expect(found.times.count == 20)
    }

    @Test func `anomalies are found`() async throws {
        try await fill([1, 2, 3, 2, 1, 2, 50, 3, 60])
        let answer = try await fixture.analyze("anomalies", ["limit": .number(1)], of: ["probe.x"])
        guard case .anomalies(let found) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(found.median == 2 && found.deviation == 1 && found.count == 2)
        #expect(found.method == .global && found.period == nil)
        #expect(found.items.map(\.value) == [60])
        #expect(found.items.map(\.score) == [0.6745 * 58])
    }

    @Test(arguments: AnomalyDetection.Method.allCases)
    func `a method of anomalies finds what is unusual for it`(
        method: AnomalyDetection.Method
    ) async throws {
        // A square wave with a period of 40 seconds, a spike, and 40 seconds later another level.
        let values = (0..<400).map { index -> Double in
            guard index != 203 else { return 90 }
            let wave = Double(index / 20 % 2) + Double(index % 3) / 100
            return index < 240 ? wave : wave + 30
        }
        try await fill(values)
        var parameters: [String: AnalysisParameter] = ["method": .text(method.rawValue)]
        if method == .seasonal { parameters["period"] = .text("40s") }
        let answer = try await fixture.analyze("anomalies", parameters, of: ["probe.x"])
        guard case .anomalies(let found) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(found.method == method)
        #expect(found.period == (method == .seasonal ? 40 : nil))
        #expect(found.count >= found.items.count)
        let times = found.items.map(\.time.microseconds)
        #expect(times == times.sorted())
        switch method {
        case .change: #expect(times.contains(240_000_000))
        case .auto, .rolling: #expect(times.contains(203_000_000))
        // More than a third of the values are at another level.
        case .global, .seasonal: #expect(found.items.allSatisfy { $0.score.isFinite })
        }
    }

    @Test func `a series without a period is an error of the method seasonal only`() async throws {
        try await fill([1, 5, 2, 8, 3, 9, 1, 4])
        let error = await #expect(throws: LAEError.self) {
            try await fixture.analyze(
                "anomalies", ["method": .text("seasonal")], of: ["probe.x"])
        }
        #expect(error?.code == .invalidAnalysis)
        #expect(error?.hint?.contains("period") == true)
    }

    @Test(arguments: Analysis.names)
    func `analyses of no samples do not trap`(name: String) async throws {
        let parameters: [String: [String: AnalysisParameter]] = [
            "k-means": ["k": .number(3)], "dbscan": ["epsilon": .number(1)],
        ]
        let inputs = name == "correlation" ? ["probe.x", "probe.n"] : ["probe.x"]
        let needsSpan = ["resample", "spectrum"].contains(name)
        for numbers in [[], [4.0], [4, 4], [1e308, -1e308, 1e308, 0, 1e308, -1e308]] {
            let fixture = try await EngineFixture()
            try await fixture.add(numbers.enumerated().map { (time: Int64($0), x: $1 / 1e300) })
            let answer = try await fixture.analyze(
                name, parameters[name] ?? [:], of: inputs,
                every: needsSpan ? .microseconds(1) : nil)
            #expect(answer.count == numbers.count)
        }
    }

    @Test func `conditions and ranges select samples`() async throws {
        try await fill([-3, 1, 2, 40, 41])
        try await fixture.addOther([(0, 1), (1_000_000, 2), (3_000_000, 3)])
        let warm = try await fixture.analyze(
            "largest", of: ["probe.x"], range: TimeRange(0, 4_000_000),
            conditions: ["state=warm", "probe.x<40"])
        #expect(warm.count == 2)
        let both = try await fixture.analyze(
            "correlation", of: ["probe.x", "other.y"], conditions: ["other.y>1", "probe.x>0"],
            join: .nearest(within: .zero))
        #expect(both.count == 2)
        for condition in ["y>1", "third.y>1"] {
            let error = await #expect(throws: LAEError.self) {
                try await fixture.analyze(
                    "correlation", of: ["probe.x", "other.y"], conditions: [condition],
                    join: .nearest(within: .zero))
            }
            #expect(error?.code == .invalidAnalysis)
        }
    }

    @Test func `too many samples are rejected, and means of windows are not`() async throws {
        let count = Analysis.answerLimit
        let step: Int64 = 10
        for start in stride(from: 0, to: count, by: 20_000) {
            try await fixture.add(
                (start..<min(start + 20_000, count)).map { (time: Int64($0) * step, x: 1) })
        }
        #expect(try await fixture.analyze("rate", of: ["probe.x"]).count == count)
        try await fixture.add([(Int64(count) * step, 1)])
        let error = await #expect(throws: LAEError.self) {
            try await fixture.analyze("rate", of: ["probe.x"])
        }
        #expect(error?.code == .tooManyRows)
        #expect(error?.hint?.contains("every") == true)
        let means = try await fixture.analyze("rate", of: ["probe.x"], every: .microseconds(1000))
        #expect(means.count == count / 100 + 1)
        let cells = await #expect(throws: LAEError.self) {
            try await fixture.analyze("resample", of: ["probe.x"], every: .microseconds(1))
        }
        #expect(cells?.code == .tooManyRows)
    }
}
