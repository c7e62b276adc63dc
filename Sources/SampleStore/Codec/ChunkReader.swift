import Foundation
import Samples

/// Decodes columns of a chunk; the checksum of a column is verified when it is accessed.
///
/// The bytes are borrowed: a reader must not outlive them.
struct ChunkReader {
    typealias Damage = ByteReader.Damage

    /// The maximum number of samples in a chunk.
    static let countLimit = 1 << 20

    let count: Int
    private let kinds: [Field.Kind]
    private let columns: [UnsafeRawBufferPointer]
    private let checksums: [UInt32]

    /// - Parameter fields: the fields of the chunk's layout.
    init(_ bytes: UnsafeRawBufferPointer, _ fields: [Field]) throws(Damage) {
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt8.self) == ChunkEncoder.version else { throw Damage() }
        count = try reader.count(atMost: Self.countLimit)
        let number = try reader.count(atMost: fields.count + 2)
        guard number == fields.count + 2, count > 0 else { throw Damage() }
        var lengths: [Int] = []
        var checksums: [UInt32] = []
        for _ in 0..<number {
            lengths.append(try reader.count(atMost: bytes.count))
            checksums.append(try reader.integer())
        }
        let directory = UnsafeRawBufferPointer(
            rebasing: bytes[..<(bytes.count - reader.rest.count)])
        guard try reader.integer() == ChunkEncoder.checksum(directory) else { throw Damage() }
        var columns: [UnsafeRawBufferPointer] = []
        for length in lengths { columns.append(try reader.bytes(length)) }
        guard reader.rest.isEmpty else { throw Damage() }
        kinds = fields.map(\.kind)
        self.columns = columns
        self.checksums = checksums
    }

    func times() throws(Damage) -> IntegerColumnReader {
        try IntegerColumnReader(checked(0), count: count)
    }

    func sequences() throws(Damage) -> IntegerColumnReader {
        try IntegerColumnReader(checked(1), count: count)
    }

    /// A field of kind `number`.
    func numbers(_ field: Int) throws(Damage) -> NumberColumnReader {
        try NumberColumnReader(checked(field + 2), count: count)
    }

    /// A field of kind `integer`.
    func integers(_ field: Int) throws(Damage) -> IntegerColumnReader {
        try IntegerColumnReader(checked(field + 2), count: count)
    }

    /// A field whose checksum is verified, to decode rows of it several times.
    func column(_ field: Int) throws(Damage) -> ColumnReader {
        switch kinds[field] {
        case .number: .numbers(try numbers(field))
        case .integer: .integers(try integers(field))
        case .state, .text: .texts(try TextColumn.decode(checked(field + 2), count: count))
        }
    }

    /// A column of a chunk; like the reader, it must not outlive the bytes.
    enum ColumnReader {
        case numbers(NumberColumnReader)
        case integers(IntegerColumnReader)
        case texts([String])

        /// The values in some rows.
        func values(_ rows: Range<Int>) -> Column {
            switch self {
            case .numbers(let reader): .numbers(reader.values(rows))
            case .integers(let reader): .integers(reader.values(rows))
            case .texts(let all): .texts(rows == all.indices ? all : Array(all[rows]))
            }
        }
    }

    private func checked(_ index: Int) throws(Damage) -> UnsafeRawBufferPointer {
        guard ChunkEncoder.checksum(columns[index]) == checksums[index] else { throw Damage() }
        return columns[index]
    }
}

extension ChunkReader {
    /// Decodes some rows as a projection sees them.
    func batch(
        _ rows: Range<Int>, _ projection: Projection, _ order: ChunkOrder
    ) throws(Damage) -> StoredBatch {
        let times = order.times.values(rows).map(Timestamp.init(microseconds:))
        let sequences = order.sequences.values(rows)
        var columns: [Samples.Column] = []
        for column in projection.columns {
            columns.append(column.converted(try self.column(column.index).values(rows)))
        }
        return StoredBatch(
            sequences: sequences, samples: SampleBatch(times: times, columns: columns))
    }

    /// Decodes all samples of a chunk.
    ///
    /// - Throws: `ByteReader.Damage`.
    static func decode(_ data: Data, _ layout: Layout) throws -> StoredBatch {
        try data.withUnsafeBytes { raw in
            let reader = try ChunkReader(raw, layout.fields)
            return try reader.batch(
                0..<reader.count, Projection(identityOf: layout), ChunkOrder(reader))
        }
    }

    /// Decodes all samples as a projection sees them, or `nil` when none is in the range.
    ///
    /// - Throws: `ByteReader.Damage`.
    static func decode(
        _ data: Data, _ projection: Projection, touching range: TimeRange
    ) throws -> StoredBatch? {
        try data.withUnsafeBytes { raw in
            let reader = try ChunkReader(raw, projection.layout.fields)
            let order = try ChunkOrder(reader)
            if range != .all {
                let times = order.times.values(0..<reader.count)
                let bounds =
                    range.from
                    .microseconds..<max(
                        range.from.microseconds, range.to.microseconds)
                guard times.contains(where: bounds.contains) else { return nil }
            }
            return try reader.batch(0..<reader.count, projection, order)
        }
    }
}

/// The columns by which the samples of a chunk are ordered.
struct ChunkOrder {
    let times: IntegerColumnReader
    let sequences: IntegerColumnReader

    init(_ reader: ChunkReader) throws(ByteReader.Damage) {
        times = try reader.times()
        sequences = try reader.sequences()
    }

    /// - Throws: `Damage` if the samples do not match the chunk's row.
    init(_ reader: ChunkReader, _ entry: ChunkEntry) throws(ByteReader.Damage) {
        try self.init(reader)
        guard reader.count == entry.count, position(0) == entry.from,
            position(reader.count - 1) == entry.to
        else { throw ByteReader.Damage() }
    }

    /// The position of the sample in a row.
    func position(_ row: Int) -> SampleQuery.Position {
        SampleQuery.Position(
            time: Timestamp(microseconds: times.values(row..<row + 1)[0]),
            sequence: sequences.values(row..<row + 1)[0])
    }
}
