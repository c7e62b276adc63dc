/// Why an archive is refused, without a word of it that a person would read unescaped.
public struct ArchiveError: Error, Sendable, Hashable {
    /// The most bytes of a name that are kept.
    public static let nameBytes = 1000

    /// What is wrong.
    public let fault: ArchiveFault
    /// The name of the entry, as the bytes that stand in the archive; empty where it is about none.
    public let name: [UInt8]
    /// A count or a method, where the fault has one.
    public let number: UInt32

    /// States a fault; the name is cut.
    public init(_ fault: ArchiveFault, name: some Collection<UInt8> = [], number: UInt32 = 0) {
        self.fault = fault
        self.name = Array(name.prefix(Self.nameBytes))
        self.number = number
    }
}
