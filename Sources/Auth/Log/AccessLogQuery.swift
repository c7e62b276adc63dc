/// Which lines of the access log to read, newest first.
public struct AccessLogQuery: Hashable, Sendable {
    public var client: String?
    public var onlyRefused: Bool
    /// Whether the owner's own reads are left out.
    public var withoutOwner: Bool
    /// Only lines of this kind.
    public var kind: AccessLogEntry.Kind?
    /// Only lines with a smaller id.
    public var before: Int64?
    public var limit: Int

    public init(
        client: String? = nil, onlyRefused: Bool = false, withoutOwner: Bool = false,
        kind: AccessLogEntry.Kind? = nil, before: Int64? = nil, limit: Int = 100
    ) {
        self.client = client
        self.onlyRefused = onlyRefused
        self.withoutOwner = withoutOwner
        self.kind = kind
        self.before = before
        self.limit = max(1, limit)
    }
}
