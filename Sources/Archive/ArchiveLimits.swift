/// How large an archive may be; what is read is counted, whatever a header says.
public struct ArchiveLimits: Sendable, Hashable {
    /// The most bytes of the archive.
    public let archiveBytes: Int
    /// The most bytes of all files together, unpacked.
    public let unpackedBytes: Int
    /// The most bytes of one file, unpacked.
    public let fileBytes: Int
    /// The most files and folders.
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
    /// The limits as the words of a command line, in the order of the properties.
    public var words: [String] {
        [archiveBytes, unpackedBytes, fileBytes, entries].map { String($0) }
    }

    /// Reads what ``words`` wrote; `nil` where the words are something else.
    public init?(words: some Collection<String>) {
        let numbers = words.compactMap { Int($0) }.filter { $0 >= 0 }
        guard words.count == 4, numbers.count == 4 else { return nil }
        self.init(
            archiveBytes: numbers[0], unpackedBytes: numbers[1], fileBytes: numbers[2],
            entries: numbers[3])
    }
}
