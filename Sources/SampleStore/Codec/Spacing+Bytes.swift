import Samples
import Statistics

extension Spacing {
    /// The number of intervals that stands for a spacing that is not known.
    fileprivate static let unknown: UInt8 = 255
    /// So many intervals are kept at either end.
    private static let kept = 4

    /// - Parameter entry: has the first and the last moment.
    /// - Returns: `nil` when it is not known.
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
        for place in 0..<count { intervals[place] = Int64(clamping: try reader.variable()) }
        return intervals
    }
}

extension ByteWriter {
    /// What `Spacing.init(_:of:)` reads.
    mutating func append(_ spacing: Spacing?) {
        guard let spacing else { return append(Spacing.unknown) }
        append(UInt8(spacing.headCount))
        for place in 0..<spacing.headCount { appendVariable(UInt64(spacing.head[place])) }
        guard spacing.isHeadFull else { return }
        for place in 0..<spacing.headCount {
            appendVariable(UInt64(spacing.recentIntervals[place]))
        }
        appendVariable(UInt64(spacing.counted))
    }
}
