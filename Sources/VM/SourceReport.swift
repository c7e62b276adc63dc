/// How a source that sends of its own accord is doing.
public struct SourceReport: Hashable, Sendable {
    /// Where the way to the source stands.
    public enum Link: String, Hashable, Sendable {
        /// Nobody has asked for it yet.
        case unknown
        /// It is looked for, as by radio.
        case scanning
        case connecting
        case connected
        /// It ended or was not to be had; it is tried again later.
        case disconnected
    }

    public var link = Link.unknown
    /// How often it became connected.
    public var connections = 0
    /// Messages, lines or readings that came.
    public var received = 0
    /// Those that became samples.
    public var taken = 0
    /// Those that were left out, by the reason.
    public var leftOut = LeftOut()
    /// Samples older than one that came before; they are kept.
    public var late = 0
    /// The last thing that went wrong, one sentence.
    public var problem: String?

    /// Counts of what did not become samples.
    public struct LeftOut: Hashable, Sendable {
        /// Not of the format, or no value of its field.
        public var malformed = 0
        /// Without one of the fields.
        public var incomplete = 0
        /// With a time that cannot be, or without one where one belongs.
        public var mistimed = 0
        /// There already, with the same time.
        public var repeated = 0
        /// More than the highest rate of the source, or more than could be stored in time.
        public var excess = 0

        public init() {}

        public var total: Int { malformed + incomplete + mistimed + repeated + excess }
    }

    public init() {}
}
