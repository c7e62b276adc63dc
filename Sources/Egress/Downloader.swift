public import Addresses
public import Foundation
import NIOCore

/// The URL of a download, which may contain a name and a password.
public struct DownloadAddress: Hashable, Sendable {
    /// The URL without name, password and fragment.
    public let address: WebAddress
    /// The value of `Authorization` when the URL contained a name or a password.
    let authorization: String?

    /// Reads a URL such as `https://name:password@example.org/app.zip`.
    ///
    /// - Returns: `nil` for anything but a valid http or https URL.
    public init?(_ text: String) {
        guard Self.isAddress(text), let start = text.range(of: "://")?.upperBound else {
            return nil
        }
        let scheme = text[..<start]
        let authority = text[start...].prefix { !"/?#".contains($0) }
        let tail = text[authority.endIndex...]
        let credentials = authority.lastIndex(of: "@").map { authority[..<$0] }
        let host = authority.dropFirst(credentials.map { $0.count + 1 } ?? 0)
        // Resolving also encodes spaces and characters beyond ASCII in the path.
        guard let origin = WebAddress("\(scheme)\(host)"),
            let address = origin.resolving("\(scheme)\(host)\(tail)")
        else { return nil }
        self.address = address
        authorization = credentials.flatMap { credentials in
            let parts = credentials.split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.removingPercentEncoding ?? String($0) }
            let pair = "\(decoded[0]):\(decoded.count > 1 ? decoded[1] : "")"
            return pair == ":" ? nil : "Basic " + Data(pair.utf8).base64EncodedString()
        }
    }

    /// Whether a command-line argument is an http or https URL rather than a path.
    public static func isAddress(_ word: String) -> Bool {
        let start = word.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }
}

/// Downloads files into memory.
///
/// ```swift
/// let data = try await Downloader(userAgent: "nervous/1.0").download(address, limit: 1 << 20)
/// ```
public struct Downloader: Sendable {
    /// The time limits.
    public var options: OutboundOptions = {
        var options = OutboundOptions()
        options.connecting = .seconds(10)
        options.idle = .seconds(30)
        options.total = .seconds(600)
        options.messagesContainPath = true
        return options
    }()
    private let client: OutboundClient

    /// Creates a downloader.
    ///
    /// - Parameter userAgent: the value of `User-Agent`.
    public init(userAgent: String) {
        client = OutboundClient(userAgent: userAgent)
    }

    /// Downloads a file, following redirects.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes.
    ///   - mediaTypes: the value of `Accept`.
    ///   - willContact: called before each request.
    ///   - progress: the bytes received so far, and the expected number if the server sent one.
    /// - Throws: ``EgressError``, whose message contains neither the credentials nor the query, or
    ///   `CancellationError`.
    public func download(
        _ source: DownloadAddress, limit: Int, accept mediaTypes: String = "*/*",
        willContact: @escaping @Sendable (WebAddress) -> Void = { _ in },
        progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in }
    ) async throws -> Data {
        var options = options
        options.responseBytes = limit
        let authorization = source.authorization.map { [HeaderField("Authorization", $0)] } ?? []
        let request = OutboundRequest(
            trusted: "GET", source.address,
            fields: [HeaderField("Accept", mediaTypes)] + authorization)
        let response = try await client.send(
            request, options, accept: Self.checkStatus, progress: progress
        ) { step in
            willContact(step.request.address)
            return try await step.perform(pin: nil)
        }
        return Data(response.body.readableBytesView)
    }

    @Sendable
    private static func checkStatus(_ head: ResponseHead, _ address: WebAddress) throws {
        guard head.status == 200 else {
            throw EgressError(
                .unexpectedStatus, "\(address.withoutQuery) answered with status \(head.status).",
                hint: "Check the address in a browser.")
        }
    }
}
