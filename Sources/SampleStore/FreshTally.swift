/// How much of each layout has not been packed yet, and what is about to be.
struct FreshTally {
    private var counts: [Int64: SampleFile.FreshCount]
    /// Layouts whose fresh samples are about to be packed.
    private var packing: Set<Int64> = []

    init(_ counts: [Int64: SampleFile.FreshCount]) {
        self.counts = counts
    }

    mutating func add(_ written: [Int64: SampleFile.FreshCount]) {
        for (layout, more) in written {
            counts[layout, default: SampleFile.FreshCount()] += more
        }
    }

    mutating func remove(_ taken: SampleFile.FreshCount, of layout: Int64) {
        counts[layout, default: SampleFile.FreshCount()] -= taken
    }

    /// Bytes in the file.
    func bytes(of layout: Int64) -> Int64 { Int64(counts[layout]?.bytes ?? 0) }

    /// Notes that a layout is about to be packed, where there is enough of it for a chunk, where it
    /// lies in too many rows, or takes too many bytes.
    ///
    /// - Returns: `false` when it is not due, or when that goes on already.
    mutating func beginPacking(_ layout: Int64, _ rules: ChunkRules) -> Bool {
        guard let fresh = counts[layout],
            fresh.samples >= rules.chunkSize || fresh.rows >= rules.freshRows
                || fresh.bytes >= rules.freshBytes || fresh.decoded >= rules.freshDecoded
        else { return false }
        return packing.insert(layout).inserted
    }

    /// Whether packing has fallen so far behind that reading suffers, which decodes all that is fresh.
    func isFarBehind(_ layout: Int64, _ rules: ChunkRules) -> Bool {
        guard let fresh = counts[layout], packing.contains(layout) else { return false }
        return fresh.samples > rules.backlog * rules.chunkSize
            || fresh.decoded > rules.backlog * rules.freshDecoded
    }

    mutating func endPacking(_ layout: Int64) {
        packing.remove(layout)
    }
}
