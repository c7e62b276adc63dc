import Addresses
import Egress
import Foundation
import Host

/// Downloads a package from a URL into memory; nothing is written to disk before it is complete.
struct PackageDownload: Sendable {
    let source: DownloadAddress
    /// The most bytes.
    let limit: Int
    let console: Console
    var downloader = Downloader(userAgent: "nervous/\(Release.version)")

    /// - Throws: `usage`, without repeating the URL, which can contain a password.
    init(_ url: String, limit: Int, console: Console) throws(CommandFailure) {
        guard let source = DownloadAddress(url) else {
            throw CommandFailure(
                .usage, "The URL of the package is invalid.",
                hint: "Write it like https://example.org/app.zip.", type: "bad-address")
        }
        (self.source, self.limit, self.console) = (source, limit, console)
    }

    /// The bytes of the package.
    ///
    /// - Throws: ``CommandFailure`` without credentials and query, or `CancellationError`.
    func archive() async throws -> Data {
        let (console, progress) = (console, ProgressLine("Downloading", console, measure: .bytes))
        defer { progress.end() }
        do {
            return try await downloader.download(
                source, limit: limit, accept: "application/zip, */*;q=0.5",
                willContact: { Self.warnIfUnprotected($0, console) },
                progress: { progress.show($0, of: $1) })
        } catch let error as EgressError {
            throw CommandFailure(error)
        }
    }

    private static func warnIfUnprotected(_ address: WebAddress, _ console: Console) {
        guard !address.origin.isProtected else { return }
        console.say(
            "warning: \(address.withoutQuery) is not encrypted: the package could have been modified"
                + " in transit.")
    }
}

extension CommandFailure {
    /// A failed download.
    fileprivate init(_ error: EgressError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .timedOut: (.unavailable, "download-timeout")
            case .unknownHost, .unreachable, .addressRefused, .ownHost, .tooManyCalls:
                (.unavailable, "download-unreachable")
            case .unexpectedStatus: (.unavailable, "download-refused")
            case .untrusted, .wrongCertificate: (.remote, "download-untrusted")
            case .redirectRefused, .tooManyRedirects: (.remote, "download-redirect")
            case .invalidRequest, .invalidResponse, .responseEncoded:
                (.remote, "download-interrupted")
            case .responseTooLarge: (.badData, "too-large")
            }
        let hint: String? =
            switch error.code {
            case .untrusted, .wrongCertificate:
                "Nothing was installed: the server's identity is unknown."
            case .redirectRefused: "Tell the author, or install from a file that you trust."
            case .invalidResponse: "Try again."
            default: error.hint
            }
        self.init(code, error.message, hint: hint, type: type)
    }
}

/// The http or https URL of a package.
struct PackageAddress: Sendable {
    /// The URL without name and password, and without a fragment.
    let url: String
    /// The URL for display, without user, password and query, which may contain secrets.
    let shown: String
    /// The `Authorization` header, if the URL had a user or password.
    private(set) var authorization: String?

    private let base: URL
    private let scheme: String
    private let host: String
    private let port: Int

    /// Whether the response cannot be modified in transit.
    var isSecure: Bool { scheme == "https" || isLoopback }

    /// Whether an argument is a URL rather than a path.
    static func isAddress(_ word: String) -> Bool {
        let start = word.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// - Throws: `usage`, without any part of the URL.
    init(_ word: String) throws(CommandFailure) {
        guard let address = URL(string: word).flatMap({ PackageAddress($0) }) else {
            throw CommandFailure(
                .usage, "Invalid URL.",
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

    /// The target of a redirect; user and password are kept for the same origin only.
    ///
    /// - Throws: `remote` if it is not a URL, or leads from https to http.
    func redirected(to location: String) throws(CommandFailure) -> PackageAddress {
        guard var next = URL(string: location, relativeTo: base).flatMap({ PackageAddress($0) })
        else {
            throw CommandFailure(
                .remote, "\(shown) redirects to something other than an http or https URL.",
                type: "download-redirect")
        }
        guard scheme != "https" || next.scheme == "https" else {
            throw CommandFailure(
                .remote, "\(shown) redirects from https to http, which is not protected.",
                hint: "Report it to the author, or install from a file that you trust.",
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

/// The errors of failed downloads.
enum DownloadFault {
    static func timedOut(_ place: PackageAddress) -> CommandFailure {
        CommandFailure(
            .unavailable, HTTPFault.timedOut.sentence(of: place.shown), hint: "Try again later.",
            type: "download-timeout")
    }

    /// - Parameter error: The error of the client. It is not displayed, because it may contain the
    ///   URL.
    static func failure(_ error: any Error, at place: PackageAddress) -> any Error {
        switch error {
        case is CommandFailure, is CancellationError: return error
        case let error as HTTPClientError where error == .cancelled: return CancellationError()
        default: break
        }
        let fault = HTTPFault(error)
        let sentence = fault.sentence(of: place.shown)
        return switch fault {
        case .timedOut: timedOut(place)
        case .untrusted:
            CommandFailure(
                .remote, sentence,
                hint: "Nothing was installed: the package could come from anyone.",
                type: "download-untrusted")
        case .insecure: CommandFailure(.remote, sentence, type: "download-untrusted")
        case .refused, .unreachable:
            CommandFailure(
                .unavailable, sentence, hint: "Check the address and the network.",
                type: "download-unreachable")
        case .interrupted:
            CommandFailure(
                .remote, "\(place.shown) closed the connection before the package was complete.",
                hint: "Try again.", type: "download-interrupted")
        }
    }
}
