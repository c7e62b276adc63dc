public import Addresses

/// A field of an HTTP header.
public struct HeaderField: Hashable, Sendable {
    /// The name, in the spelling of the sender.
    public let name: String
    /// The value, without surrounding whitespace.
    public let value: String

    /// Creates a field; nothing is checked.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the name is a token and the value visible ASCII, blanks and tabs: RFC 9110, sections
    /// 5.5 and 5.6.2.
    public var isValid: Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
            && value.utf8.allSatisfy { $0 == 9 || (0x20..<0x7F).contains($0) }
    }
}

/// A request to a server.
///
/// ```swift
/// let request = try OutboundRequest("POST", address, fields: [HeaderField("Accept", "text/csv")])
/// ```
public struct OutboundRequest: Hashable, Sendable {
    /// The method, in upper case.
    public let method: String
    /// The URL.
    public let address: WebAddress
    /// Header fields in addition to those of the client, such as `Host` and `Content-Length`.
    public let fields: [HeaderField]
    /// The body; empty for none.
    public let body: [UInt8]
    /// The lower-case names of fields that only this origin may receive.
    private var boundNames: Set<String> = []

    /// Creates the request of an app, which may set the header fields that a page may set.
    ///
    /// Fields that a browser reserves for itself are dropped: see the Fetch Standard, “forbidden
    /// request-header”. The host adds no cookies and no credentials.
    ///
    /// - Throws: `invalidRequest` for a method that is not in ``methods`` and for an invalid field.
    public init(
        _ method: String, _ address: WebAddress, fields: [HeaderField] = [], body: [UInt8] = []
    ) throws(EgressError) {
        guard Self.methods.contains(method) else {
            throw EgressError(
                .invalidRequest,
                "The method is not one of \(Self.methods.sorted().joined(separator: ", ")).")
        }
        guard body.isEmpty || (method != "GET" && method != "HEAD") else {
            throw EgressError(.invalidRequest, "A \(method) request has no body.")
        }
        let allowed = try ForbiddenFields.filter(fields)
        self.init(trusted: method, address, fields: allowed, body: body)
    }

    /// Creates a request of the host itself, without checks.
    ///
    /// - Parameter fields: can replace `User-Agent` and `Accept`, but not the fields that delimit the
    ///   message, such as `Content-Length`.
    public init(
        trusted method: String, _ address: WebAddress, fields: [HeaderField] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.address = address
        self.fields = fields
        self.body = body
    }

    /// The methods that apps may use.
    public static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
    ]

    /// The request with other values of fields, which only this origin receives: a redirect to another one
    /// drops them.
    ///
    /// - Parameter values: by the lower-case name of the field.
    /// - Throws: `invalidRequest` for a value that a field cannot have. The error does not contain it.
    public func binding(_ values: [String: String]) throws(EgressError) -> OutboundRequest {
        let fields = fields.map { field in
            HeaderField(field.name, values[field.name.lowercased()] ?? field.value)
        }
        guard fields.allSatisfy(\.isValid) else {
            throw EgressError(
                .invalidRequest, "The value of a header field is not visible ASCII.")
        }
        var request = OutboundRequest(trusted: method, address, fields: fields, body: body)
        request.boundNames = boundNames.union(values.keys)
        return request
    }

    // MARK: - Redirects

    private static let redirectStatuses: Set = [301, 302, 303, 307, 308]
    private static let bodyFields: Set = [
        "content-encoding", "content-language", "content-location", "content-type",
    ]

    /// Whether a response asks the client to continue at another address.
    static func isRedirect(_ status: Int, location: String?) -> Bool {
        redirectStatuses.contains(status) && location != nil
    }

    /// The request that follows a redirect, after the Fetch Standard's “HTTP-redirect fetch”.
    ///
    /// - Returns: `nil` if the response is not a redirect.
    /// - Throws: `redirectRefused` for an invalid URL, and for a redirect from https to http.
    func redirected(status: Int, location: String?) throws(EgressError) -> OutboundRequest? {
        guard let location, Self.isRedirect(status, location: location) else { return nil }
        let origin = address.origin
        guard let next = address.resolving(location) else {
            throw EgressError(
                .redirectRefused,
                "\(origin) redirects to an address that is not an http or https URL.")
        }
        guard origin.scheme == .http || next.origin.scheme == .https else {
            throw EgressError(
                .redirectRefused,
                "\(origin) redirects from https to \(next.origin), which is not encrypted.")
        }
        var (method, fields, body) = (method, fields, body)
        let becomesGET =
            status == 303
            ? method != "GET" && method != "HEAD"
            : (status == 301 || status == 302) && method == "POST"
        if becomesGET {
            (method, body) = ("GET", [])
            fields.removeAll { Self.bodyFields.contains($0.name.lowercased()) }
        }
        if next.origin != origin {
            fields.removeAll {
                let name = $0.name.lowercased()
                return name == "authorization" || boundNames.contains(name)
            }
        }
        var request = OutboundRequest(trusted: method, next, fields: fields, body: body)
        if next.origin == origin { request.boundNames = boundNames }
        return request
    }
}

/// The header fields that an app cannot set.
private enum ForbiddenFields {
    /// The maximum number of fields, and their maximum total size in bytes.
    private static let (limit, byteLimit) = (64, 16 << 10)
    private static let names: Set<String> = [
        "accept-charset", "accept-encoding", "connection", "content-length", "cookie", "cookie2",
        "date", "dnt", "expect", "host", "http2-settings", "keep-alive", "origin", "referer",
        "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
        "via", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
        "x-http-method", "x-http-method-override", "x-method-override",
    ]
    private static let prefixes = ["access-control-", "nervous-", "proxy-", "sec-"]

    /// - Returns: the fields that are not forbidden.
    /// - Throws: `invalidRequest` for an invalid field, and for too many.
    static func filter(_ fields: [HeaderField]) throws(EgressError) -> [HeaderField] {
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard fields.count <= limit, bytes <= byteLimit else {
            throw EgressError(
                .invalidRequest,
                "A request can have at most \(limit) header fields of \(byteLimit) bytes.")
        }
        guard fields.allSatisfy(\.isValid) else {
            throw EgressError(
                .invalidRequest,
                "A header field has an invalid name, or a value that is not visible ASCII.")
        }
        return fields.filter { field in
            let name = field.name.lowercased()
            return !names.contains(name) && !prefixes.contains(where: name.hasPrefix)
        }
    }
}

extension UInt8 {
    /// Whether a token can contain it: RFC 9110, section 5.6.2.
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

extension WebAddress {
    /// The URL for messages and logs: without the query, which can contain a secret.
    public var withoutQuery: String {
        let path = target.prefix { $0 != "?" }
        return "\(origin)\(path)" + (path.count < target.count ? "?…" : "")
    }
}

extension WebOrigin {
    /// Whether traffic is encrypted or stays on this machine.
    public var isProtected: Bool {
        if scheme == .https { return true }
        return switch host {
        case .address(let address): address.scope.reach == .ownMachine
        // RFC 6761, section 6.3.
        case .name(let name): name == "localhost"
        }
    }
}
