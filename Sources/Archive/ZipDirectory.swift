/// The entries of an archive, after all its records have been read and compared.
///
/// All readers must see the same files in the archive. Therefore each byte belongs to exactly one entry,
/// to the directory or to the end record, and each local header agrees with the directory.
struct ZipDirectory {
    /// The entries in the order of their data.
    let entries: [ZipEntry]

    init(_ archive: [UInt8], limits: ArchiveLimits) throws(ArchiveError) {
        guard archive.count <= limits.archiveBytes else {
            throw ArchiveError(.archiveTooLarge)
        }
        let end = try ZipEnd(in: archive, limits: limits)
        var reader = try ZipReader(archive, at: end.directoryOffset)
        var entries: [ZipEntry] = []
        var total = 0
        for _ in 0..<end.entryCount {
            let entry = try ZipEntry(&reader, limits: limits)
            total += Int(entry.header.size)
            entries.append(entry)
        }
        guard reader.offset == end.offset else { throw ArchiveError(.entryCountMismatch) }
        guard total <= limits.unpackedBytes else { throw ArchiveError(.unpackedTooLarge) }
        entries.sort { $0.offset < $1.offset }
        self.entries = entries
        try Self.checkData(of: entries, in: archive, upTo: end.directoryOffset)
    }

    /// Checks that the entries' data is contiguous from the first byte to the directory.
    private static func checkData(
        of entries: [ZipEntry], in archive: [UInt8], upTo directory: Int
    ) throws(ArchiveError) {
        var offset = 0
        for (index, entry) in entries.enumerated() {
            guard entry.offset == offset else {
                throw ArchiveError(.overlap, name: entry.name)
            }
            let next = index + 1 < entries.count ? entries[index + 1].offset : directory
            guard next <= directory else { throw ZipReader.truncated }
            try check(entry, in: archive[..<directory], upTo: next)
            offset = next
        }
        guard offset == directory else { throw ArchiveError(.strayData) }
    }

    private static func check(
        _ entry: ZipEntry, in data: ArraySlice<UInt8>, upTo end: Int
    ) throws(ArchiveError) {
        let contradiction = ArchiveError(.contradiction, name: entry.name)
        var reader = ZipReader(data[entry.offset...])
        guard try reader.uint32() == 0x0403_4B50 else { throw contradiction }
        _ = try reader.uint16()
        var local = try ZipHeader(&reader) { _ throws(ArchiveError) in }
        if local.hasDescriptor { local.fillGaps(from: entry.header) }
        guard local == entry.header else { throw contradiction }
        _ = try reader.take(Int(entry.header.packedSize))
        guard reader.offset <= end else { throw contradiction }
        let rest = data[reader.offset..<end]
        guard entry.header.hasDescriptor ? isDescriptor(rest, of: entry) : rest.isEmpty else {
            throw contradiction
        }
    }

    /// Whether bytes are the data descriptor of an entry, with or without its signature.
    private static func isDescriptor(_ bytes: ArraySlice<UInt8>, of entry: ZipEntry) -> Bool {
        let fields = [entry.header.crc, entry.header.packedSize, entry.header.size]
        let plain = fields.flatMap { field in (0..<4).map { UInt8(field >> ($0 * 8) & 0xFF) } }
        return bytes.elementsEqual(plain) || bytes.elementsEqual([0x50, 0x4B, 7, 8] + plain)
    }
}

/// The end record of an archive, which locates its directory.
///
/// Source: PKWARE APPNOTE.TXT 6.3.10, section 4.3.16.
private struct ZipEnd {
    static let signature: [UInt8] = [0x50, 0x4B, 5, 6]
    static let size = 22
    /// The longest comment: libarchive looks for the end record in the last 16 KiB only.
    static let longestComment = 16_000

    let offset: Int
    let entryCount: Int
    let directoryOffset: Int

    /// Finds the end record.
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
        guard commentLength <= Self.longestComment else {
            throw ArchiveError(.commentTooLong, number: UInt32(commentLength))
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

    /// Finds the last end record.
    ///
    /// If a comment contains another end record, the archive is rejected later, because readers disagree
    /// about which of the two is valid.
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
