/// An http or https URL, parsed strictly.
///
/// The same parser serves permission checks and connections. It rejects what other parsers
/// interpret in different ways: user names and passwords, backslashes, blanks, control and
/// non-ASCII characters, percent signs in hosts, ports that are empty, zero or begin with a zero,
/// and numeric hosts that are not in dotted decimal.
///
/// ```swift
/// let page = WebAddress("https://example.org/a/b?q=1#top")
/// page?.origin  // https://example.org
/// page?.target  // "/a/b?q=1"
/// page?.resolving("../c")  // https://example.org/c
/// ```
public struct WebAddress: Hashable, Sendable {
    /// The maximum size of a URL in bytes.
    public static let longest = 8 << 10

    /// Scheme, host and port.
    public let origin: WebOrigin
    /// Path and query, as sent to the server; begins with `/`.
    public let target: String
    /// Whether the text was an origin only, without even a `/`.
    let hasBareOrigin: Bool

    /// Parses a URL; its fragment is dropped.
    ///
    /// - Returns: `nil` when the text is not an http or https URL.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy(Self.isAllowed),
            let scheme = Self.scheme(of: text)
        else { return nil }
        let rest = text.dropFirst(scheme.rawValue.count + 3)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard let (host, port) = Self.hostAndPort(authority),
            let origin = WebOrigin(scheme, host, port ?? scheme.port)
        else { return nil }
        let tail = rest.dropFirst(authority.count)
        self.init(origin, tail.prefix { $0 != "#" }, hasBareOrigin: tail.isEmpty)
    }

    private init(_ origin: WebOrigin, _ target: some StringProtocol, hasBareOrigin: Bool = false) {
        self.origin = origin
        self.target = target.hasPrefix("/") ? String(target) : "/\(target)"
        self.hasBareOrigin = hasBareOrigin
    }

    /// Resolves a reference, such as a `Location` header, against this URL (RFC 3986, section 5.2).
    ///
    /// Spaces and non-ASCII bytes in the reference are percent-encoded, since servers send them.
    ///
    /// - Returns: `nil` when the result is not an http or https URL.
    public func resolving(_ reference: String) -> WebAddress? {
        let text = Self.encoded(reference)
        guard text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        if text.hasPrefix("//") { return WebAddress("\(origin.scheme.rawValue):\(text)") }
        let start = text.prefix { !"/?#".contains($0) }
        if start.contains(":") { return WebAddress(text) }
        let wanted = text.prefix { $0 != "#" }
        if wanted.isEmpty { return self }
        let path = target.prefix { $0 != "?" }
        if wanted.hasPrefix("/") { return Self.at(origin, Self.withoutDots(wanted)) }
        if wanted.hasPrefix("?") { return Self.at(origin, path + wanted) }
        let folder = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
        return Self.at(origin, Self.withoutDots(folder + wanted))
    }

    private static func at(_ origin: WebOrigin, _ target: some StringProtocol) -> WebAddress? {
        let address = WebAddress(origin, target)
        return address.description.utf8.count <= longest ? address : nil
    }

    private static func scheme(of text: String) -> WebOrigin.Scheme? {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("https://") ? .https : start.hasPrefix("http://") ? .http : nil
    }

    private static func hostAndPort(_ authority: Substring) -> (WebHost, port: UInt16?)? {
        let name: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            name = authority[...end]
        } else {
            name = authority.prefix { $0 != ":" }
        }
        guard let host = WebHost(name) else { return nil }
        let rest = authority.dropFirst(name.count)
        if rest.isEmpty { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy(\.isDigit), !digits.hasPrefix("0"), let port = UInt16(digits)
        else { return nil }
        return (host, port)
    }

    /// Removes dot segments from the path before a query (RFC 3986, section 5.2.4).
    private static func withoutDots(_ target: some StringProtocol) -> String {
        let path = target.prefix { $0 != "?" }
        var segments: [Substring] = []
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let plain = part.lowercased().replacing("%2e", with: ".")
            if plain == ".." { _ = segments.popLast() }
            let isDots = plain == "." || plain == ".."
            if !isDots { segments.append(Substring(part)) }
            if isDots, index == parts.count - 1 { segments.append("") }
        }
        return "/" + segments.joined(separator: "/") + target.dropFirst(path.count)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21..<0x7F).contains(byte) && !#"\"<>"#.utf8.contains(byte)
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            if byte > 0x7F || byte == 0x20 {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + digits
            } else {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
    }
}

extension WebAddress: CustomStringConvertible {
    public var description: String { "\(origin)\(target)" }
}
