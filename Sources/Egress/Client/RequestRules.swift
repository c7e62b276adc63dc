/// Which methods and header fields of a caller go to another server.
///
/// Those that a browser keeps to itself (Fetch Standard, “forbidden request-header”) are the host's, and
/// so is who it says it is. Nothing of the host goes along: no cookies, and an `Authorization` only where
/// the caller wrote it.
enum RequestRules {
    static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    /// The most fields, and the most bytes of them.
    static let fields = 64
    static let fieldBytes = 16 << 10

    private static let own: Set<String> = [
        "accept-charset", "accept-encoding", "connection", "content-length", "cookie", "cookie2",
        "date", "dnt", "expect", "host", "http2-settings", "keep-alive", "origin", "referer",
        "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
        "via", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
        "x-http-method", "x-http-method-override", "x-method-override",
    ]
    private static let ownPrefixes = ["access-control-", "nervous-", "proxy-", "sec-"]

    /// The fields that are sent; those of the host's are left out.
    ///
    /// - Throws: `invalidRequest` for what is no field.
    static func sent(_ fields: [HeaderLine]) throws(NetError) -> [HeaderLine] {
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard fields.count <= Self.fields, bytes <= Self.fieldBytes else {
            throw NetError(
                .invalidRequest,
                "At most \(Self.fields) header fields of \(Self.fieldBytes) bytes are sent.")
        }
        for field in fields where !isField(field) {
            throw NetError(
                .invalidRequest, "A header field is not a name and a value of visible ASCII.")
        }
        return fields.filter { !isOwn($0.name) }
    }

    static func isOwn(_ name: String) -> Bool {
        let name = name.lowercased()
        return own.contains(name) || ownPrefixes.contains(where: name.hasPrefix)
    }

    private static func isField(_ field: HeaderLine) -> Bool {
        let isName = !field.name.isEmpty && field.name.utf8.allSatisfy(\.isTokenCharacter)
        return isName && field.value.utf8.allSatisfy { $0 == 9 || (0x20..<0x7F).contains($0) }
    }
}

extension UInt8 {
    /// Whether it may stand in a token of RFC 9110, section 5.6.2.
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
