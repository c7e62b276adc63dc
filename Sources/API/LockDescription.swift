/// The state of the owner's key.
public struct LockDescription: Codable, Sendable {
    /// `none` without a key, else `locked` or `unlocked`.
    public let state: String
    /// 16 hexadecimal digits that tell keys apart.
    public let fingerprint: String?
    /// The ways in which the key can be unlocked here now: `passphrase`, `credential`, `recovery`.
    public let methods: [String]
    /// To whom the recovery file is encrypted, a recipient of `age`.
    public let recovery: String?
    /// The path of the recovery file.
    public let recoveryFile: String?
    /// How long the key stays unlocked, in seconds.
    public let lease: Double?
    /// How long it stays unlocked from now on, in seconds; while unlocked.
    public let left: Double?
    /// The wrong passphrases since the last correct one.
    public let wrongAttempts: Int
    /// How long the next passphrase must wait, in seconds.
    public let wait: Double?

    /// Creates a value from its members.
    public init(
        state: String, fingerprint: String? = nil, methods: [String] = [],
        recovery: String? = nil, recoveryFile: String? = nil, lease: Double? = nil,
        left: Double? = nil, wrongAttempts: Int = 0, wait: Double? = nil
    ) {
        (self.state, self.fingerprint, self.methods) = (state, fingerprint, methods)
        (self.recovery, self.recoveryFile) = (recovery, recoveryFile)
        (self.lease, self.left) = (lease, left)
        (self.wrongAttempts, self.wait) = (wrongAttempts, wait)
    }
}

/// The request to create the owner's key.
public struct LockSetupRequest: Codable, Sendable {
    /// The passphrase.
    public let passphrase: String
    /// A recipient of `age` that can recover the key.
    public let recovery: String?
    /// Whether the credential of the service unlocks the key, too.
    public let credential: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case passphrase, recovery, credential
    }

    /// Creates a value from its members.
    public init(passphrase: String, recovery: String? = nil, credential: Bool? = nil) {
        (self.passphrase, self.recovery, self.credential) = (passphrase, recovery, credential)
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        passphrase = try members.decode(String.self, forKey: .passphrase)
        recovery = try members.decodeIfPresent(String.self, forKey: .recovery)
        credential = try members.decodeIfPresent(Bool.self, forKey: .credential)
    }
}

/// The request to unlock the owner's key, or to set another passphrase: exactly one proof.
public struct UnlockRequest: Codable, Sendable {
    /// The present passphrase.
    public let passphrase: String?
    /// `true` to use the credential of the service.
    public let credential: Bool?
    /// The line that `age --decrypt` writes for the recovery file.
    public let recovered: String?
    /// The new passphrase; only to set one.
    public let newPassphrase: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case passphrase, credential, recovered, newPassphrase
    }

    /// Creates a value from its members.
    public init(
        passphrase: String? = nil, credential: Bool? = nil, recovered: String? = nil,
        newPassphrase: String? = nil
    ) {
        (self.passphrase, self.credential) = (passphrase, credential)
        (self.recovered, self.newPassphrase) = (recovered, newPassphrase)
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        passphrase = try members.decodeIfPresent(String.self, forKey: .passphrase)
        credential = try members.decodeIfPresent(Bool.self, forKey: .credential)
        recovered = try members.decodeIfPresent(String.self, forKey: .recovered)
        newPassphrase = try members.decodeIfPresent(String.self, forKey: .newPassphrase)
    }
}

/// The request to change how long the owner's key stays unlocked.
public struct LeaseRequest: Codable, Sendable {
    /// A duration such as `5m`, from 10 s to 24 h.
    public let lease: String

    private enum CodingKeys: String, CodingKey {
        case lease
    }

    /// Creates a value from its members.
    public init(lease: String) {
        self.lease = lease
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: [CodingKeys.lease.rawValue])
        lease = try decoder.container(keyedBy: CodingKeys.self).decode(
            String.self, forKey: .lease)
    }
}
