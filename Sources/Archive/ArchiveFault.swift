/// What can be wrong with an archive.
///
/// The raw values go over the wire from the process that unpacks. The sentences for people are made
/// by the host, which takes no text from that process.
public enum ArchiveFault: UInt8, Sendable, CaseIterable {
    /// The bytes are no ZIP archive.
    case notAnArchive = 1
    /// It has more bytes than allowed.
    case archiveTooLarge
    /// It has more entries than allowed; the number is how many.
    case tooManyEntries
    /// One file has more bytes than allowed, unpacked.
    case fileTooLarge
    /// All files together have more bytes than allowed, unpacked.
    case unpackedTooLarge
    /// It is cut off or points outside itself.
    case cutOff
    /// The record that ends it is missing.
    case endMissing
    /// It is cut off, or data follows its end.
    case dataAfterEnd
    /// Data stands before it, or between its directory and its end.
    case dataBefore
    /// It has data that is in no entry.
    case strayData
    /// The directory is damaged.
    case directoryDamaged
    /// The directory does not hold what the end says.
    case directoryMiscounted
    /// Two entries overlap, or there is a gap between them.
    case overlap
    /// The local header of an entry says something else than the directory.
    case contradiction
    /// An entry has two names.
    case twoNames
    /// An entry is stored unpacked and has two sizes.
    case storedWithTwoSizes
    /// An entry is empty and has a checksum.
    case emptyWithChecksum
    /// An entry is not as long as the archive says.
    case wrongLength
    /// What can be read from it is not what its directory lists.
    case disagreement
    /// The data cannot be unpacked, or does not match its checksum.
    case damaged
    /// It spreads over several disks.
    case severalDisks
    /// It needs ZIP64.
    case zip64
    /// An entry is encrypted.
    case encrypted
    /// An entry has flags that are not known here.
    case unknownFlags
    /// An entry is packed by an unknown method; the number is which.
    case unknownMethod
    /// An entry has Unix attributes in an extra field.
    case unixAttributes
    /// An entry is neither a plain file nor a folder.
    case unsafeKind
    /// An entry has a set-user, set-group or sticky bit.
    case unsafeMode
    /// A folder has data.
    case folderWithData
}
