/// One entry of an archive whose structure was checked.
struct ZipEntry {
    let header: ZipHeader
    let isFolder: Bool
    /// Where its local header begins.
    let offset: Int

    /// The name, without the slash that ends a folder's.
    var name: ArraySlice<UInt8> { isFolder ? header.name.dropLast() : header.name[...] }

    /// Reads one record of the central directory.
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
        // Two bytes are what deflate makes of nothing.
        guard !isFolder || (header.size == 0 && header.packedSize <= 2) else {
            throw ArchiveError(.folderWithData, name: name)
        }
        guard header.method != ZipHeader.stored || header.size == header.packedSize else {
            throw ArchiveError(.storedWithTwoSizes, name: name)
        }
        // libarchive compares no checksum where there is nothing to read.
        guard header.size > 0 || header.crc == 0 else {
            throw ArchiveError(.emptyWithChecksum, name: name)
        }
        guard header.size <= limits.fileBytes else {
            throw ArchiveError(.fileTooLarge, name: name)
        }
    }

    /// The attributes hold the mode of Unix in the upper half and that of DOS in the lower.
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
