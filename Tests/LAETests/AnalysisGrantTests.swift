import Auth
import Foundation
import SampleStore
import Samples
import Statistics
import Testing

@testable import LAE
@testable import VM

/// The terms of grants in analyses.
struct AnalysisGrantTests {
    private let fixture: EngineFixture
    private let stats = Terms(access: .stats)
    private static let second: Int64 = 1_000_000

    init() async throws {
        fixture = try await EngineFixture()
    }

    private static let parameters: [String: [String: AnalysisParameter]] = [
        "k-means": ["k": .number(2)], "dbscan": ["epsilon": .number(1)],
    ]

    private static func inputs(_ name: String) -> [String] {
        name == "correlation" ? ["probe.x", "probe.n"] : ["probe.x"]
    }

    @Test(arguments: [
        "largest", "smallest", "rate", "resample", "downsample", "dbscan", "anomalies",
    ])
    func `an analysis that returns single samples is rejected under a statistics-only grant`(
        name: String
    ) async throws {
        try await fixture.add((0..<20).map { (time: $0, x: Double($0)) })
        let error = await #expect(throws: LAEError.self) {
            try await fixture.analyze(
                name, Self.parameters[name] ?? [:], of: ["probe.x"], every: .microseconds(1),
                terms: stats)
        }
        #expect(error?.code == .notGranted)
        #expect(error?.message.contains(name) == true)
        let entries = try await fixture.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(entries.isEmpty)
    }

    @Test(
        arguments: ["histogram", "entropy", "correlation", "trend", "k-means"],
        0...6 as ClosedRange<Int64>)
    func `fewer than five rows are suppressed`(name: String, count: Int64) async throws {
        try await fixture.add((0..<count).map { (time: $0, x: Double($0 * 10)) })
        let answer = try await fixture.analyze(
            name, Self.parameters[name] ?? [:], of: Self.inputs(name), terms: stats)
        #expect(answer.count == (count < 5 ? nil : Int(count)))
        #expect((answer.result != nil) == (count >= 5))
    }

    @Test func `bins with few samples are suppressed, and others that would reveal them`()
        async throws
    {
        let numbers = [0.0, 0, 0, 0, 0, 0, 0, 10, 20, 20, 20, 20, 20, 20]
        try await fixture.add(numbers.enumerated().map { (time: Int64($0), x: $1) })
        let answer = try await fixture.analyze(
            "histogram", ["bins": .number(3)], of: ["probe.x"], terms: stats)
        // The suppressed middle count would follow from the sum, so the smallest other is
        // suppressed, too.
        guard case .histogram(_, let counts) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(counts == [7, nil, nil])
    }

    @Test func `clusters with few points are suppressed`() async throws {
        try await fixture.add((0..<30).map { (time: $0, x: $0 < 28 ? Double($0 % 2) : 1e6) })
        let answer = try await fixture.analyze(
            "k-means", ["k": .number(2)], of: ["probe.x"], terms: stats)
        guard case .clusters(let clusters, let inertia) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(clusters.allSatisfy { $0.centre == nil && $0.count == nil })
        // Together with the sum of all squares it would reveal the centres.
        #expect(inertia == nil)
        let open = try await fixture.analyze("k-means", ["k": .number(2)], of: ["probe.x"])
        guard case .clusters(let all, let sum?) = open.result else {
            Issue.record("\(open)")
            return
        }
        #expect(Set(all.map(\.count)) == [2, 28] && sum > 0)
    }

    @Test func `a spectrum under a statistics-only grant averages at least five segments`()
        async throws
    {
        let times = (0..<640).map { $0 * 6 * Self.second }
        try await fixture.add(times.map { (time: $0, x: Double($0 / (60 * Self.second) % 4)) })
        for segment in [nil, 16, 64] as [Double?] {
            let answer = try await fixture.analyze(
                "spectrum", segment.map { ["segment": .number($0)] } ?? [:], of: ["probe.x"],
                every: .seconds(60), terms: stats)
            guard case .spectrum(let spectrum)? = answer.result else {
                Issue.record("\(answer)")
                continue
            }
            #expect(spectrum.segments >= 5)
        }
    }

    @Test func `a trend does not reveal the time of the first sample`() async throws {
        try await fixture.add((0..<9).map { (time: 1_234_567 + $0, x: Double($0)) })
        let open = try await fixture.analyze("trend", of: ["probe.x"], terms: stats)
        guard case .trend(let line)? = open.result else {
            Issue.record("\(open)")
            return
        }
        #expect(line.origin == nil && line.intercept == nil && line.slope > 0)
        let bounded = try await fixture.analyze(
            "trend", of: ["probe.x"], range: TimeRange(0, 2_000_000), terms: stats)
        guard case .trend(let other)? = bounded.result else {
            Issue.record("\(bounded)")
            return
        }
        #expect(other.origin == Timestamp(microseconds: 0) && other.intercept != nil)
    }

    @Test func `one statistics-only grant restricts the whole analysis to aggregates`() async throws
    {
        try await fixture.add((0..<4).map { (time: $0, x: Double($0)) })
        try await fixture.addOther((0..<4).map { (time: $0, y: Double($0)) })
        for (terms, other) in [(stats, Terms(access: .raw)), (Terms(access: .raw), stats)] {
            let answer = try await fixture.analyze(
                "correlation", of: ["probe.x", "other.y"], every: .seconds(60), terms: terms,
                otherTerms: other)
            #expect(answer.count == nil && answer.result == nil)
            let error = await #expect(throws: LAEError.self) {
                try await fixture.analyze(
                    "dbscan", ["epsilon": .number(1)], of: ["probe.x", "other.y"],
                    every: .seconds(60), terms: terms, otherTerms: other)
            }
            #expect(error?.code == .notGranted)
        }
    }

    @Test
    func `a condition on another sensor selects no single samples under a statistics-only grant`()
        async throws
    {
        let minute: Int64 = 60_000_000
        try await fixture.add((0..<400).map { (time: $0 * minute / 10, x: Double($0)) })
        try await fixture.addOther((0..<400).map { (time: $0 * minute / 10, y: Double($0 / 10)) })
        func analyze(_ conditions: [String], _ terms: Terms) async throws -> AnalysisAnswer {
            try await fixture.analyze(
                "correlation", of: ["probe.x", "other.y"], conditions: conditions,
                every: .seconds(60), terms: terms)
        }
        #expect(try await analyze([], stats).count == 40)
        #expect(try await analyze(["other.y<7"], Terms(access: .raw)).count == 7)
        let error = await #expect(throws: LAEError.self) {
            try await analyze(["other.y<7"], stats)
        }
        #expect(error?.code == .notGranted)
    }

    @Test(arguments: [false, true])
    func `a published series is not combined with a statistics-only grant`(
        isDerived: Bool
    ) async throws {
        let published: SensorID = "own"
        let fields = [Field("y")]
        _ = try await fixture.machine.declare(
            Sensor(id: published, title: "Own", fields: fields, source: "a test"))
        let samples = (0..<40).map { (time: $0, y: Double($0)) } as [(time: Int64, y: Double)]
        try await fixture.add(samples.map { (time: $0.time, x: $0.y) })
        try await fixture.machine.samples.store.append(
            samples.map {
                Sample(time: Timestamp(microseconds: $0.time), values: [.number($0.y)])
            }, to: published)
        var name = "own.y"
        if isDerived {
            let derivation = Derivation(
                inputs: [name], window: "1s", outputs: [Derivation.Output(name: "y", by: "mean")])
            _ = try await fixture.machine.declare(
                Sensor(
                    id: "made", title: "Made", fields: fields, source: "a test",
                    cadence: try #require(Cadence(derivation)), derivation: derivation))
            name = "made.y"
        }
        let inputs = [try FieldReference(parsing: "probe.x"), try FieldReference(parsing: name)]
        let request = AnalysisRequest(
            try Analysis("correlation"), of: inputs, every: .seconds(1))
        func analyze(_ terms: Terms) async throws -> AnalysisAnswer {
            let grants = [
                try await fixture.grant(terms),
                try await fixture.grant(Terms(access: .raw), to: inputs[1].sensor),
            ]
            return try await fixture.engine.analyze(request, grants: grants)
        }
        if !isDerived { #expect(try await analyze(Terms(access: .raw)).count == 1) }
        let error = await #expect(throws: LAEError.self) { try await analyze(stats) }
        #expect(error?.code == .notGranted)
        #expect(error?.message.contains("by publishing") == true)
    }

    @Test func `every sensor needs its own grant to read`() async throws {
        let request = AnalysisRequest(
            try Analysis("correlation"),
            of: [try FieldReference(parsing: "probe.x"), try FieldReference(parsing: "other.y")],
            every: .seconds(1))
        let probe = try await fixture.grant()
        for grants in [[], [probe], [probe, probe]] {
            let error = await #expect(throws: LAEError.self) {
                try await fixture.engine.analyze(request, grants: grants)
            }
            #expect(error?.code == .notGranted)
        }
        let write = try await fixture.grant(Terms(access: .write), to: EngineFixture.other)
        let error = await #expect(throws: LAEError.self) {
            try await fixture.engine.analyze(request, grants: [probe, write])
        }
        #expect(error?.code == .notGranted)
        let entries = try await fixture.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(entries.isEmpty)
    }

    @Test func `rate, precision and history apply to analyses`() async throws {
        let now = EngineFixture.now.microseconds
        try await fixture.add((0..<100).map { (time: now - 100_000_000 + $0 * 1_000_000, x: 7.4) })
        func values(_ terms: Terms) async throws -> [Double] {
            let answer = try await fixture.analyze(
                "largest", ["k": .number(1000)], of: ["probe.x"], terms: terms)
            guard case .items(let items)? = answer.result else { return [] }
            return items.map(\.value)
        }
        #expect(try await values(Terms(access: .raw)).count == 100)
        #expect(try await values(Terms(access: .raw, maximumRate: 0.1)).count == 10)
        #expect(try await values(Terms(access: .raw, history: .seconds(30))).count == 30)
        #expect(Set(try await values(Terms(access: .raw, precision: 5))) == [5])
        #expect(try await values(Terms(access: .raw, maximumRate: 0)).isEmpty)
    }

    @Test func `each sensor of an analysis is in the access log`() async throws {
        try await fixture.add((0..<7).map { (time: $0, x: Double($0)) })
        try await fixture.addOther((0..<9).map { (time: $0, y: Double($0)) })
        let range = TimeRange(0, 8)
        _ = try await fixture.analyze(
            "correlation", of: ["probe.x", "other.y"], range: range,
            join: .nearest(within: .zero))
        _ = try await fixture.analyze("largest", of: ["probe.x"])
        let lines = try await fixture.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(lines.map(\.operation) == ["analyze", "analyze", "analyze"])
        #expect(
            lines.map(\.sensor) == [
                EngineFixture.sensor, EngineFixture.other, EngineFixture.sensor,
            ])
        #expect(lines.map(\.access) == [.raw, .stats, .stats])
        #expect(lines.map(\.count) == [7, 8, 7])
        #expect(lines.map(\.range) == [.all, range, range])
    }

    @Test func `a cancelled task stops reading`() async throws {
        try await fixture.add((0..<10).map { (time: $0, x: Double($0)) })
        let grant = try await fixture.grant()
        let request = AnalysisRequest(
            try Analysis("trend"), of: [try FieldReference(parsing: "probe.x")])
        let task = Task { [engine = fixture.engine] in
            while !Task.isCancelled { await Task.yield() }
            return try await engine.analyze(request, grants: [grant])
        }
        task.cancel()
        let error = await #expect(throws: LAEError.self) { try await task.value }
        #expect(error?.cause is CancellationError)
        let lines = try await fixture.authority.log.entries(
            AccessLogQuery(client: "reader", kind: .access))
        #expect(lines.isEmpty)
    }
}
