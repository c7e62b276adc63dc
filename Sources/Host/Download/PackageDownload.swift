import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Fetches a package into memory: nothing is on the disk before all of it has come.
struct PackageDownload: Sendable {
    /// How long the parts of a download may take.
    struct Patience: Sendable {
        /// To reach the server.
        var connecting = Duration.seconds(10)
        /// Without a byte.
        var idle = Duration.seconds(30)
        /// In all.
        var total = Duration.seconds(600)
    }

    private static let redirects = 5

    let address: PackageAddress
    /// The most bytes; what comes is counted, whatever the server says.
    let limit: Int
    let console: Console
    var patience = Patience()

    /// - Throws: `CommandFailure` that names neither password nor query.
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

    /// Ends the work when it takes too long in all, also where bytes trickle in.
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
                        + "the package could have been changed on the way.")
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
        request.headers.add(name: "User-Agent", value: "nervous/\(Version.number)")
        // A connection kept for a redirect may be gone by then.
        request.headers.add(name: "Connection", value: "close")
        request.headers.add(name: "Accept", value: "application/zip, */*;q=0.5")
        if let authorization = place.authorization {
            request.headers.add(name: "Authorization", value: authorization)
        }
        return request
    }

    /// Where a response leads, or `nil` where it is the package.
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
            "\(place.shown) answered \(response.status.code) and no package.",
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
                    "What comes is larger than a package may be, which is \(limit) bytes.",
                    type: "too-large")
            }
            progress.show(data.count, of: claimed)
        }
        return data
    }
}
