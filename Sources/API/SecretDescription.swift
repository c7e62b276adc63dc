/// A secret without its value.
public struct SecretDescription: Codable, Sendable {
    /// Whose it is: `app:NAME` or `source:NAME`.
    public let holder: String
    /// Its name.
    public let name: String
    /// What unseals it: `owner` for the owner's key, while that is unlocked; `host` for the weaker kind, which
    /// the host can use at any time.
    public let keeper: String
    /// When its value was set, in milliseconds since 1970.
    public let set: Double

    /// Creates a value from its members.
    public init(holder: String, name: String, keeper: String, set: Double) {
        (self.holder, self.name, self.keeper, self.set) = (holder, name, keeper, set)
    }
}

/// The request to set a secret.
public struct SecretRequest: Codable, Sendable {
    /// The value, 1 to 4096 bytes.
    public let value: String
    /// `owner`, by default, or `host`.
    public let keeper: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case value, keeper
    }

    /// Creates a value from its members.
    public init(value: String, keeper: String? = nil) {
        (self.value, self.keeper) = (value, keeper)
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        value = try members.decode(String.self, forKey: .value)
        keeper = try members.decodeIfPresent(String.self, forKey: .keeper)
    }
}
