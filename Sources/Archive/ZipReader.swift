/// Reads little-endian fields from some bytes of an archive; no offset is believed unchecked.
struct ZipReader {
    private var rest: ArraySlice<UInt8>

    /// Starts at an offset.
    init(_ bytes: [UInt8], at offset: Int) throws(ArchiveError) {
        guard bytes.indices.contains(offset) else { throw Self.cutOff }
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
        guard count <= rest.count else { throw Self.cutOff }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    static var cutOff: ArchiveError { ArchiveError(.cutOff) }
}
