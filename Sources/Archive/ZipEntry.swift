/// An entry of the central directory.
struct ZipEntry {
    let header: ZipHeader
    let isFolder: Bool
    /// The offset of its local header.
    let offset: Int

    /// The name, without a folder's final slash.
    var name: ArraySlice<UInt8> { isFolder ? header.name.dropLast() : header.name[...] }

    /// Reads a record of the central directory.
    init(_ reader: inout ZipReader, limits: ArchiveLimits) throws(ArchiveError) {
        guard try reader.uint32() == 0x0201_4B50 else { throw ArchiveError(.directoryDamaged) }
        _ = try reader.uint32()
        var commentLength = 0
        var disk: UInt16 = 0
        var attributes: UInt32 = 0
        var offset: UInt32 = 0
        header = try ZipHeader(&reader) { reader throws(ArchiveError) in
            commentLength = Int(try reader.uint16())
            disk = try reader.uint16()
            _ = try reader.uint16()
            attributes = try reader.uint32()
            offset = try reader.uint32()
        }
        _ = try reader.take(commentLength)
        self.offset = Int(offset)
        isFolder = header.name.last == UInt8(ascii: "/")
        guard disk == 0, offset != .max else { throw ArchiveError(.severalDisks) }
        try check(attributes)
        // Deflate encodes empty data as two bytes.
        guard !isFolder || (header.size == 0 && header.packedSize <= 2) else {
            throw ArchiveError(.folderWithData, name: name)
        }
        guard header.method != ZipHeader.stored || header.size == header.packedSize else {
            throw ArchiveError(.storedWithTwoSizes, name: name)
        }
        // libarchive does not verify the checksum of empty data.
        guard header.size > 0 || header.crc == 0 else {
            throw ArchiveError(.emptyWithChecksum, name: name)
        }
        guard header.size <= limits.fileBytes else {
            throw ArchiveError(.fileTooLarge, name: name)
        }
    }

    /// The upper half of the attributes is the Unix mode, the lower half the DOS attributes.
    private func check(_ attributes: UInt32) throws(ArchiveError) {
        let mode = attributes >> 16
        let kind: UInt32 = isFolder ? 0o040000 : 0o100000
        let isDOSFolder = attributes & 0x10 != 0
        let isVolumeLabel = attributes & 0x08 != 0
        guard mode & 0o170000 == 0 || mode & 0o170000 == kind, isFolder || !isDOSFolder,
            !isVolumeLabel
        else { throw ArchiveError(.unsafeKind, name: name) }
        guard mode & 0o7000 == 0 else { throw ArchiveError(.unsafeMode, name: name) }
    }
}

/// The fields that a local header and a record of the central directory share.
///
/// Source: PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.4.
struct ZipHeader: Equatable {
    static let stored: UInt16 = 0
    static let deflated: UInt16 = 8
    /// Flag: sizes and checksum follow the data.
    static let hasDescriptor: UInt16 = 1 << 3

    let flags: UInt16
    let method: UInt16
    var crc: UInt32
    var packedSize: UInt32
    var size: UInt32
    let name: [UInt8]

    /// Reads the fields from “flags” to “extra field length”, then the record's own fields, then
    /// the name.
    init(
        _ reader: inout ZipReader, readingOwnFields: (inout ZipReader) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        flags = try reader.uint16()
        method = try reader.uint16()
        _ = try reader.uint32()
        crc = try reader.uint32()
        packedSize = try reader.uint32()
        size = try reader.uint32()
        let nameLength = Int(try reader.uint16())
        let extraLength = Int(try reader.uint16())
        try readingOwnFields(&reader)
        name = Array(try reader.take(nameLength))
        try checkExtra(try reader.take(extraLength))
        try checkSupport()
    }

    var hasDescriptor: Bool { flags & Self.hasDescriptor != 0 }

    /// Copies the values that are zero because they follow the data.
    mutating func fillGaps(from other: ZipHeader) {
        if crc == 0 { crc = other.crc }
        if packedSize == 0 { packedSize = other.packedSize }
        if size == 0 { size = other.size }
    }

    private func checkSupport() throws(ArchiveError) {
        guard flags & (1 | 1 << 6 | 1 << 13) == 0 else {
            throw ArchiveError(.encrypted, name: name)
        }
        // Only the flags for compression level, descriptor and UTF-8 are allowed.
        guard flags & ~(0b110 | Self.hasDescriptor | 1 << 11) == 0 else {
            throw ArchiveError(.unknownFlags, name: name)
        }
        guard [Self.stored, Self.deflated].contains(method) else {
            throw ArchiveError(.unknownMethod, name: name, number: UInt32(method))
        }
        guard size != .max, packedSize != .max else {
            throw ArchiveError(.zip64, name: name)
        }
    }

    /// Rejects extra fields that give an entry another name, size or kind.
    private func checkExtra(_ bytes: ArraySlice<UInt8>) throws(ArchiveError) {
        var reader = ZipReader(bytes)
        while !reader.isAtEnd {
            let kind = try reader.uint16()
            let content = try reader.take(Int(try reader.uint16()))
            switch kind {
            case 0x0001: throw ArchiveError(.zip64, name: name)
            case 0x9901, 0x0017: throw ArchiveError(.encrypted, name: name)
            case 0x000D, 0x6C65, 0x6C78, 0x756E:
                throw ArchiveError(.unixAttributes, name: name)
            case 0x7075 where !content.dropFirst(5).elementsEqual(name):
                throw ArchiveError(.twoNames, name: name)
            default: break
            }
        }
    }
}

/// Reads little-endian fields from an archive, checking every offset.
struct ZipReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], at offset: Int) throws(ArchiveError) {
        guard bytes.indices.contains(offset) else { throw Self.truncated }
        rest = bytes[offset...]
    }

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var offset: Int { rest.startIndex }
    var isAtEnd: Bool { rest.isEmpty }

    mutating func uint16() throws(ArchiveError) -> UInt16 {
        let bytes = try take(2)
        return UInt16(bytes[bytes.startIndex]) | UInt16(bytes[bytes.startIndex + 1]) << 8
    }

    mutating func uint32() throws(ArchiveError) -> UInt32 {
        UInt32(try uint16()) | UInt32(try uint16()) << 16
    }

    mutating func take(_ count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Self.truncated }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    static var truncated: ArchiveError { ArchiveError(.truncated) }
}
