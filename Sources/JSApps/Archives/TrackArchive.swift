import Scheduling

/// Reads the document of a KMZ file, a ZIP archive of a KML document and its pictures.
///
/// Unpacking waits for a process, so it runs on a thread of its own.
///
/// ```swift
/// let archive = TrackArchive(unpacker: unpacker)
/// let document = try await archive.document(in: bytes)
/// ```
public actor TrackArchive {
    /// The limits of a KMZ file.
    private static let limits: PackageLimits = {
        var limits = PackageLimits()
        limits.archiveBytes = 64 << 20
        limits.unpackedBytes = 256 << 20
        limits.fileBytes = 64 << 20
        return limits
    }()

    private let unpacker: ArchiveUnpacker
    private let executor = BlockingSerialExecutor(label: "track archives")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter unpacker: unpacks the archives.
    public init(unpacker: ArchiveUnpacker) {
        self.unpacker = unpacker
    }

    /// The first KML document of the archive, which is the main one of a KMZ file.
    ///
    /// Source: OGC KML 2.3, annex C.
    ///
    /// - Throws: ``JSAppsError`` if the archive is invalid, too large, or has no such document.
    public func document(in archive: [UInt8]) throws(JSAppsError) -> [UInt8] {
        var found: [UInt8]?
        try unpacker.unpack(archive, limits: Self.limits) { event throws(JSAppsError) in
            guard case .file(let path, let bytes) = event, found == nil,
                path.components.last?.lowercased().hasSuffix(".kml") ?? false
            else { return }
            found = bytes
        }
        guard let found else {
            throw JSAppsError(
                .missingFile, "The archive has no KML document, so it has no tracks.",
                hint: "Import the file of tracks itself.")
        }
        return found
    }
}
