/// Unpacks the files of an archive whose structure was checked.
enum ZipExtraction {
    /// Sends every file of an archive in pieces, with its checksum verified before its end is sent.
    ///
    /// Sizes are counted here again, as the archive's own are only claims.
    ///
    /// - Returns: `false` when nobody wants the rest.
    static func extract(
        _ archive: [UInt8], directory: ZipDirectory, limits: ArchiveLimits,
        send: (UnpackerFrame) -> Bool
    ) throws(ArchiveError) -> Bool {
        let reader = try ArchiveReader.open(archive)
        var room = limits.unpackedBytes
        for entry in directory.entries {
            guard let found = try reader.next(), found.name == entry.header.name else {
                throw ArchiveError(.disagreement)
            }
            guard found.isPlain(folder: entry.isFolder) else {
                throw ArchiveError(.unsafeKind, name: entry.name)
            }
            guard !entry.isFolder else { continue }
            guard try copy(entry, from: reader, limits: limits, room: room, send: send) else {
                return false
            }
            room -= Int(entry.header.size)
        }
        guard try reader.next() == nil else { throw ArchiveError(.disagreement) }
        return true
    }

    private static func copy(
        _ entry: ZipEntry, from reader: borrowing ArchiveReader, limits: ArchiveLimits, room: Int,
        send: (UnpackerFrame) -> Bool
    ) throws(ArchiveError) -> Bool {
        var size = 0
        while true {
            let piece = try reader.read(entry.name, atMost: UnpackerFrame.pieceBytes)
            guard !piece.isEmpty else { break }
            size += piece.count
            guard size <= limits.fileBytes else {
                throw ArchiveError(.fileTooLarge, name: entry.name)
            }
            guard size <= room else { throw ArchiveError(.unpackedTooLarge) }
            // What is longer than it says is only counted on, to tell a bomb from a mistake.
            guard size <= Int(entry.header.size) else { continue }
            guard send(.content(piece)) else { return false }
        }
        guard size == Int(entry.header.size) else {
            throw ArchiveError(.wrongLength, name: entry.name)
        }
        return send(.fileEnd)
    }
}
