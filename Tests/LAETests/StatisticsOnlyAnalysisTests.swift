import Auth
import Samples
import Statistics
import Testing

@testable import LAE

/// Analyses under statistics-only grants, which use whole cells.
struct StatisticsOnlyAnalysisTests {
    private let fixture: EngineFixture
    private let stats = Terms(access: .stats)
    private static let second: Int64 = 1_000_000

    init() async throws {
        fixture = try await EngineFixture()
    }

    @Test(arguments: 0...6 as ClosedRange<Int64>)
    func `fewer than six windows have no spectrum`(count: Int64) async throws {
        try await fixture.add(
            (0..<count * 5).map { (time: $0 * 12 * Self.second, x: Double($0 / 5 % 2)) })
        let answer = try await fixture.analyze(
            "spectrum", of: ["probe.x"], every: .seconds(60), terms: stats)
        #expect(answer.count == (count < 5 ? nil : Int(count)))
        #expect((answer.result != nil) == (count == 6))
    }

    @Test(arguments: [(nil, 1), (0, 7), (1, 7), (59, 60), (30, 1)] as [(Int64?, Int64)])
    func `windows are widened to whole cells`(
        from: Int64?, every: Int64
    ) async throws {
        try await fixture.add((0..<600).map { (time: $0 * Self.second, x: Double($0 * $0 % 997)) })
        func analyze(_ from: Int64?, _ every: Int64) async throws -> AnalysisAnswer {
            let start = from.map { $0 * Self.second } ?? .min
            return try await fixture.analyze(
                "k-means", ["k": .number(1)], of: ["probe.x"],
                range: TimeRange(start, 600 * Self.second), every: .seconds(every),
                terms: stats)
        }
        let minutes = try await analyze(0, 60)
        #expect(minutes.count == 10)
        let answer = try await analyze(from, every)
        #expect(answer.count == 10 && answer.result == minutes.result)
        #expect(try await analyze(from, 61).count == 5)
    }

    @Test func `a window without a dense cell has no mean`() async throws {
        try await fixture.add((0..<420).map { (time: $0 * Self.second, x: 1) })
        try await fixture.add((420..<424).map { (time: $0 * Self.second, x: 1000) })
        let answer = try await fixture.analyze(
            "k-means", ["k": .number(1)], of: ["probe.x"], every: .seconds(60), terms: stats)
        #expect(answer.count == 7)
        guard case .clusters(let clusters, _)? = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(clusters.map(\.centre) == [[1]])
    }

