/// Where the route of a session is to be sent.
public struct SendWish: Codable, Sendable {
    /// An https URL, or one of this machine.
    public let to: String
    /// A file with the token that the server asks for; an absolute path.
    public let tokenFile: String?
    /// Whether it is kept where it does not arrive; it is, if this says nothing.
    public let keep: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case to, tokenFile, keep
    }

    public init(to: String, tokenFile: String? = nil, keep: Bool? = nil) {
        (self.to, self.tokenFile, self.keep) = (to, tokenFile, keep)
    }

    /// - Throws: `DecodingError`, also for a member of another name.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        to = try members.decode(String.self, forKey: .to)
        tokenFile = try members.decodeIfPresent(String.self, forKey: .tokenFile)
        keep = try members.decodeIfPresent(Bool.self, forKey: .keep)
    }
}
