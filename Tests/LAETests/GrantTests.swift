import Auth
import Foundation
import Samples
import Statistics
import TestSupport
import Testing

@testable import LAE
@testable import VM

/// The terms of a grant in every kind of query.
struct GrantTests {
    private let fixture: EngineFixture
    private static let now = EngineFixture.now.microseconds

    init() async throws {
        fixture = try await EngineFixture()
    }

    @Test func `the granted history limits every kind of query`() async throws {
        let start = Self.now - 60_000_000
        try await fixture.add([(start - 1, 1), (start, 2), (Self.now - 1, 3), (Self.now + 5, 4)])
        let grant = try await fixture.grant(Terms(access: .raw, history: .seconds(60)))
        for order in [SampleQuery.Order.ascending, .descending] {
            let found = try await fixture.pages(SampleSelection(order: order, limit: 1), grant)
            #expect(Set(found.map(\.sequence)) == [2, 3, 4])
        }
        #expect(try await fixture.stream(grant, groupSize: 2).map(\.sequence) == [2, 3, 4])
        for every in [nil, Duration.seconds(1)] {
            let table = try await fixture.engine.statistics(
                StatisticsQuery(fields: ["x"], statistics: [.minimum], every: every), for: grant)
            #expect(table.windows.compactMap(\.count).reduce(0, +) == 3)
            #expect(table.windows.compactMap { $0.values[0][0] }.min() == 2)
        }
        let narrow = try await fixture.grant(Terms(access: .raw, history: .microseconds(1)))
        #expect(try await fixture.engine.latest(for: narrow).samples.map(\.sequence) == [4])
        let past = SampleSelection(range: TimeRange(0, start))
        #expect(try await fixture.engine.samples(past, for: grant).samples.isEmpty)
    }

