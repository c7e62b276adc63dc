import Samples
import Testing

@testable import Ingest

struct ColumnsTests {
    private static let batch = SampleBatch(
        times: [Timestamp(microseconds: -1), Timestamp(microseconds: 2)],
        columns: [
            .numbers([1.5, -0.0]), .integers([.min, .max]), .texts(["on", ""]), .texts(["é", "x"]),
        ])

    private static var bytes: [UInt8] { TestParser.bytes(batch, .columns, of: TestParser.gauge) }

    @Test func `a batch is encoded as specified`() {
        let fields: [UInt8] =
            [0, 5] + Array("level".utf8) + [1, 5] + Array("total".utf8) + [2, 5]
            + Array("state".utf8) + [3, 4] + Array("note".utf8)
        let columns: [UInt8] =
            Array(repeating: 0xFF, count: 8) + [2, 0, 0, 0, 0, 0, 0, 0]
            + [0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0x80]
            + [0, 0, 0, 0, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
            + [2, 0, 0, 0, 0, 0, 0, 0] + Array("on".utf8) + [2, 0, 0, 0, 1, 0, 0, 0]
            + Array("éx".utf8)
        let head: [UInt8] = [0x4E, 0x56, 0x43, 1, 4, 0, 2, 0, 0, 0]
        let length = [UInt8(columns.count)] + Array(repeating: 0, count: 7)
        #expect(Self.bytes == head + length + fields + columns)
    }

    @Test func `consecutive batches are read as one, however the input is split`() throws {
        let twice = Self.bytes + Self.bytes
        for piece in 1...twice.count {
            let read = try TestParser.samples(twice, .columns, of: TestParser.gauge, piece: piece)
            #expect(read.count == 4)
            #expect(read.columns[0] == .numbers([1.5, -0.0, 1.5, -0.0]))
            #expect(read.columns[2] == .texts(["on", "", "on", ""]))
            #expect(read[3] == Self.batch[1])
        }
    }

    @Test func `columns can be in any order`() throws {
        let fields = [
            TestParser.gauge[3], TestParser.gauge[1], TestParser.gauge[0], TestParser.gauge[2],
        ]
        let columns = [3, 1, 0, 2].map { Self.batch.columns[$0] }
        let other = SampleBatch(times: Self.batch.times, columns: columns)
        let bytes = TestParser.bytes(other, .columns, of: fields)
        #expect(try TestParser.samples(bytes, .columns, of: TestParser.gauge) == Self.batch)
    }

    @Test func `a truncated batch is rejected`() {
        let bytes = Self.bytes
        for count in 1..<bytes.count {
            let found = TestParser.fault(Array(bytes.prefix(count)), .columns, of: TestParser.gauge)
            #expect(found.hasPrefix("400 batch 1"), "\(count): \(found)")
        }
    }

    @Test func `a changed byte never traps`() {
        var bytes = Self.bytes
        for offset in bytes.indices {
            let kept = bytes[offset]
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                bytes[offset] = value
                for piece in [3, 1 << 16] {
                    _ = TestParser.fault(bytes, .columns, of: TestParser.gauge, piece: piece)
                }
            }
            bytes[offset] = kept
        }
    }

    @Test(
        arguments: [
            (0, 0x4F, "a batch does not begin"), (3, 2, "unsupported batch version"),
            (9, 0xFF, "the length of"),
            (10, 0, "the length of"), (4, 3, "field note: the field is missing"),
            (18, 1, "field level: the kind of the column"),
            (20, 0x6D, "field \"mevel\": the sensor has"),
        ] as [(Int, UInt8, String)])
    func `an invalid header is rejected`(offset: Int, value: UInt8, fault: String) {
        var bytes = Self.bytes
        bytes[offset] = value
        let found = TestParser.fault(bytes, .columns, of: TestParser.gauge)
        #expect(found.contains(fault), "\(found)")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
    func `a number that is not finite is rejected`(value: Double) {
        let batch = SampleBatch(
            times: [.init(microseconds: 1), .init(microseconds: 2)],
            columns: [.numbers([1, value]), .numbers([1, 2])])
        let found = TestParser.fault(
            TestParser.bytes(batch, .columns, of: TestParser.axes), .columns)
        #expect(
            found
                == "422 batch 1, sample 2, field x: the number is not finite or exceeds 64 bits"
        )
    }

    @Test(arguments: 1...24)
    func `a text with a false length does not extend into the next column`(claim: UInt8) {
        let fields = [Field("note", kind: .text), Field("x")]
        let batch = SampleBatch(
            times: [.init(microseconds: 1)], columns: [.texts([""]), .numbers([1])])
        var bytes = TestParser.bytes(batch, .columns, of: fields)
        // The length of the text follows the header, two fields and a time.
        let offset = 18 + (2 + 4) + (2 + 1) + 8
        #expect(bytes[offset] == 0)
        bytes[offset] = claim
        for piece in [1, 1 << 16] {
            let found = TestParser.fault(bytes, .columns, of: fields, piece: piece)
            #expect(found.hasPrefix("400 batch 1"), "\(claim): \(found)")
        }
    }

    @Test func `a batch that is longer than its columns is rejected`() {
        let fields = [Field("note", kind: .text)]
        let one = SampleBatch(times: [.init(microseconds: 1)], columns: [.texts(["a"])])
        var bytes = TestParser.bytes(one, .columns, of: fields)
        let inner = bytes
        bytes[10] += UInt8(inner.count)
        #expect(TestParser.fault(bytes + inner, .columns, of: fields).hasPrefix("400 batch 1"))
    }

    @Test(arguments: [Timestamp.distantPast, .distantFuture])
    func `a time that encodes an open end is rejected`(time: Timestamp) {
        let batch = SampleBatch(times: [time], columns: [.numbers([1]), .numbers([2])])
        let found = TestParser.fault(
            TestParser.bytes(batch, .columns, of: TestParser.axes), .columns)
        #expect(found.hasPrefix("422 batch 1, sample 1, field t"), "\(found)")
    }

    @Test func `a header with too many rows allocates no memory for them`() {
        var bytes = TestParser.bytes(
            SampleBatch(times: [], columns: [.numbers([]), .numbers([])]), .columns,
            of: TestParser.axes)
        for offset in 6...9 { bytes[offset] = 0xFF }
        let length = UInt64(UInt32.max) * 24
        for index in 0..<8 { bytes[10 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
        #expect(TestParser.fault(bytes, .columns).hasPrefix("413 batch 1: too many samples"))
    }
}
