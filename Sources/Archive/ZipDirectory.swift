/// What an archive holds, after every record was read and compared with every other.
///
/// Any two readers must see the same files in it: each byte belongs to exactly one entry, to the
/// directory or to the end record, and each local header says what the directory says.
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
        guard reader.offset == end.offset else { throw ArchiveError(.directoryMiscounted) }
        guard total <= limits.unpackedBytes else { throw ArchiveError(.unpackedTooLarge) }
        entries.sort { $0.offset < $1.offset }
        self.entries = entries
        try Self.checkData(of: entries, in: archive, upTo: end.directoryOffset)
    }

    /// Walks over the data from the first byte on; what is not where the last entry ended lies.
    private static func checkData(
        of entries: [ZipEntry], in archive: [UInt8], upTo directory: Int
    ) throws(ArchiveError) {
        var offset = 0
        for (index, entry) in entries.enumerated() {
            guard entry.offset == offset else {
                throw ArchiveError(.overlap, name: entry.name)
            }
            let next = index + 1 < entries.count ? entries[index + 1].offset : directory
            guard next <= directory else { throw ZipReader.cutOff }
            try check(entry, in: archive[..<directory], upTo: next)
            offset = next
        }
        guard offset == directory else { throw ArchiveError(.strayData) }
    }

    private static func check(
        _ entry: ZipEntry, in data: ArraySlice<UInt8>, upTo end: Int
    ) throws(ArchiveError) {
        let lie = ArchiveError(.contradiction, name: entry.name)
        var reader = ZipReader(data[entry.offset...])
        guard try reader.uint32() == 0x0403_4B50 else { throw lie }
        _ = try reader.uint16()
        var local = try ZipHeader(&reader) { _ throws(ArchiveError) in }
        if local.hasDescriptor { local.fillGaps(from: entry.header) }
        guard local == entry.header else { throw lie }
        _ = try reader.take(Int(entry.header.packedSize))
        guard reader.offset <= end else { throw lie }
        let rest = data[reader.offset..<end]
        guard entry.header.hasDescriptor ? isDescriptor(rest, of: entry) : rest.isEmpty else {
            throw lie
        }
    }

    /// Whether some bytes are the descriptor of an entry, with or without its signature.
    private static func isDescriptor(_ bytes: ArraySlice<UInt8>, of entry: ZipEntry) -> Bool {
        let fields = [entry.header.crc, entry.header.packedSize, entry.header.size]
        let plain = fields.flatMap { field in (0..<4).map { UInt8(field >> ($0 * 8) & 0xFF) } }
        return bytes.elementsEqual(plain) || bytes.elementsEqual([0x50, 0x4B, 7, 8] + plain)
    }
}
