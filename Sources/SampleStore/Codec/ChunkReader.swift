import Samples

/// Takes columns out of the bytes of a chunk, each checked against its checksum when it is first
/// wanted.
///
/// The bytes are borrowed: a reader must not outlive them.
struct ChunkReader {
    typealias Damage = ByteReader.Damage

    /// The most samples that a chunk can have.
    static let countLimit = 1 << 20

    let count: Int
    private let kinds: [Field.Kind]
    private let columns: [UnsafeRawBufferPointer]
    private let checksums: [UInt32]

    /// - Parameter fields: what the layout of the chunk says.
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

    /// The values of a field in some rows.
    func column(_ field: Int, _ rows: Range<Int>) throws(Damage) -> Column {
        switch kinds[field] {
        case .number: return .numbers(try numbers(field).values(rows))
        case .integer: return .integers(try integers(field).values(rows))
        case .state, .text:
            let all = try TextColumn.decode(checked(field + 2), count: count)
            return .texts(rows == 0..<count ? all : Array(all[rows]))
        }
    }

    private func checked(_ place: Int) throws(Damage) -> UnsafeRawBufferPointer {
        guard ChunkEncoder.checksum(columns[place]) == checksums[place] else { throw Damage() }
        return columns[place]
    }
}

extension IntegerColumnReader {
    func values(_ rows: Range<Int>) -> [Int64] {
        Array(unsafeUninitializedCapacity: rows.count) { room, count in
            if let start = room.baseAddress { decode(rows, into: start) }
            count = rows.count
        }
    }
}

extension NumberColumnReader {
    func values(_ rows: Range<Int>) -> [Double] {
        Array(unsafeUninitializedCapacity: rows.count) { room, count in
            if let start = room.baseAddress { decode(rows, into: start) }
            count = rows.count
        }
    }
}
