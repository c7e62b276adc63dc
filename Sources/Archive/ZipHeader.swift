/// The fields that a local header and a record of the central directory have in common.
///
/// Source: PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.4.
struct ZipHeader: Equatable {
    static let stored: UInt16 = 0
    static let deflated: UInt16 = 8
    /// Sizes and checksum stand behind the data.
    static let hasDescriptor: UInt16 = 1 << 3

    let flags: UInt16
    let method: UInt16
    var crc: UInt32
    var packedSize: UInt32
    var size: UInt32
    let name: [UInt8]

    /// Reads the fields from “flags” to “name length”, then what lies between, then the name.
    init(
        _ reader: inout ZipReader, readingBetween: (inout ZipReader) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        flags = try reader.uint16()
        method = try reader.uint16()
        _ = try reader.uint32()
        crc = try reader.uint32()
        packedSize = try reader.uint32()
        size = try reader.uint32()
        let nameLength = Int(try reader.uint16())
        let extraLength = Int(try reader.uint16())
        try readingBetween(&reader)
        name = Array(try reader.take(nameLength))
        try checkExtra(try reader.take(extraLength))
        try checkSupport()
    }

    var hasDescriptor: Bool { flags & Self.hasDescriptor != 0 }

    /// Takes over what a writer leaves at zero when it learns it only behind the data.
    mutating func fillGaps(from other: ZipHeader) {
        if crc == 0 { crc = other.crc }
        if packedSize == 0 { packedSize = other.packedSize }
        if size == 0 { size = other.size }
    }

    private func checkSupport() throws(ArchiveError) {
        guard flags & (1 | 1 << 6 | 1 << 13) == 0 else {
            throw ArchiveError(.encrypted, name: name)
        }
        // Compression level, descriptor and UTF-8 are the flags that change nothing.
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

    /// Looks at every extra field; those that give an entry another name, size or kind are refused.
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
