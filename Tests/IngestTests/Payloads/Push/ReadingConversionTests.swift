import Samples
import Testing

@testable import Ingest

struct ReadingConversionTests {
    private static let arrival = Timestamp(microseconds: 1_698_501_144_000_000)
    private static let fields = [
        Field("n"), Field("i", kind: .integer), Field("s", kind: .state), Field("x", kind: .text),
    ]
    private static let whole: [String: Value] = [
        "n": .number(1.5), "i": .integer(2), "s": .text("on"), "x": .text("é"),
    ]

    @Test func `values are ordered like the fields, and others are ignored`() throws {
        let reading = Reading(values: Self.whole.merging(["more": .number(1)]) { $1 })
        #expect(
            try reading.sample(of: Self.fields, arrival: Self.arrival)
                == Sample(
                    time: Self.arrival,
                    values: [.number(1.5), .integer(2), .text("on"), .text("é")]))
    }

    @Test func `a whole number is valid for number and integer fields`() throws {
        let reading = Reading(
            values: Self.whole.merging(["n": .integer(7), "i": .number(8)]) { $1 })
        let sample = try reading.sample(of: Self.fields, arrival: Self.arrival)
        #expect(sample.values.prefix(2) == [.number(7), .integer(8)])
    }

    @Test(
        arguments: [
            ("n", nil, .incomplete), ("n", .text("1"), .value), ("n", .number(.nan), .value),
            ("n", .number(.infinity), .value), ("i", .number(1.5), .value),
            ("i", .number(1e19), .value), ("s", .integer(1), .value), ("x", .number(1), .value),
            ("x", .text(String(repeating: "x", count: 65_537)), .value),
        ] as [(String, Value?, DropReason)])
    func `a reading that does not match is rejected with the reason`(
        name: String, value: Value?, reason: DropReason
    ) {
        var values = Self.whole
        values[name] = value
        #expect(throws: reason) {
            try Reading(values: values).sample(of: Self.fields, arrival: Self.arrival)
        }
    }

    @Test(
        arguments: [
            (0, true), (-1, false), (86_400_000_000, true), (86_400_000_001, false),
            (.min, false), (.max, false),
        ] as [(Int64, Bool)])
    func `a time must be between 1970 and a day ahead`(microseconds: Int64, isTaken: Bool) {
        let reading = Reading(time: Timestamp(microseconds: microseconds), values: Self.whole)
        let sample = try? reading.sample(of: Self.fields, arrival: Timestamp(microseconds: 0))
        #expect((sample != nil) == isTaken)
    }
}
