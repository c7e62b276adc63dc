/// The status of the host.
public struct HostStatus: Codable, Sendable {
    /// The version of nervous.
    public let version: String
    /// The identifier of the host's process.
    public let pid: Int32
    /// The data directory.
    public let data: String
    /// The TCP port; missing if the host does not listen.
    public let port: Int?
    /// When it started, in milliseconds since 1970.
    public let started: Double
    /// Whether it collects.
    public let collecting: Bool
    /// The number of samples that the host has now; pruned and forgotten samples do not count.
    public let samples: Int64
    /// How many of these samples are not on disk yet.
    public let buffered: Int
    /// Samples dropped since the host started, because writing failed.
    public let dropped: Int
    /// Bytes of the store and its write-ahead log.
    public let bytes: Int64
    /// Why samples, or else the access log, cannot be written; missing once a write succeeds.
    public let failure: String?
    /// Ranges of damaged samples; missing if none are known.
    public let damaged: [DamagedRange]?
    /// The newest entry of the access log, and the size and budget of the log.
    public let accessLog: AccessLogHead
    /// The listener for the local network; missing if there is none.
    public let localNetwork: LocalNetworkDescription?

    /// Creates a value from its members.
    public init(
        version: String, pid: Int32, data: String, port: Int? = nil, started: Double,
        collecting: Bool, samples: Int64, buffered: Int, dropped: Int, bytes: Int64,
        failure: String? = nil, damaged: [DamagedRange]? = nil, accessLog: AccessLogHead,
        localNetwork: LocalNetworkDescription? = nil
    ) {
        self.version = version
        self.pid = pid
        self.data = data
        self.port = port
        self.started = started
        self.collecting = collecting
        self.samples = samples
        self.buffered = buffered
        self.dropped = dropped
        self.bytes = bytes
        self.failure = failure
        self.damaged = damaged
        self.accessLog = accessLog
        self.localNetwork = localNetwork
    }
}

/// The listener for the local network, which accepts pushed samples.
public struct LocalNetworkDescription: Codable, Hashable, Sendable {
    /// Its URLs: first those with an address, beginning with the one that a phone most likely reaches,
    /// then the one with a name.
    public let urls: [String]
    /// The pin of the server's key: `sha256/`, and the SHA-256 of the `SubjectPublicKeyInfo` in Base64.
    ///
    /// It does not change when the certificate is renewed.
    public let pin: String
    /// When the server's certificate expires, in milliseconds since 1970.
    public let expires: Double
    /// The path of the PEM file with the authority's certificate, which phones install.
    public let authority: String
    /// The SHA-256 of that certificate as phones show it, such as `5A:0F:…`.
    public let fingerprint: String

    /// Creates a value from its members.
    public init(
        urls: [String], pin: String, expires: Double, authority: String, fingerprint: String
    ) {
        self.urls = urls
        self.pin = pin
        self.expires = expires
        self.authority = authority
        self.fingerprint = fingerprint
    }
}

/// A page of a list.
public struct ItemList<Item: Codable & Sendable>: Codable, Sendable {
    /// The items.
    public let items: [Item]
    /// The cursor of the next page; missing on the last one.
    public let next: String?

    /// Creates a page.
    public init(_ items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension Decoder {
    /// - Throws: `DecodingError` if the object has another member.
    func rejectMembers(except known: [String]) throws {
        let all = try container(keyedBy: AnyKey.self)
        guard let unknown = all.allKeys.first(where: { !known.contains($0.stringValue) }) else {
            return
        }
        throw DecodingError.dataCorruptedError(
            forKey: unknown, in: all, debugDescription: "an unknown member")
    }
}

/// A member of any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
