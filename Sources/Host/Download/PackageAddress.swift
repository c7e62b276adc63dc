import Auth
import Foundation
import Text

/// The http or https URL of a package.
struct PackageAddress: Sendable {
    /// The URL without name and password, and without a fragment.
    let url: String
    /// The URL for a person: neither name and password nor the query, which may hold a secret.
    let shown: String
    /// What the `Authorization` header says, where the URL came with a name or password.
    private(set) var authorization: String?

    private let base: URL
    private let scheme: String
    private let host: String
    private let port: Int

    /// Whether nobody on the way can change what comes.
    var isSecure: Bool { scheme == "https" || isLoopback }

    /// Whether a word is meant as a URL and not as a path.
    static func isAddress(_ word: String) -> Bool {
        let start = word.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// - Throws: `usage`, without a word of the URL.
    init(_ word: String) throws(CommandFailure) {
        guard let address = URL(string: word).flatMap({ PackageAddress($0) }) else {
            throw CommandFailure(
                .usage, "The URL of the package is not one.",
                hint: "Write it like https://example.org/app.zip.", type: "bad-address")
        }
        self = address
    }

    private init?(_ address: URL) {
        guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = parts.host?.lowercased(), !host.isEmpty
        else { return nil }
        let (name, password) = (parts.user ?? "", parts.password ?? "")
        if !name.isEmpty || !password.isEmpty {
            authorization = "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
        }
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        guard let plain = parts.url else { return nil }
        (base, url) = (plain, plain.absoluteString)
        let hasQuery = parts.query != nil
        parts.query = nil
        shown = (parts.string ?? "the URL").escapedForDisplay(limit: 200) + (hasQuery ? "?…" : "")
        self.scheme = scheme
        self.host = host
        port = parts.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Where a redirect leads; name and password go on to the same origin only.
    ///
    /// - Throws: `remote` where it leads nowhere, or from https to http.
    func redirected(to location: String) throws(CommandFailure) -> PackageAddress {
        guard var next = URL(string: location, relativeTo: base).flatMap({ PackageAddress($0) })
        else {
            throw CommandFailure(
                .remote, "\(shown) redirects to what is no http or https URL.",
                type: "download-redirect")
        }
        guard scheme != "https" || next.scheme == "https" else {
            throw CommandFailure(
                .remote, "\(shown) redirects from https to http, which would undo its protection.",
                hint: "Tell the author, or install from a file that you trust.",
                type: "download-redirect")
        }
        let isSameOrigin = (scheme, host, port) == (next.scheme, next.host, next.port)
        next.authorization = isSameOrigin ? authorization : nil
        return next
    }

    private var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        if ["::1", "[::1]"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
