import Foundation
import GRDB
import Samples
import Statistics
import Testing

@testable import SampleStore

/// The examples of `docs/file-format.md`: the current encoding, which must stay readable.
struct TestVectorTests {
    /// The bytes of a named example in the tables of that page.
    private static func bytes(_ name: String) throws -> [UInt8] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/file-format.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let line = try #require(
            text.split(separator: "\n").first {
                $0.hasPrefix("| \(name) |") && $0.hasSuffix("` |")
            })
        let digits = try #require(line.split(separator: "`").dropLast().last)
            .filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).compactMap { place in
            let start = digits.index(digits.startIndex, offsetBy: place)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    @Test(
        arguments: [
            ("constant", [7, 7, 7]), ("plain", [1, -1, 300]), ("frame", [5, 1, 4, 2, 0, 3, 7]),
            ("common divisor", [100, 400, 0, 200, 700, 300, 500]),
            ("delta", [0, 1000, 2001, 3003, 4004, 5006, 6007, 1007, 2008, 3010]),
            ("line", (0..<10).map { 1_000_000 + $0 * 1001 / 3 }),
            ("wide", [.min, .max, 0, 1, 2, 3, 4]), ("whole block", (0..<130).map { $0 % 4 }),
        ] as [(String, [Int64])])
    func `integers are encoded as in the examples`(name: String, values: [Int64]) throws {
        let bytes = try Self.bytes(name)
        #expect(ColumnTests.encoded(values) == bytes)
        let found = try bytes.withUnsafeBytes { raw in
            try IntegerColumnReader(raw, count: values.count).values(0..<values.count)
        }
        #expect(found == values)
    }

    private static let third = 1.0 / 3

    @Test(
        arguments: [
            ("order", [-0.0, 1, 2]), ("decimal", [0.1, 0.25, -3]), ("binary", [0.5, 0.25, -3]),
            ("step", [7 * third, 2 * third, third]),
        ] as [(String, [Double])])
    func `numbers are encoded as in the examples`(name: String, values: [Double]) throws {
        let bytes = try Self.bytes(name)
        #expect(ColumnTests.encoded(values) == bytes)
        let found = try bytes.withUnsafeBytes { raw in
            try NumberColumnReader(raw, count: values.count).values(0..<values.count)
        }
        #expect(found.map(\.bitPattern) == values.map(\.bitPattern))
    }

    @Test(arguments: [
        ("texts", ["on", "", "é"]), ("dictionary", ["on", "off", "on", "on", "off"]),
        ("compressed", [String(repeating: "ab", count: 40)]),
    ])
    func `texts are encoded as in the examples`(name: String, values: [String]) throws {
        let bytes = try Self.bytes(name)
        let found = try bytes.withUnsafeBytes { try TextColumn.decode($0, count: values.count) }
        #expect(found == values)
        var writer = ByteWriter()
        TextColumn.encode(values, onto: &writer)
        // Another version of Zstandard may compress better.
        if name != "compressed" { #expect(writer.bytes == bytes) }
    }

    @Test func `a chunk and its summary are encoded as in the examples`() throws {
        let fields = [Field("n", kind: .integer), Field("x"), Field("s", kind: .state)]
        let batch = StoredBatch(
            sequences: [4, 5],
            samples: SampleBatch(
                times: [1_000_000, 2_000_000].map(Timestamp.init(microseconds:)),
                columns: [.integers([3, -3]), .numbers([0.5, 1.25]), .texts(["a", "b"])]))
        let bytes = try Self.bytes("chunk")
        #expect(ChunkEncoder.encode(batch) == bytes)
        #expect(try ChunkReader.decode(Data(bytes), Layout(id: 1, fields: fields)) == batch)
        let plain = StoredBatch(
            sequences: [4, 5],
            samples: SampleBatch(
                times: batch.samples.times, columns: [.integers([3, -3]), .texts(["a", "b"])]))
        #expect(ChunkSummary(of: plain).encoded() == Data(try Self.bytes("summary")))
    }

    @Test(arguments: [("summary", true), ("version 1 summary", false)])
    func `summaries of every version are decoded`(name: String, hasSpacing: Bool) throws {
        let times = [1_000_000, 2_000_000].map(Timestamp.init(microseconds:))
        let entry = try ChunkEntry([
            "id": 1, "fromTime": 1_000_000, "fromSequence": 4, "toTime": 2_000_000,
            "toSequence": 5, "count": 2,
        ])
        let fields = [Field("n", kind: .integer), Field("s", kind: .state)]
        let summary = try ChunkSummary(Data(try Self.bytes(name)), fields, entry)
        #expect(summary.fields[0]?.first?.value == 3 && summary.fields[0]?.last?.value == -3)
        #expect(summary.fields[0]?.moments.mean == 0 && summary.fields[1] == nil)
        #expect(summary.spacing == (hasSpacing ? Spacing(times) : nil))
    }

    @Test func `intervals are encoded as in the example`() throws {
        let times = [0, 10, 20, 30, 40, 90, 100].map(Timestamp.init(microseconds:))
        var writer = ByteWriter()
        writer.append(Spacing(times))
        #expect(writer.bytes == (try Self.bytes("intervals")))
    }
}
