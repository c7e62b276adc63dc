/// Unpacks archives.
///
/// It needs nothing but the archive's bytes and a place to hand the files to, so that it can run in
/// a process that may touch neither files nor the network.
enum ZipExtraction {
    /// Hands every file of an archive to `receive`, checked and with its checksum verified.
    ///
    /// Sizes are counted here again, as the archive's own are only claims.
    ///
    /// - Parameter directory: The archive's structure, which has been checked.
    static func extract(
        _ archive: [UInt8], directory: ZipDirectory, limits: PackageLimits,
        receive: (SafePath, [UInt8]) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        try UTF8Locale.use { () throws(JSAppsError) in
            try read(archive, directory: directory, limits: limits, receive: receive)
        }
    }

    private static func read(
        _ archive: [UInt8], directory: ZipDirectory, limits: PackageLimits,
        receive: (SafePath, [UInt8]) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        var remaining = Dictionary(
            directory.entries.map { ($0.header.name, $0) }, uniquingKeysWith: { first, _ in first })
        var room = limits.unpackedBytes
        let reader = try ArchiveReader.open(archive)
        while let found = try reader.next() {
            guard let entry = remaining.removeValue(forKey: found.name) else {
                throw disagreement
            }
            guard found.isPlain(folder: entry.isFolder) else { throw .unsafeKind(entry.path) }
            guard !entry.isFolder else { continue }
            let limit = min(limits.fileBytes, room)
            let bytes = try reader.content(of: entry.path, atMost: limit)
            guard bytes.count <= limit else {
                throw limit < limits.fileBytes ? .tooMuch(limits) : .tooLarge(entry.path, limits)
            }
            guard bytes.count == Int(entry.header.size) else {
                throw JSAppsError(
                    .malformedArchive,
                    "‘\(entry.path.shown)’ in the archive is not as long as the archive says.")
            }
            room -= bytes.count
            try receive(entry.path, bytes)
        }
        guard remaining.isEmpty else { throw disagreement }
    }

    private static var disagreement: JSAppsError {
        JSAppsError(.malformedArchive, "The archive's directory and its content differ.")
    }
}
