import Foundation
import Samples
import Testing

@testable import Statistics

/// Statistics against exact fractions and NumPy, written by `Fixtures/make_fixtures.py`.
struct ReferenceTests {
    struct Fixture: Decodable, CustomTestStringConvertible {
        let name: String
        let values: [Double]
        let whole: [String: Double?]
        let width: Int
        let windows: [[String: Double?]]

        var testDescription: String { name }
    }

    static let fixtures: [Fixture] = {
        let file = Bundle.module.url(
            forResource: "statistics", withExtension: "json", subdirectory: "Fixtures")
        return
            (try? JSONDecoder().decode(
                [Fixture].self, from: Data(contentsOf: file ?? URL(filePath: "/")))) ?? []
    }()

    @Test func `the fixtures exist`() {
        #expect(Self.fixtures.count == 13)
        #expect(Self.fixtures.allSatisfy { $0.whole.count == 17 })
    }

    @Test(arguments: fixtures)
    func `statistics of a series equal the reference`(fixture: Fixture) throws {
        try compare(fixture.values, fixture.whole, fixture.name)
    }

    @Test(arguments: fixtures)
    func `statistics of each window equal the reference`(fixture: Fixture) throws {
        for (number, expected) in fixture.windows.enumerated() {
            let part = fixture.values.dropFirst(number * fixture.width).prefix(fixture.width)
            try compare(Array(part), expected, "\(fixture.name), window \(number)")
        }
    }

    private func compare(
        _ values: [Double], _ expected: [String: Double?], _ subject: String
    ) throws {
        let names = expected.keys.sorted()
        let statistics = try names.map { try #require(Statistic($0)) }
        let scale = values.map(abs).max() ?? 0
        for (name, result) in zip(names, results(statistics, of: values)) {
            guard let wanted = expected[name] ?? nil, let result else {
                #expect(expected[name] == .some(result), "\(subject): \(name)")
                continue
            }
            // Order statistics are exact; sums with cancellation are only as precise as their
            // terms.
            let isExact = ["count", "min", "max"].contains(name)
            let isSpread = name.hasSuffix("variance") || name.hasSuffix("stddev")
            let tolerance =
                isExact ? 0 : isSpread ? abs(wanted) * 1e-12 : max(abs(wanted), scale) * 1e-15 * 4
            #expect(
                abs(result - wanted) <= tolerance, "\(subject): \(name) \(result), not \(wanted)")
        }
    }
}
