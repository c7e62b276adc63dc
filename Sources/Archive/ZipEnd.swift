/// The record that ends an archive and says where its directory is.
///
/// Source: PKWARE APPNOTE.TXT 6.3.10, section 4.3.16.
struct ZipEnd {
    static let signature: [UInt8] = [0x50, 0x4B, 5, 6]
    static let size = 22

    let offset: Int
    let entryCount: Int
    let directoryOffset: Int

    /// Finds the one record that can end these bytes.
    init(in archive: [UInt8], limits: ArchiveLimits) throws(ArchiveError) {
        offset = try Self.find(in: archive)
        var reader = try ZipReader(archive, at: offset + 4)
        let disk = try reader.uint16()
        let directoryDisk = try reader.uint16()
        let countHere = try reader.uint16()
        let count = try reader.uint16()
        let directorySize = try reader.uint32()
        let start = try reader.uint32()
        let commentLength = Int(try reader.uint16())
        let usesZip64 = countHere == .max || count == .max || directorySize == .max || start == .max
        guard !usesZip64 else {
            throw ArchiveError(.zip64)
        }
        guard disk == 0, directoryDisk == 0, countHere == count else {
            throw ArchiveError(.severalDisks)
        }
        guard offset + Self.size + commentLength == archive.count else {
            throw ArchiveError(.dataAfterEnd)
        }
        guard Int(start) + Int(directorySize) == offset else {
            throw ArchiveError(.dataBefore)
        }
        guard count <= limits.entries else {
            throw ArchiveError(.tooManyEntries, number: UInt32(count))
        }
        entryCount = Int(count)
        directoryOffset = Int(start)
    }

    /// The last end record; a comment that holds another one is none, as that is where readers differ.
    private static func find(in archive: [UInt8]) throws(ArchiveError) -> Int {
        var offset = archive.count - 4
        let first = max(0, archive.count - size - Int(UInt16.max))
        while offset >= first {
            if archive[offset] == 0x50, archive[offset...].starts(with: signature) { return offset }
            offset -= 1
        }
        guard archive.starts(with: [0x50, 0x4B]) else {
            throw ArchiveError(.notAnArchive)
        }
        throw ArchiveError(.endMissing)
    }
}
