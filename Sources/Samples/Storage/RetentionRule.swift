/// How long what a sensor measured is kept, and how much of it.
///
/// First the samples themselves go, oldest first; a summary of each hour stays. Then the summaries
/// go. The newest sample always stays.
public struct RetentionRule: Hashable, Sendable, Codable {
    /// How old a sample may get; `nil` for as old as there is room.
    public var raw: Duration?
    /// Bytes that the samples may take; `nil` for as many as there is room.
    public var bytes: Int64?
    /// How old the summary of an hour may get, counted from the hour; `nil` for no limit.
    ///
    /// Where it is not above `raw`, no summaries are made.
    public var summaries: Duration?

    public init(raw: Duration? = nil, bytes: Int64? = nil, summaries: Duration? = nil) {
        self.raw = raw
        self.bytes = bytes
        self.summaries = summaries
    }

    /// Samples stay while they fit, summaries for ever.
    public static let standard = RetentionRule()
}

extension RetentionRule: CustomStringConvertible {
    /// Such as `raw 30d, at most 500000000 bytes, summaries 1825d`.
    public var description: String {
        [
            raw.map { "raw \($0.span)" } ?? "raw while it fits",
            bytes.map { "at most \($0) bytes" },
            summaries.map { "summaries \($0.span)" } ?? "summaries kept",
        ].compactMap(\.self).joined(separator: ", ")
    }
}
