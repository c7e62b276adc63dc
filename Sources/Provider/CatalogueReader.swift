import API
import Addresses
import Auth
import Egress
import Foundation
import JSApps

/// Where the index of a catalogue is.
enum CatalogueLocation: Equatable, Sendable {
    /// The URL of the index.
    case web(WebAddress)
    /// The index in a folder of this machine.
    case folder(path: String, index: String)

    /// Reads an https URL or an absolute path, of an index or of the folder of an `index.json`.
    ///
    /// - Returns: `nil` for anything else, also for a URL with a name, a password, a query, or a connection
    ///   that is not encrypted and leaves this machine.
    init?(_ text: String) {
        let file = CatalogueIndex.fileName
        if DownloadAddress.isAddress(text) {
            guard !text.contains("?"), !text.contains("#"), let address = WebAddress(text),
                address.origin.isProtected
            else { return nil }
            let isIndex = address.target.hasSuffix(".json")
            let folder = address.target.hasSuffix("/") ? "\(address)" : "\(address)/"
            guard let index = isIndex ? address : WebAddress(folder + file) else { return nil }
            self = .web(index)
            return
        }
        guard text.hasPrefix("/"), !text.contains("\0"), text.utf8.count < 4096 else { return nil }
        let url = URL(filePath: text).standardizedFileURL
        let path = url.path(percentEncoded: false)
        guard path.hasSuffix(".json") else {
            let isRoot = path == "/" || !path.hasSuffix("/")
            self = .folder(path: isRoot ? path : String(path.dropLast()), index: file)
            return
        }
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        self = .folder(
            path: folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder,
            index: url.lastPathComponent)
    }

    /// The URL or the path of the index.
    var text: String {
        switch self {
        case .web(let address): address.description
        case .folder(let path, let index): path == "/" ? "/\(index)" : "\(path)/\(index)"
        }
    }
}

/// Reads the indexes of catalogues, for the owner.
///
/// A server has ``timeLimit`` for each of the two files, and their sizes are limited. The access log gets an
/// entry before each request, and another with its outcome.
struct CatalogueReader: Sendable {
    static let timeLimit = Duration.seconds(60)
    static let idleLimit = Duration.seconds(15)

    private let downloader: Downloader
    private let log: AccessLog

    init(_ downloader: Downloader, log: AccessLog) {
        var downloader = downloader
        downloader.options.total = min(downloader.options.total, Self.timeLimit)
        let idle = downloader.options.idle ?? Self.idleLimit
        downloader.options.idle = min(idle, Self.idleLimit)
        self.downloader = downloader
        self.log = log
    }

    /// Reads an index and its signature, and verifies it.
    ///
    /// - Parameter client: the client of the owner that asks for it.
    /// - Throws: `Problem`, ``JSAppsError`` or `EgressError`.
    func read(
        _ location: CatalogueLocation, for client: Client
    ) async throws -> CatalogueEdition {
        let (index, signature): ([UInt8], [UInt8])
        switch location {
        case .folder(let path, let name):
            let folder = CatalogueFolder(path: path)
            index = try await folder.read(name, atMost: CatalogueIndex.limit)
            signature = try await folder.read(
                name + CatalogueIndex.signatureEnding, atMost: CatalogueIndex.signatureLimit)
        case .web(let address):
            index = try await download("\(address)", CatalogueIndex.limit, client)
            signature = try await download(
                "\(address)\(CatalogueIndex.signatureEnding)", CatalogueIndex.signatureLimit,
                client)
        }
        return try CatalogueEdition(index: index, signature: signature)
    }

    private func download(_ url: String, _ limit: Int, _ client: Client) async throws -> [UInt8] {
        guard let source = DownloadAddress(url) else { throw Self.invalidAddress }
        let (address, place) = (source.address, source.address.withoutQuery)
        await log.note(.download(from: address.origin, for: client, "started: \(place)"))
        do {
            let data = try await downloader.download(
                source, limit: limit, accept: "application/json, */*;q=0.5")
            await log.note(
                .download(
                    from: address.origin, for: client, "complete: \(place)", bytes: data.count))
            return Array(data)
        } catch {
            let code = Problem(error, logger: nil).codeName
            let step = error is CancellationError ? "stopped" : "failed (\(code))"
            await log.note(.download(from: address.origin, for: client, "\(step): \(place)"))
            throw error
        }
    }

    static var invalidAddress: Problem {
        Problem(
            .invalidBody,
            "The address of a catalogue is an https URL without password and query, or an absolute path.",
            fix: "Write it like https://example.org/catalogue/ or /srv/catalogue.")
    }
}
