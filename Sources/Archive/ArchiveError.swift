/// Why an archive is rejected.
///
/// It contains no message, because the process that reports it is not trusted.
public struct ArchiveError: Error, Sendable, Hashable {
    /// The maximum number of bytes of ``name``.
    public static let nameBytes = 1000

    /// The kind of error.
    public let fault: ArchiveFault
    /// The name of the faulty entry, as raw bytes of the archive; empty if the fault is not in an entry.
    public let name: [UInt8]
    /// A count or a compression method, if the fault has one.
    public let number: UInt32

    /// Describes a fault; a long name is cut.
    public init(_ fault: ArchiveFault, name: some Collection<UInt8> = [], number: UInt32 = 0) {
        self.fault = fault
        self.name = Array(name.prefix(Self.nameBytes))
        self.number = number
    }
}

/// The kinds of invalid archives.
///
/// The unpacker sends the raw values; the host composes the messages.
public enum ArchiveFault: UInt8, Sendable, CaseIterable {
    /// The file is not a ZIP archive.
    case notAnArchive = 1
    /// The archive exceeds the limit of bytes.
    case archiveTooLarge
    /// The archive exceeds the limit of entries; the number is their count.
    case tooManyEntries
    /// A file exceeds its limit, unpacked.
    case fileTooLarge
    /// All files together exceed their limit, unpacked.
    case unpackedTooLarge
    /// The archive is truncated or refers to data outside itself.
    case truncated
    /// The end record is missing.
    case endMissing
    /// The archive is truncated, or data follows its end.
    case dataAfterEnd
    /// Data precedes the archive, or follows its directory.
    case dataBefore
    /// Data belongs to no entry.
    case strayData
    /// The directory is damaged.
    case directoryDamaged
    /// The directory does not match the end record.
    case entryCountMismatch
    /// Two entries overlap, or there is a gap between them.
    case overlap
    /// The local header of an entry contradicts the directory.
    case contradiction
    /// An entry has two names.
    case twoNames
    /// An entry is stored unpacked and has two sizes.
    case storedWithTwoSizes
    /// An entry is empty and has a checksum.
    case emptyWithChecksum
    /// The data of an entry is not as long as the archive claims.
    case wrongLength
    /// The entries that libarchive reads differ from those in the directory.
    case disagreement
    /// The data cannot be unpacked, or does not match its checksum.
    case damaged
    /// The archive is split over several disks.
    case severalDisks
    /// The archive needs ZIP64.
    case zip64
    /// An entry is encrypted.
    case encrypted
    /// An entry has unknown flags.
    case unknownFlags
    /// An entry has an unknown compression method, given by the number.
    case unknownMethod
    /// An entry has Unix attributes in an extra field.
    case unixAttributes
    /// An entry is neither a plain file nor a folder.
    case unsafeKind
    /// An entry has a set-user, set-group or sticky bit.
    case unsafeMode
    /// A folder has data.
    case folderWithData
    /// The archive's own comment exceeds its limit; the number is its length.
    case commentTooLong
}

/// The limits of an archive, enforced on the bytes read rather than on what headers claim.
public struct ArchiveLimits: Sendable, Hashable {
    /// Bytes of the archive.
    public let archiveBytes: Int
    /// Bytes of all files together, unpacked.
    public let unpackedBytes: Int
    /// Bytes of one file, unpacked.
    public let fileBytes: Int
    /// Files and folders.
    public let entries: Int

    /// Sets the limits.
    public init(archiveBytes: Int, unpackedBytes: Int, fileBytes: Int, entries: Int) {
        self.archiveBytes = archiveBytes
        self.unpackedBytes = unpackedBytes
        self.fileBytes = fileBytes
        self.entries = entries
    }
}

extension ArchiveLimits {
    /// The limits as command-line arguments, in the order of the properties.
    public var arguments: [String] {
        [archiveBytes, unpackedBytes, fileBytes, entries].map { String($0) }
    }

    /// Parses ``arguments``; `nil` if they are invalid.
    public init?(arguments: some Collection<String>) {
        let numbers = arguments.compactMap { Int($0) }.filter { $0 >= 0 }
        guard arguments.count == 4, numbers.count == 4 else { return nil }
        self.init(
            archiveBytes: numbers[0], unpackedBytes: numbers[1], fileBytes: numbers[2],
            entries: numbers[3])
    }
}
