import Samples
import TestSupport

@testable import SampleStore

/// A chunk that can be changed and gets valid checksums again.
struct HostileChunk {
    var count: UInt64
    var columns: [[UInt8]]

    init(_ batch: StoredBatch) throws {
        count = UInt64(batch.count)
        columns = try ChunkEncoder.encode(batch).withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            _ = try reader.integer(UInt8.self)
            _ = try reader.variable()
            let lengths = try (0..<reader.variable()).map { _ in
                let length = try reader.variable()
                _ = try reader.integer(UInt32.self)
                return Int(length)
            }
            _ = try reader.integer(UInt32.self)
            return try lengths.map { Array(try reader.bytes($0)) }
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(ChunkEncoder.version)
        writer.appendVariable(count)
        writer.appendVariable(UInt64(columns.count))
        for column in columns {
            writer.appendVariable(UInt64(column.count))
            writer.append(column.withUnsafeBytes(ChunkEncoder.checksum))
        }
        writer.append(writer.bytes.withUnsafeBytes(ChunkEncoder.checksum))
        for column in columns { writer.append(column) }
        return writer.bytes
    }

    /// Changes a few bytes of a column, preferably at its beginning.
    mutating func mutate(_ random: inout SplitMix) {
        let place = Int.random(in: 0..<columns.count, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: count = [1, 2, 6, 7, 127, 128, 129, 1 << 20].randomElement(using: &random) ?? 1
        case 1:
            columns[place].removeLast(min(columns[place].count, .random(in: 1...9, using: &random)))
        case 2:
            columns[place] += (0..<Int.random(in: 1...9, using: &random)).map { _ in
                .random(in: .min ... .max, using: &random)
            }
        case 3: columns.swapAt(place, .random(in: 0..<columns.count, using: &random))
        default:
            for _ in 0..<Int.random(in: 1...4, using: &random) where !columns[place].isEmpty {
                let isHead = Bool.random(using: &random)
                let end = isHead ? min(24, columns[place].count) : columns[place].count
                let byte = Int.random(in: 0..<end, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: columns[place][byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 1:
                    columns[place][byte] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
                default: columns[place][byte] = .random(in: .min ... .max, using: &random)
                }
            }
        }
    }
}
