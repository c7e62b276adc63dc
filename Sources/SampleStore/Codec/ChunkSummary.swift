import Foundation
import Samples

/// The summaries of the numeric fields of a chunk or of a group of chunks.
struct ChunkSummary {
    private static let version: UInt8 = 1

    /// One for each field of the layout; `nil` for states and texts.
    var fields: [FieldSummary?]

    /// - Precondition: the samples are in order, and there is one at least.
    init(of batch: StoredBatch) {
        let (from, to) = (batch.position(0), batch.position(batch.count - 1))
        fields = batch.samples.columns.map { column in
            var summary = FieldSummary(hasSketch: true)
            switch column {
            case .numbers(let values):
                values.withUnsafeBufferPointer { summary.insert($0, from: from, to: to) }
            case .integers(let values):
                let numbers = values.map(Double.init)
                numbers.withUnsafeBufferPointer { summary.insert($0, from: from, to: to) }
            case .texts: return nil
            }
            return summary
        }
    }

    /// - Parameter hasSketch: whether the sketches are wanted, too.
    /// - Throws: `ByteReader.Damage`.
    init(_ bytes: Data, _ fields: [Field], _ entry: ChunkEntry, hasSketch: Bool = true) throws {
        self.fields = try bytes.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            guard try reader.integer(UInt8.self) == Self.version else { throw ByteReader.Damage() }
            let checksum: UInt32 = try reader.integer()
            guard ChunkEncoder.checksum(reader.rest) == checksum else { throw ByteReader.Damage() }
            return try fields.map { field in
                guard field.kind.isNumeric else { return nil }
                let first = Double(bitPattern: try reader.integer())
                let last = Double(bitPattern: try reader.integer())
                let moments = try reader.bytes(reader.count(atMost: raw.count))
                let sketch = try reader.bytes(reader.count(atMost: raw.count))
                guard let moments = Moments(bytes: moments), moments.count == entry.count else {
                    throw ByteReader.Damage()
                }
                let known = hasSketch ? QuantileSketch(bytes: sketch) : nil
                guard known != nil || !hasSketch else { throw ByteReader.Damage() }
                return FieldSummary(
                    moments: moments, sketch: known,
                    first: .init(position: entry.from, value: first),
                    last: .init(position: entry.to, value: last))
            }
        }
    }

    func encoded() -> Data {
        var writer = ByteWriter()
        for case let summary? in fields {
            writer.append((summary.first?.value ?? 0).bitPattern)
            writer.append((summary.last?.value ?? 0).bitPattern)
            let moments = summary.moments.bytes
            writer.appendVariable(UInt64(moments.count))
            writer.append(moments)
            let sketch = summary.sketch?.bytes ?? []
            writer.appendVariable(UInt64(sketch.count))
            writer.append(sketch)
        }
        var whole = ByteWriter(capacity: writer.count + 5)
        whole.append(Self.version)
        whole.append(writer.bytes.withUnsafeBytes(ChunkEncoder.checksum))
        whole.append(writer.bytes)
        return Data(whole.bytes)
    }

    mutating func merge(_ other: ChunkSummary) {
        for (place, summary) in other.fields.enumerated() {
            if let summary { fields[place]?.merge(summary) }
        }
    }
}
