/// Reads an archive and sends its content as frames.
///
/// It needs only the archive's bytes, so it can run in a process without access to files or the
/// network.
///
/// ```swift
/// Unpacking.unpack(archive, limits: limits) { frame in output.send(frame) }
/// ```
public enum Unpacking {
    /// Reads an archive to its end or to its first error.
    ///
    /// - Parameters:
    ///   - archive: the bytes of an untrusted file.
    ///   - limits: enforced on the bytes read.
    ///   - send: takes the frames in order; returns `false` to stop.
    public static func unpack(
        _ archive: [UInt8], limits: ArchiveLimits, send: (UnpackerFrame) -> Bool
    ) {
        do throws(ArchiveError) {
            let directory = try ZipDirectory(archive, limits: limits)
            for entry in directory.entries {
                let frame = UnpackerFrame.entry(
                    name: Array(entry.name), isFolder: entry.isFolder, size: entry.header.size)
                guard send(frame) else { return }
            }
            guard send(.listed),
                try ZipExtraction.extract(
                    archive, directory: directory, limits: limits, send: send)
            else { return }
            _ = send(.done)
        } catch {
            _ = send(.refused(error))
        }
    }

    /// Unpacks a small archive, so that libarchive and the C library load what they need before the
    /// process is confined.
    ///
    /// - Returns: whether it was unpacked.
    public static func warmUp() -> Bool {
        var isDone = false
        do throws(ArchiveError) {
            let writer = try ArchiveWriter.create(capacity: 4096)
            try writer.add("é/è", Array("warm".utf8))
            let archive = try writer.finish()
            let limits = ArchiveLimits(
                archiveBytes: 4096, unpackedBytes: 4096, fileBytes: 4096, entries: 10)
            unpack(archive, limits: limits) { frame in
                isDone = frame == .done
                return true
            }
        } catch {
            return false
        }
        return isDone
    }
}

/// Unpacks the files of an archive whose structure has been checked.
private enum ZipExtraction {
    /// Sends every file in pieces, and verifies its checksum before its end is sent.
    ///
    /// Sizes are counted again, because those of the archive are only claims.
    ///
    /// - Returns: `false` if `send` stopped the unpacking.
    static func extract(
        _ archive: [UInt8], directory: ZipDirectory, limits: ArchiveLimits,
        send: (UnpackerFrame) -> Bool
    ) throws(ArchiveError) -> Bool {
        let reader = try ArchiveReader.open(archive)
        var remaining = limits.unpackedBytes
        for entry in directory.entries {
            guard let found = try reader.next(), found.name == entry.header.name else {
                throw ArchiveError(.disagreement)
            }
            guard found.isPlain(folder: entry.isFolder) else {
                throw ArchiveError(.unsafeKind, name: entry.name)
            }
            guard !entry.isFolder else { continue }
            guard try copy(entry, from: reader, limits: limits, remaining: remaining, send: send)
            else {
                return false
            }
            remaining -= Int(entry.header.size)
        }
        guard try reader.next() == nil else { throw ArchiveError(.disagreement) }
        return true
    }

    private static func copy(
        _ entry: ZipEntry, from reader: borrowing ArchiveReader, limits: ArchiveLimits,
        remaining: Int,
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
            guard size <= remaining else { throw ArchiveError(.unpackedTooLarge) }
            // A file longer than declared is only counted, to distinguish a ZIP bomb from an error.
            guard size <= Int(entry.header.size) else { continue }
            guard send(.content(piece)) else { return false }
        }
        guard size == Int(entry.header.size) else {
            throw ArchiveError(.wrongLength, name: entry.name)
        }
        return send(.fileEnd)
    }
}
