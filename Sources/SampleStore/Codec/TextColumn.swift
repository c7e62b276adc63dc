import CZstd

/// Encodes a column of texts: as a dictionary and indexes when texts repeat, else consecutively.
enum TextColumn {
    private static let dictionaryLimit = 65_536
    /// The total size below which texts are not compressed.
    private static let compressionThreshold = 64
    private static let level: Int32 = 3
    /// The maximum size of the texts of one chunk.
    static let byteLimit = 1 << 30

    static func encode(_ texts: [String], onto writer: inout ByteWriter) {
        guard !texts.isEmpty else { return }
        var entries: [String: Int64] = [:]
        var distinct: [String] = []
        var indexes: [Int64] = []
        indexes.reserveCapacity(texts.count)
        for text in texts {
            // Canonically equivalent strings are equal but may have different bytes.
            if let entry = entries[text], distinct[Int(entry)].utf8.elementsEqual(text.utf8) {
                indexes.append(entry)
                continue
            }
            entries[text] = Int64(distinct.count)
            indexes.append(Int64(distinct.count))
            distinct.append(text)
        }
        guard distinct.count <= min(dictionaryLimit, max(1, texts.count / 2)) else {
            writer.append(UInt8(0))
            return appendTexts(texts, onto: &writer)
        }
        writer.append(UInt8(1))
        writer.appendVariable(UInt64(distinct.count))
        var dictionary = ByteWriter()
        appendTexts(distinct, onto: &dictionary)
        writer.appendVariable(UInt64(dictionary.count))
        writer.append(dictionary.bytes)
        indexes.withUnsafeBufferPointer { IntegerColumn.encode($0, onto: &writer) }
    }

    static func decode(
        _ bytes: UnsafeRawBufferPointer, count: Int
    ) throws(ByteReader.Damage) -> [String] {
        var reader = ByteReader(bytes)
        switch try reader.integer(UInt8.self) {
        case 0: return try texts(reader.rest, count)
        case 1: break
        default: throw ByteReader.Damage()
        }
        let size = try reader.count(atMost: count)
        let length = try reader.count(atMost: byteLimit)
        let distinct = try texts(try reader.bytes(length), size)
        let column = try IntegerColumnReader(reader.rest, count: count)
        var indexes = [Int64](repeating: 0, count: count)
        indexes.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { column.decode(0..<count, into: start) }
        }
        var result: [String] = []
        result.reserveCapacity(count)
        for index in indexes {
            guard let entry = Int(exactly: index), distinct.indices.contains(entry) else {
                throw ByteReader.Damage()
            }
            result.append(distinct[entry])
        }
        return result
    }

    // MARK: - Private

    /// Appends the lengths, then the bytes of all texts.
    private static func appendTexts(_ texts: [String], onto writer: inout ByteWriter) {
        var lengths = ByteWriter()
        texts.map { Int64($0.utf8.count) }.withUnsafeBufferPointer {
            IntegerColumn.encode($0, onto: &lengths)
        }
        writer.appendVariable(UInt64(lengths.count))
        writer.append(lengths.bytes)
        let bytes = texts.flatMap { Array($0.utf8) }
        if bytes.count >= compressionThreshold, let smaller = compressed(bytes) {
            writer.append(UInt8(1))
            writer.appendVariable(UInt64(bytes.count))
            writer.append(smaller)
        } else {
            writer.append(UInt8(0))
            writer.append(bytes)
        }
    }

    private static func texts(
        _ bytes: UnsafeRawBufferPointer, _ count: Int
    ) throws(ByteReader.Damage) -> [String] {
        guard count > 0 else { return [] }
        var reader = ByteReader(bytes)
        let size = try reader.count(atMost: bytes.count)
        let column = try IntegerColumnReader(try reader.bytes(size), count: count)
        var lengths = [Int64](repeating: 0, count: count)
        lengths.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { column.decode(0..<count, into: start) }
        }
        switch try reader.integer(UInt8.self) {
        case 0: return try split(reader.rest, lengths)
        case 1: break
        default: throw ByteReader.Damage()
        }
        let whole = try reader.count(atMost: byteLimit)
        // Damaged bytes must not cause a huge allocation: Zstandard encodes at most 128 KiB in four bytes.
        guard whole <= reader.rest.count * 32_768 else { throw ByteReader.Damage() }
        let rest = reader.rest
        var buffer = [UInt8](repeating: 0, count: whole)
        let written = buffer.withUnsafeMutableBytes {
            ZSTD_decompress($0.baseAddress, $0.count, rest.baseAddress, rest.count)
        }
        guard ZSTD_isError(written) == 0, written == whole else { throw ByteReader.Damage() }
        return try buffer.withUnsafeBytes { raw in
            Result { () throws(ByteReader.Damage) in try split(raw, lengths) }
        }.get()
    }

    private static func split(
        _ bytes: UnsafeRawBufferPointer, _ lengths: [Int64]
    ) throws(ByteReader.Damage) -> [String] {
        var reader = ByteReader(bytes)
        var texts: [String] = []
        texts.reserveCapacity(lengths.count)
        for length in lengths {
            guard let size = Int(exactly: length) else { throw ByteReader.Damage() }
            let part = try reader.bytes(size)
            guard let text = String(validating: part, as: UTF8.self) else {
                throw ByteReader.Damage()
            }
            texts.append(text)
        }
        guard reader.rest.isEmpty else { throw ByteReader.Damage() }
        return texts
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let written = buffer.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                ZSTD_compress(
                    target.baseAddress, target.count, source.baseAddress, source.count, level)
            }
        }
        guard ZSTD_isError(written) == 0, written < bytes.count else { return nil }
        return Array(buffer.prefix(written))
    }
}
