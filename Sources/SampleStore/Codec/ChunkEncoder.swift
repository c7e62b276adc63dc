import CZlib
import Samples

/// Encodes samples as a chunk: a directory, followed by the columns.
///
/// The columns are the times, the sequence numbers, and the fields of the layout in order.
/// `docs/file-format.md` specifies every byte.
enum ChunkEncoder {
    static let version: UInt8 = 1

    static func encode(_ batch: StoredBatch) -> [UInt8] {
        var columns: [[UInt8]] = []
        columns.append(encoded(batch.samples.times.map(\.microseconds)))
        columns.append(encoded(batch.sequences))
        for column in batch.samples.columns { columns.append(encoded(column)) }
        var writer = ByteWriter(capacity: columns.reduce(64) { $0 + $1.count + 10 })
        writer.append(version)
        writer.appendVariable(UInt64(batch.count))
        writer.appendVariable(UInt64(columns.count))
        for column in columns {
            writer.appendVariable(UInt64(column.count))
            writer.append(column.withUnsafeBytes(checksum))
        }
        writer.append(writer.bytes.withUnsafeBytes(checksum))
        for column in columns { writer.append(column) }
        return writer.bytes
    }

    /// CRC-32 as in RFC 1952.
    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return UInt32(truncatingIfNeeded: crc32_z(0, start, bytes.count))
    }

    private static func encoded(_ integers: [Int64]) -> [UInt8] {
        var writer = ByteWriter(capacity: integers.count)
        integers.withUnsafeBufferPointer { IntegerColumn.encode($0, onto: &writer) }
        return writer.bytes
    }

    private static func encoded(_ column: Column) -> [UInt8] {
        switch column {
        case .integers(let values): return encoded(values)
        case .numbers(let values):
            var writer = ByteWriter(capacity: values.count * 2)
            values.withUnsafeBufferPointer { NumberColumn.encode($0, onto: &writer) }
            return writer.bytes
        case .texts(let values):
            var writer = ByteWriter()
            TextColumn.encode(values, onto: &writer)
            return writer.bytes
        }
    }
}