    @Test(
        arguments: [.nearest(within: .zero), .last(within: .seconds(1))]
            as [AnalysisRequest.Join])
    func `the times of another sensor select no samples under a statistics-only grant`(
        join: AnalysisRequest.Join
    ) async throws {
        try await fixture.add((0..<600).map { (time: $0 * 1_000_000, x: Double($0)) })
        try await fixture.addOther((0..<600).map { (time: $0 * 1_000_000, y: Double($0)) })
        func analyze(_ terms: Terms, _ otherTerms: Terms) async throws -> AnalysisAnswer {
            try await fixture.analyze(
                "correlation", of: ["other.y", "probe.x"], join: join, terms: terms,
                otherTerms: otherTerms)
        }
        let raw = Terms(access: .raw)
        #expect(try await analyze(raw, raw).count == 600)
        for (terms, otherTerms) in [(stats, raw), (raw, stats), (stats, stats)] {
            let error = await #expect(throws: LAEError.self) {
                try await analyze(terms, otherTerms)
            }
            #expect(error?.code == .notGranted)
            #expect(error?.hint?.contains("every") == true)
        }
    }

    @Test func `the range of another sensor is widened to whole cells, too`() async throws {
        try await fixture.add((0..<900).map { (time: $0 * Self.second, x: Double($0)) })
        try await fixture.addOther((0..<900).map { (time: $0 * Self.second, y: Double($0)) })
        func analyze(_ range: TimeRange) async throws -> AnalysisAnswer {
            try await fixture.analyze(
                "k-means", ["k": .number(1)], of: ["other.y", "probe.x"], range: range,
                every: .seconds(60), terms: stats)
        }
        let whole = try await analyze(TimeRange(60 * Self.second, 600 * Self.second))
        #expect(whole.count == 9)
        for cut in [1, 30, 59] as [Int64] {
            let part = try await analyze(
                TimeRange((60 + cut) * Self.second, (600 - cut) * Self.second))
            #expect(part.count == whole.count && part.result == whole.result, "\(cut) s")
        }
    }

    @Test func `a histogram is no more precise than percentiles`() async throws {
        // Numbers that differ by less than 1 %, between two distant ones.
        let middle = QuantileSketch.rounded(100)
        let numbers = [0] + (0..<58).map { middle * (1 + Double($0 - 29) / 10_000) } + [1000]
        try await fixture.add(numbers.enumerated().map { (time: Int64($0) * Self.second, x: $1) })
        func counts(_ terms: Terms) async throws -> Set<[Int?]> {
            var seen: Set<[Int?]> = []
            for end in numbers.dropFirst() where end != middle {
                let answer = try await fixture.analyze(
                    "histogram", ["bins": .number(1), "min": .number(-1), "max": .number(end)],
                    of: ["probe.x"], terms: terms)
                guard case .histogram(_, let counts)? = answer.result else { continue }
                seen.insert(counts)
            }
            return seen
        }
        #expect(try await counts(Terms(access: .raw)).count == 58)
        #expect(try await counts(stats) == [[nil], [59], [60]])
    }

    @Test(
        arguments: [
            ("histogram", ["bins": .number(1000)]), ("entropy", ["bins": .number(1000)]),
            ("k-means", ["k": .number(1)]), ("k-means", ["k": .number(3), "scale": .flag(false)]),
        ] as [(String, [String: AnalysisParameter])])
    func `differences below the precision of percentiles change no answer`(
        name: String, parameters: [String: AnalysisParameter]
    ) async throws {
        let middle = QuantileSketch.rounded(100)
        for (minute, shift) in [-0.009, 0.001, 0.009].enumerated() {
            let start = Int64(minute) * 60 * Self.second
            let numbers = [0, middle, middle * (1 + shift), 1000]
            try await fixture.add(
                (0..<24).map { (time: start + $0 * Self.second, x: numbers[Int($0) / 6]) })
        }
        func answers(_ terms: Terms) async throws -> Set<AnalysisResult?> {
            var results: Set<AnalysisResult?> = []
            for minute in 0..<3 as Range<Int64> {
                let start = minute * 60 * Self.second
                let range = TimeRange(start, start + 60 * Self.second)
                results.insert(
                    try await fixture.analyze(
                        name, parameters, of: ["probe.x"], range: range, terms: terms
                    ).result)
            }
            return results
        }
        #expect(try await answers(stats).count == 1)
        #expect(try await answers(Terms(access: .raw)).count > 1)
    }

    @Test func `ranks are computed from windows only`() async throws {
        try await fixture.add((0..<600).map { (time: $0 * Self.second, x: Double($0 * $0 % 997)) })
        for (every, terms) in [(nil, Terms(access: .raw)), (nil, stats), (.seconds(60), stats)]
            as [(Duration?, Terms)]
        {
            let answer = try await fixture.analyze(
                "correlation", of: ["probe.x", "probe.n"], every: every, terms: terms)
            guard case .correlation(let pairs)? = answer.result, let pair = pairs.first else {
                Issue.record("\(answer)")
                return
            }
            #expect(pair.pearson != nil && pair.covariance != nil)
            #expect((pair.spearman == nil) == (every == nil && terms == stats))
        }
    }

    @Test func `the cells of a virtual sensor follow its cadence`() async throws {
        try await fixture.add((0..<3600).map { (time: $0 * Self.second, x: Double($0 % 100)) })
        try await fixture.define(window: "20s", [("strength", by: "mean", of: ["probe.x"])])
        let grant = try await fixture.grant(stats, to: EngineFixture.shake)
        let query = StatisticsQuery(
            range: TimeRange(700 * Self.second, 1300 * Self.second), every: .seconds(1))
        let table = try await fixture.engine.statistics(query, for: grant)
        // At one sample every 20 s, a cell is ten minutes long.
        let width = 600 * Self.second
        #expect(
            table.windows.map(\.range) == [
                TimeRange(width, 2 * width), TimeRange(2 * width, 3 * width),
            ])
        #expect(table.windows.map(\.count) == [30, 30])
        let request = AnalysisRequest(
            try Analysis("histogram"), of: [try FieldReference(parsing: "virtual.shake.strength")],
            range: query.range)
        #expect(try await fixture.engine.analyze(request, grants: [grant]).count == 60)
    }
}
