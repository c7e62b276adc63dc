import Foundation
import TestSupport
import Testing

@testable import SampleStore

/// Encoding and decoding columns of integers and numbers.
struct ColumnTests {
    /// All small counts, and some around the sizes of blocks and chunks.
    private static let counts = Array(1...300) + [383, 384, 385, 1000, 32_767, 32_768, 32_769]

    private let seed = UInt64.random(in: .min ... .max)

    @Test(arguments: IntegerSeries.allCases)
    func `integers are restored, all or some rows`(series: IntegerSeries) throws {
        var random = SplitMix(state: seed)
        for count in Self.counts {
            let values = series.values(count, &random)
            let bytes = Self.encoded(values)
            try bytes.withUnsafeBytes { raw in
                let reader = try IntegerColumnReader(raw, count: count)
                try #require(reader.values(0..<count) == values, "seed \(seed), \(count) values")
                if let constant = reader.constant { #expect(values.allSatisfy { $0 == constant }) }
                for rows in Self.ranges(count, &random) {
                    try #require(
                        reader.values(rows) == Array(values[rows]), "seed \(seed), \(rows)")
                }
            }
        }
    }

    @Test(arguments: NumberSeries.allCases)
    func `numbers are restored bit by bit, all or some rows`(series: NumberSeries) throws {
        var random = SplitMix(state: seed)
        for count in Self.counts {
            let values = series.values(count, &random)
            let bits = values.map(\.bitPattern)
            let bytes = Self.encoded(values)
            try bytes.withUnsafeBytes { raw in
                let reader = try NumberColumnReader(raw, count: count)
                try #require(
                    reader.values(0..<count).map(\.bitPattern) == bits,
                    "seed \(seed), \(count) values")
                for rows in Self.ranges(count, &random) {
                    try #require(
                        reader.values(rows).map(\.bitPattern) == Array(bits[rows]),
                        "seed \(seed), \(rows)")
                }
            }
        }
    }

    @Test(arguments: IntegerSeries.allCases)
    func `the first row at or after a bound is found`(series: IntegerSeries) throws {
        var random = SplitMix(state: seed)
        for count in [1, 2, 6, 7, 127, 128, 129, 256, 300, 1000] {
            let values = series.values(count, &random).sorted()
            try Self.encoded(values).withUnsafeBytes { raw in
                let reader = try IntegerColumnReader(raw, count: count)
                let near = values.flatMap {
                    [$0 == .min ? $0 : $0 - 1, $0, $0 == .max ? $0 : $0 + 1]
                }
                for bound in near + [.min, 0, .max] {
                    let expected = values.firstIndex { $0 >= bound } ?? count
                    try #require(
                        reader.firstRow(atOrAfter: bound) == expected,
                        "seed \(seed), \(count) values, \(bound)")
                }
            }
        }
    }

    @Test(arguments: [
        (IntegerSeries.constant, 2), (.gridTimes, 30), (.jitteredTimes, 1200), (.small, 750),
    ])
    func `a thousand regular values take few bytes`(series: IntegerSeries, limit: Int) {
        var random = SplitMix(state: seed)
        let size = Self.encoded(series.values(1024, &random)).count
        #expect(size <= limit + 8, "seed \(seed): \(size) bytes")
    }

    /// All ranges if there are few.
    private static func ranges(_ count: Int, _ random: inout SplitMix) -> [Range<Int>] {
        if count <= 12 { return (0..<count).flatMap { low in (low...count).map { low..<$0 } } }
        return (0..<(count > 1000 ? 12 : 8)).map { _ in
            let low = Int.random(in: 0...count, using: &random)
            return low..<Int.random(in: low...count, using: &random)
        }
    }

    static func encoded(_ values: [Int64]) -> [UInt8] {
        var writer = ByteWriter()
        values.withUnsafeBufferPointer { IntegerColumn.encode($0, onto: &writer) }
        return writer.bytes
    }

    static func encoded(_ values: [Double]) -> [UInt8] {
        var writer = ByteWriter()
        values.withUnsafeBufferPointer { NumberColumn.encode($0, onto: &writer) }
        return writer.bytes
    }
}
