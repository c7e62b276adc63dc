/// Which lines of the access log to read, newest first.
public struct AccessLogQuery: Hashable, Sendable {
    public var client: String?
    public var onlyRefused: Bool
    /// Only lines with a smaller id.
    public var before: Int64?
    public var limit: Int

    public init(
        client: String? = nil, onlyRefused: Bool = false, before: Int64? = nil, limit: Int = 100
    ) {
        self.client = client
        self.onlyRefused = onlyRefused
        self.before = before
        self.limit = max(1, limit)
    }
}
