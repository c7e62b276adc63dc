/// Reads an archive and tells what is in it.
///
/// It needs nothing but the archive's bytes and somebody to tell, so that it can run in a process
/// that may touch neither files nor the network.
public enum Unpacking {
    /// Reads an archive to its end or to its first fault.
    ///
    /// - Parameters:
    ///   - archive: The bytes of a hostile file.
    ///   - limits: What is enforced by counting real bytes.
    ///   - send: Takes the frames in order; returns `false` when nobody wants the rest.
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

    /// Lets libarchive and the C library load what they load at their first use of a name in UTF-8,
    /// by unpacking a small archive of our own.
    ///
    /// - Returns: Whether it could be unpacked.
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
