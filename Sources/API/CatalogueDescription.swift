/// A catalogue of packages.
public struct CatalogueDescription: Codable, Sendable {
    /// One package of a catalogue.
    public struct Package: Codable, Hashable, Sendable {
        /// `app` or `sensor-pack`.
        public let kind: String
        /// Its name.
        public let name: String
        /// Its version.
        public let version: String
        /// Its title.
        public let title: String?
        /// Its description.
        public let description: String?
        /// The bytes of its file.
        public let size: Int
        /// The SHA-256 of its file in hexadecimal.
        public let sha256: String

        /// Creates a value from its members.
        public init(
            kind: String, name: String, version: String, title: String? = nil,
            description: String? = nil, size: Int, sha256: String
        ) {
            (self.kind, self.name, self.version) = (kind, name, version)
            (self.title, self.description) = (title, description)
            (self.size, self.sha256) = (size, sha256)
        }
    }

    /// The name that the owner gave it.
    public let name: String
    /// The name that its publisher gave it.
    public let published: String
    /// Its title.
    public let title: String?
    /// The URL or the path of its index.
    public let address: String
    /// The key that signs it, as text.
    public let key: String
    /// `ed25519:` and the SHA-256 of the key.
    public let fingerprint: String
    /// The owner's name for the key.
    public let signer: String?
    /// The sequence number of the index.
    public let sequence: Int64
    /// When its index was last read, in milliseconds since 1970; missing if it is not added.
    public let refreshed: Double?
    /// The number of its packages.
    public let count: Int
    /// Its packages, by name; only in the description of one catalogue.
    public let packages: [Package]?

    /// Creates a value from its members.
    public init(
        name: String, published: String, title: String? = nil, address: String, key: String,
        fingerprint: String, signer: String? = nil, sequence: Int64, refreshed: Double? = nil,
        count: Int, packages: [Package]? = nil
    ) {
        (self.name, self.published, self.title) = (name, published, title)
        (self.address, self.key, self.fingerprint) = (address, key, fingerprint)
        (self.signer, self.sequence, self.refreshed) = (signer, sequence, refreshed)
        (self.count, self.packages) = (count, packages)
    }
}

/// A catalogue to add.
public struct CatalogueRequest: Codable, Sendable {
    /// The https URL or the absolute path of an index, or of the folder that contains `index.json`.
    public let address: String
    /// Another name for it.
    public let name: String?
    /// The key that the owner accepts; needed unless it is a dry run.
    public let key: String?

    /// Creates a value from its members.
    public init(address: String, name: String? = nil, key: String? = nil) {
        (self.address, self.name, self.key) = (address, name, key)
    }
}
