import Foundation
import Samples
import Statistics

/// The summaries of the numeric fields of a chunk or a group of chunks, and the spacing of its samples.
struct ChunkSummary {
    private static let version: UInt8 = 2
    /// The version without a spacing.
    private static let formerVersion: UInt8 = 1

    /// One summary for each field of the layout; `nil` for states and texts.
    var fields: [FieldSummary?]
    /// `nil` when it is unknown.
    var spacing: Spacing?

    /// - Precondition: the samples are in order, and there is at least one.
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
        spacing = Spacing(batch.samples.times)
    }

    /// - Parameter hasSketch: whether to decode the sketches.
    /// - Throws: `ByteReader.Damage`.
    init(_ bytes: Data, _ fields: [Field], _ entry: ChunkEntry, hasSketch: Bool = true) throws {
        (self.fields, spacing) = try bytes.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            let version: UInt8 = try reader.integer()
            guard version == Self.version || version == Self.formerVersion else {
                throw ByteReader.Damage()
            }
            let checksum: UInt32 = try reader.integer()
            guard ChunkEncoder.checksum(reader.rest) == checksum else { throw ByteReader.Damage() }
            let spacing = try version == Self.version ? Spacing(&reader, of: entry) : nil
            let summaries = try fields.map { field -> FieldSummary? in
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
            return (summaries, spacing)
        }
    }

    func encoded() -> Data {
        var writer = ByteWriter()
        writer.append(spacing)
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
        for (index, summary) in other.fields.enumerated() {
            if let summary { fields[index]?.merge(summary) }
        }
        if let theirs = other.spacing { spacing?.merge(theirs) } else { spacing = nil }
    }
}

extension Spacing {
    /// The number of intervals that encodes an unknown spacing.
    fileprivate static let unknown: UInt8 = 255
    /// The number of intervals stored for each end.
    private static let kept = 4

    /// - Parameter entry: provides the first and the last time.
    /// - Returns: `nil` when the spacing is unknown.
    init?(_ reader: inout ByteReader, of entry: ChunkEntry) throws(ByteReader.Damage) {
        let count: UInt8 = try reader.integer()
        if count == Self.unknown { return nil }
        guard count <= Self.kept else { throw ByteReader.Damage() }
        let head = try Self.intervals(&reader, Int(count))
        var recent: SIMD4<Int64>?
        var counted: Int64 = 0
        if count == Self.kept {
            recent = try Self.intervals(&reader, Int(count))
            counted = Int64(clamping: try reader.variable())
        }
        let spacing = Spacing(
            from: entry.from.time, to: entry.to.time, head: head, headCount: Int(count),
            recent: recent, counted: counted)
        guard let spacing else { throw ByteReader.Damage() }
        self = spacing
    }

    private static func intervals(
        _ reader: inout ByteReader, _ count: Int
    ) throws(ByteReader.Damage) -> SIMD4<Int64> {
        var intervals = SIMD4<Int64>()
        for index in 0..<count { intervals[index] = Int64(clamping: try reader.variable()) }
        return intervals
    }
}

extension ByteWriter {
    /// Appends what `Spacing.init(_:of:)` decodes.
    mutating func append(_ spacing: Spacing?) {
        guard let spacing else { return append(Spacing.unknown) }
        append(UInt8(spacing.headCount))
        for index in 0..<spacing.headCount { appendVariable(UInt64(spacing.head[index])) }
        guard spacing.isHeadFull else { return }
        for index in 0..<spacing.headCount {
            appendVariable(UInt64(spacing.recentIntervals[index]))
        }
        appendVariable(UInt64(spacing.counted))
    }
}
