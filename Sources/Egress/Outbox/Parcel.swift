public import Addresses

/// What is to be sent, and where to.
public struct Parcel: Sendable {
    /// The most bytes of one.
    public static let largest = 16 << 20
    private static let longestTitle = 200

    public let address: WebAddress
    /// What it is, for a person.
    public let title: String
    /// Such as `application/geo+json`.
    public let mediaType: String
    public let body: [UInt8]
    /// A file that holds the token which the server asks for, and nothing else but the end of its line;
    /// read at every try.
    public let tokenFile: String?

    /// - Throws: `invalid` for an address that is neither https nor this machine, for more bytes than
    ///   ``largest``, and for a file without an absolute path.
    public init(
        to address: WebAddress, title: String, mediaType: String, body: [UInt8],
        tokenFile: String? = nil
    ) throws(OutboxError) {
        guard address.origin.scheme == .https || address.origin.host.isThisMachine else {
            throw OutboxError(
                .invalid, "\(address.origin) is not encrypted: anybody on the way could read it.",
                hint: "Name an address that begins with https://")
        }
        guard body.count <= Self.largest else {
            throw OutboxError(
                .invalid, "It is larger than \(Self.largest >> 20) MiB, the most that is sent.")
        }
        guard tokenFile?.hasPrefix("/") != false else {
            throw OutboxError(.invalid, "The file of the token needs an absolute path.")
        }
        self.address = address
        self.title = String(title.prefix(Self.longestTitle))
        self.mediaType = mediaType
        self.body = body
        self.tokenFile = tokenFile
    }
}

extension WebHost {
    fileprivate var isThisMachine: Bool {
        switch self {
        case .address(let address): address.scope.reach == .ownMachine
        // RFC 6761, section 6.3.
        case .name(let name): name == "localhost"
        }
    }
}
