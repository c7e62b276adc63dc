import Samples

/// What the samples of a chunk are ordered by.
struct ChunkOrder {
    let times: IntegerColumnReader
    let sequences: IntegerColumnReader

    init(_ reader: ChunkReader) throws(ByteReader.Damage) {
        times = try reader.times()
        sequences = try reader.sequences()
    }

    /// - Throws: `Damage` when the samples are not those that the file says stand here.
    init(_ reader: ChunkReader, _ entry: ChunkEntry) throws(ByteReader.Damage) {
        try self.init(reader)
        guard reader.count == entry.count, position(0) == entry.from,
            position(reader.count - 1) == entry.to
        else { throw ByteReader.Damage() }
    }

    /// The place of a sample in the order of time, then of arrival.
    func position(_ row: Int) -> SampleQuery.Position {
        SampleQuery.Position(
            time: Timestamp(microseconds: times.values(row..<row + 1)[0]),
            sequence: sequences.values(row..<row + 1)[0])
    }
}
