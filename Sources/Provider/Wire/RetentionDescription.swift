import Samples

/// How long what a sensor measured is kept, as the API tells it; what is missing is without limit.
public struct RetentionDescription: Codable, Equatable, Sendable {
    /// How old a sample may get, as a span.
    public var raw: String?
    /// Bytes that samples may take.
    public var bytes: Int64?
    /// How old the summary of an hour may get, as a span.
    public var summaries: String?

    public init(raw: String? = nil, bytes: Int64? = nil, summaries: String? = nil) {
        self.raw = raw
        self.bytes = bytes
        self.summaries = summaries
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case raw, bytes, summaries
    }

    /// - Throws: `DecodingError`, also for a member of another name: mistyped, it would mean no limit.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.stringValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        raw = try members.decodeIfPresent(String.self, forKey: .raw)
        bytes = try members.decodeIfPresent(Int64.self, forKey: .bytes)
        summaries = try members.decodeIfPresent(String.self, forKey: .summaries)
    }

    init(_ rule: RetentionRule) {
        self.init(raw: rule.raw?.span, bytes: rule.bytes, summaries: rule.summaries?.span)
    }
}
