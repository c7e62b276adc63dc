import Samples
import Testing

@testable import Ingest

struct RowCounterTests {
    private static func rows(
        _ bytes: [UInt8], _ format: SampleFormat, limit: Int = .max
    ) -> (rows: Int, bytes: Int) {
        bytes.withUnsafeBytes { RowCounter(format).rows($0, limit: limit) }
    }

    @Test(arguments: [
        ("", 0, 0), ("a", 0, 0), ("a\n", 1, 2), ("a\nb", 1, 2), ("a\n\"b\nc\"\nd\n", 3, 10),
        ("\"a\"\"\n\",b\nc", 1, 9), ("\"a\n", 0, 0),
    ])
    func `lines end outside of quotes`(text: String, rows: Int, bytes: Int) {
        let found = Self.rows(Array(text.utf8), .csv)
        #expect(found == (rows, bytes))
    }

    @Test func `at most the requested number of rows is counted`() {
        #expect(Self.rows(Array("1\n2\n3\n".utf8), .ndjson, limit: 2) == (2, 4))
    }

    @Test func `batches are counted completely`() {
        let batch = SampleBatch(
            times: [.init(microseconds: 1), .init(microseconds: 2)],
            columns: [.numbers([1, 2]), .numbers([3, 4])])
        let bytes = TestParser.bytes(batch, .columns, of: TestParser.axes)
        for count in 0..<bytes.count {
            #expect(Self.rows(Array(bytes.prefix(count)), .columns) == (0, 0))
            let more = bytes + bytes.prefix(count)
            #expect(Self.rows(Array(more), .columns) == (2, bytes.count))
        }
        #expect(Self.rows(bytes + bytes, .columns) == (4, 2 * bytes.count))
    }
}