    @Test func `every kind of query returns rounded values only`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let numbers = (0..<200).map { _ in Double.random(in: -40...40, using: &random) }
        try await fixture.add(numbers.enumerated().map { (time: Int64($0), x: $1) })
        let grant = try await fixture.grant(Terms(access: .raw, precision: 2.5))
        var seen = try await fixture.pages(SampleSelection(limit: 7), grant).map(\.values)
        seen += try await fixture.pages(SampleSelection(order: .descending), grant).map(\.values)
        seen += try await fixture.stream(grant, groupSize: 9).map(\.values)
        seen += try await fixture.engine.latest(for: grant).samples.map(\.values)
        #expect(seen.count == 601)
        for values in seen { Self.expectOnGrid(values, 2.5, "seed \(seed)") }
        let table = try await fixture.engine.statistics(
            StatisticsQuery(
                fields: ["x"], statistics: [.minimum, .maximum, .first, .last],
                every: .microseconds(9)), for: grant)
        for window in table.windows {
            for number in window.values[0] {
                Self.expectOnGrid([.number(try #require(number))], 2.5, "seed \(seed)")
            }
        }
    }

    @Test func `conditions are applied to rounded values`() async throws {
        try await fixture.add([(1, 7.4), (2, 7.6), (3, 12.4)])
        let grant = try await fixture.grant(Terms(access: .raw, precision: 5))
        for (text, count) in [("x=5", 1), ("x=10", 2), ("x>7.5", 2), ("x>10", 0), ("x<7.5", 1)] {
            let condition = try Condition(parsing: text)
            let found = try await fixture.pages(SampleSelection(conditions: [condition]), grant)
            #expect(found.count == count, "\(text)")
            let table = try await fixture.engine.statistics(
                StatisticsQuery(conditions: [condition]), for: grant)
            #expect(table.windows.first?.count == count, "\(text)")
        }
    }

    @Test(
        arguments: [
            (0.3, 1, 0.0), (-0.3, 1, 0), (2.5, 5, 5), (-2.5, 5, -5), (1.7e308, 1e308, 1e308),
            (-1.7e308, 1e308, -1e308), (1e300, 1e-300, 1e300), (7, .greatestFiniteMagnitude, 0),
        ] as [(Double, Double, Double)])
    func `numbers are rounded to the nearest step`(
        number: Double, step: Double, expected: Double
    ) async throws {
        let terms = GrantTerms(
            try await fixture.grant(Terms(access: .raw, precision: step)), now: EngineFixture.now,
            cadence: .standard)
        let rounded = try #require(terms.reduced([.number(number)]).first?.double)
        #expect(rounded == expected)
        // The sign of zero would reveal the sign of the number.
        if expected == 0 { #expect(rounded.sign == .plus) }
    }

    @Test(
        arguments: [
            (7, 5, 5), (8, 5, 10), (-8, 5, -10), (3, 2.5, 3), (7, 0.1, 7), (.max, 1, .max),
            (.min, 1, .min), (9_007_199_254_740_993, 1, 9_007_199_254_740_993),
            (.max, 1000, 9_223_372_036_854_775_807 / 1000 * 1000), (.min, 3, .min + 2),
            (5, 1e300, 0), (.max, 9_223_372_036_854_774_784, 9_223_372_036_854_774_784),
        ] as [(Int64, Double, Int64)])
    func `integers are rounded exactly to whole steps`(
        integer: Int64, step: Double, expected: Int64
    ) async throws {
        let terms = GrantTerms(
            try await fixture.grant(Terms(access: .raw, precision: step)), now: EngineFixture.now,
            cadence: .standard)
        #expect(terms.reduced([.integer(integer)]) == [.integer(expected)])
    }

    @Test(arguments: [
        Terms(access: .raw, maximumRate: 0), Terms(access: .raw, maximumRate: -1),
        Terms(access: .raw, precision: 0), Terms(access: .raw, precision: -1),
        Terms(access: .raw, precision: .infinity), Terms(access: .raw, history: .seconds(-5)),
        Terms(access: .raw, history: .seconds(Int64.min)),
    ])
    func `a grant with invalid terms reveals no samples`(terms: Terms) async throws {
        try await fixture.add([(Self.now - 10_000_000, 1), (Self.now - 1, 2)])
        let grant = try await fixture.grant(terms)
        #expect(try await fixture.pages(SampleSelection(), grant).isEmpty)
        #expect(try await fixture.engine.latest(for: grant).samples.isEmpty)
        #expect(try await fixture.stream(grant, groupSize: 9).isEmpty)
        let table = try await fixture.engine.statistics(StatisticsQuery(), for: grant)
        #expect(table.windows.allSatisfy { $0.count == 0 })
    }

    @Test func `an expired grant reveals no samples`() async throws {
        let error = await #expect(throws: AuthError.self) {
            try await fixture.grant(Terms(access: .raw, expires: EngineFixture.now))
        }
        #expect(error?.code == .undecided)
        let later = EngineFixture.now.advanced(byMicroseconds: 1)
        await #expect(throws: Never.self) {
            try await fixture.grant(Terms(access: .raw, expires: later))
        }
    }

    @Test func `a grant with write access reveals no samples`() async throws {
        let grant = try await fixture.grant(Terms(access: .write))
        let attempts: [() async throws -> Void] = [
            { _ = try await fixture.engine.latest(for: grant) },
            { _ = try await fixture.engine.samples(SampleSelection(), for: grant) },
            { _ = try await fixture.engine.arrivals(after: 0, limit: 1, for: grant) },
            { _ = try await fixture.engine.statistics(StatisticsQuery(), for: grant) },
        ]
        for attempt in attempts {
            let error = await #expect(throws: LAEError.self) { try await attempt() }
            #expect(error?.code == .notGranted)
        }
    }

    private static func expectOnGrid(_ values: [Value], _ step: Double, _ comment: Comment) {
        for value in values {
            switch value {
            case .number(let number):
                #expect((number / step).rounded() * step == number, comment)
            case .integer(let integer):
                #expect(integer.isMultiple(of: Int64(step.rounded(.up))), comment)
            case .text: break
            }
        }
    }
}
