import AsyncHTTPClient
import Auth
import Foundation
import Host
import NIOCore
import NIOHTTP1
import RunnerProtocol
import Text

/// Downloads a package into memory, so that an incomplete one is never on disk.
struct PackageDownload: Sendable {
    /// Time limits of a download.
    struct Patience: Sendable {
        /// For connecting.
        var connecting = Duration.seconds(10)
        /// Between two bytes.
        var idle = Duration.seconds(30)
        /// For the whole download.
        var total = Duration.seconds(600)
    }

    private static let redirects = 5

    let address: PackageAddress
    /// The maximum number of bytes received, whatever `Content-Length` is.
    let limit: Int
    let console: Console
    var patience = Patience()

    /// - Throws: `CommandFailure`, whose message contains neither password nor query.
    func archive() async throws -> Data {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(
            connect: TimeAmount(patience.connecting), read: TimeAmount(patience.idle))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let data = try await withinTotal { try await fetch(client) }
            try await client.shutdown()
            return data
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    /// Limits the total time, even if bytes keep arriving.
    private func withinTotal(
        _ work: @escaping @Sendable () async throws -> Data
    ) async throws -> Data {
        try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: patience.total)
                throw DownloadFault.tooSlow(address)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Data()
        }
    }

    private func fetch(_ client: HTTPClient) async throws -> Data {
        var place = address
        for _ in 0...Self.redirects {
            if !place.isSecure {
                console.say(
                    "warning: \(place.shown) is not encrypted: "
                        + "the package could have been modified in transit.")
            }
            do {
                let response = try await client.execute(
                    request(to: place), deadline: .now() + TimeAmount(patience.total))
                if let location = try redirection(response, from: place) {
                    place = try place.redirected(to: location)
                    continue
                }
                return try await body(of: response)
            } catch {
                throw DownloadFault.failure(error, at: place)
            }
        }
        throw CommandFailure(
            .remote, "\(address.shown) redirects more than \(Self.redirects) times.",
            type: "download-redirect")
    }

    private func request(to place: PackageAddress) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: place.url)
        request.headers.add(name: "User-Agent", value: "nervous/\(Release.version)")
        // A kept connection may be closed before a redirect reuses it.
        request.headers.add(name: "Connection", value: "close")
        request.headers.add(name: "Accept", value: "application/zip, */*;q=0.5")
        if let authorization = place.authorization {
            request.headers.add(name: "Authorization", value: authorization)
        }
        return request
    }

    /// The location of a redirect, or `nil` if the response is the package.
    private func redirection(
        _ response: HTTPClientResponse, from place: PackageAddress
    ) throws(CommandFailure) -> String? {
        switch response.status.code {
        case 200: return nil
        case 301, 302, 303, 307, 308:
            guard let location = response.headers.first(name: "Location") else { break }
            return location
        default: break
        }
        throw CommandFailure(
            .unavailable,
            "\(place.shown) responded with status \(response.status.code) instead of a package.",
            hint: "Check the address in a browser.", type: "download-refused")
    }

    private func body(of response: HTTPClientResponse) async throws -> Data {
        let claimed = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        let progress = ProgressLine("Downloading", console, measure: .bytes)
        defer { progress.end() }
        var data = Data()
        for try await piece in response.body {
            data.append(contentsOf: piece.readableBytesView)
            guard data.count <= limit else {
                throw CommandFailure(
                    .badData,
                    "The download exceeds the limit of a package, \(limit) bytes.",
                    type: "too-large")
            }
            progress.show(data.count, of: claimed)
        }
        return data
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
    static func tooSlow(_ place: PackageAddress) -> CommandFailure {
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
        case .timedOut: tooSlow(place)
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
