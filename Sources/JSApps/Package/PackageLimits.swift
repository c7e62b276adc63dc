import Archive

/// How large a package may be; what is read is counted, whatever a header says.
public struct PackageLimits: Sendable, Hashable {
    /// The most bytes of the archive.
    public var archiveBytes = 20 << 20
    /// The most bytes of all files together, unpacked.
    public var unpackedBytes = 64 << 20
    /// The most bytes of one file, unpacked.
    public var fileBytes = 16 << 20
    /// The most files and folders.
    public var entries = 2000
    /// The most bytes of a path, in UTF-8.
    public var pathBytes = 240
    /// The most components of a path.
    public var depth = 16

    /// The limits that hold unless told otherwise.
    public init() {}

    /// Those that hold for the archive by itself.
    var archive: ArchiveLimits {
        ArchiveLimits(
            archiveBytes: archiveBytes, unpackedBytes: unpackedBytes, fileBytes: fileBytes,
            entries: entries)
    }
}
