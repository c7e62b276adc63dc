import API
import Addresses
import Auth
import Egress
import Foundation
import HTTPTypes
import JSApps
import Scheduling
import Synchronization

/// Packages that the host downloads for the owner and keeps in memory until they are installed.
///
/// The access log gets an entry before a download begins, and another with its outcome. A complete download
/// is kept for ``lifetime``. There are at most ``limit`` downloads; a new one displaces the
/// oldest that is not being received.
actor PackageDownloads {
    static let lifetime = Duration.seconds(600)
    static let limit = 2

    /// The media types that a server may choose from, as the command sends them.
    private static let mediaTypes = "application/zip, */*;q=0.5"

    /// Where a package comes from.
    enum Source {
        /// A URL that the owner gave.
        case address(DownloadAddress)
        /// A package that a catalogue lists, and its file in a folder of this machine.
        case file(CataloguePackage, folder: String)
        /// A package that a catalogue lists, and its URL.
        case listed(CataloguePackage, DownloadAddress)

        /// What a catalogue lists.
        fileprivate var package: CataloguePackage? {
            switch self {
            case .address: nil
            case .file(let package, _), .listed(let package, _): package
            }
        }

        /// Whether the transfer is encrypted, or within this machine.
        fileprivate var isProtected: Bool {
            switch self {
            case .address(let source), .listed(_, let source): source.address.origin.isProtected
            case .file: true
            }
        }

        fileprivate var place: String {
            switch self {
            case .address(let source), .listed(_, let source): source.address.withoutQuery
            case .file(let package, let folder): "\(folder)/\(package.file)"
            }
        }
    }

    private enum Outcome {
        case complete(Data)
        case failed(Problem)
    }

    /// How much has come.
    private final class Progress: Sendable {
        struct Values {
            var received = 0
            var total: Int?
            var isProtected: Bool
            /// The servers that were contacted, in this order.
            var servers: [WebOrigin] = []
        }

        let values: Mutex<Values>

        init(isProtected: Bool) {
            values = Mutex(Values(isProtected: isProtected))
        }
    }

    private struct Entry {
        let source: Source
        let progress: Progress
        var outcome: Outcome?
        var work: Task<Void, Never>?
    }

    private let downloader: Downloader
    /// The maximum number of bytes of a package.
    private let largest: Int
    private let log: AccessLog
    private let time: any TimeSource
    private var entries: [String: Entry] = [:]
    /// The identifiers, oldest first.
    private var order: [String] = []

    init(_ downloader: Downloader, largest: Int, log: AccessLog, time: any TimeSource) {
        (self.downloader, self.largest) = (downloader, largest)
        (self.log, self.time) = (log, time)
    }

    deinit {
        for entry in entries.values { entry.work?.cancel() }
    }

    /// Starts a download.
    ///
    /// - Parameter client: the client of the owner that asks for it.
    /// - Throws: `Problem` with the code `busy` while others are being received.
    func start(
        _ source: Source, for client: Client
    ) throws(Problem) -> DownloadDescription {
        if order.count >= Self.limit {
            guard let oldest = order.first(where: { entries[$0]?.outcome != nil }) else {
                throw Problem(
                    .busy, "\(Self.limit) packages are being downloaded.",
                    headers: [.retryAfter: "1"])
            }
            remove(oldest)
        }
        let id = UUID().uuidString.lowercased()
        let progress = Progress(isProtected: source.isProtected)
        entries[id] = Entry(source: source, progress: progress)
        order.append(id)
        // No more is received than the catalogue lists.
        let largest = min(largest, source.package?.size ?? largest)
        let (downloader, log, time) = (downloader, log, time)
        entries[id]?.work = Task { [weak self] in
            let outcome: Outcome
            switch source {
            case .address(let address), .listed(_, let address):
                let server = address.address
                await log.note(
                    .download(
                        from: server.origin, for: client, "started: \(server.withoutQuery)"))
                outcome = Self.checked(
                    await Self.download(address, downloader, largest, progress), source.package)
                let values = progress.values.withLock { $0 }
                let step = Self.step(outcome, server, through: values.servers)
                await log.note(
                    .download(from: server.origin, for: client, step, bytes: values.received))
            case .file(let package, let folder):
                outcome = Self.checked(
                    await Self.read(package, folder, largest, progress), package)
            }
            await self?.end(id, outcome)
            if (try? await time.sleep(for: Self.lifetime)) != nil { await self?.remove(id) }
        }
        return try description(of: id)
    }

    /// - Throws: `Problem` with the code `not-found`.
    func description(of id: String) throws(Problem) -> DownloadDescription {
        let entry = try entry(id)
        let values = entry.progress.values.withLock { $0 }
        var problem: Problem?
        var state = "receiving"
        switch entry.outcome {
        case .complete: state = "complete"
        case .failed(let found): (state, problem) = ("failed", found)
        case nil: break
        }
        return DownloadDescription(
            id: id, address: entry.source.place, state: state, received: values.received,
            total: values.total, encrypted: values.isProtected, code: problem?.codeName,
            failure: problem?.detail, fix: problem?.fix)
    }

    /// The bytes of a complete download.
    ///
    /// - Throws: `Problem` for another one.
    func archive(of id: String) throws(Problem) -> [UInt8] {
        switch try entry(id).outcome {
        case .complete(let data): return Array(data)
        case .failed(let problem): throw problem
        case nil: throw Problem(.conflict, "The package is still being downloaded.")
        }
    }

    /// What the catalogue lists, if the package comes from one.
    ///
    /// - Throws: `Problem` with the code `not-found`.
    func listing(of id: String) throws(Problem) -> CataloguePackage? {
        try entry(id).source.package
    }

    /// Ends a download, or forgets a complete one.
    ///
    /// - Throws: `Problem` with the code `not-found`.
    func discard(_ id: String) throws(Problem) {
        _ = try entry(id)
        remove(id)
    }

    // MARK: - Private

    private func entry(_ id: String) throws(Problem) -> Entry {
        guard let entry = entries[id] else {
            throw Problem.notFound("There is no such download, or it was discarded.")
        }
        return entry
    }

    private func end(_ id: String, _ outcome: Outcome) {
        entries[id]?.outcome = outcome
    }

    private func remove(_ id: String) {
        entries[id]?.work?.cancel()
        entries[id] = nil
        order.removeAll { $0 == id }
    }

    /// The outcome of a download in the access log.
    ///
    /// - Parameter servers: those that were contacted.
    private static func step(
        _ outcome: Outcome, _ address: WebAddress, through servers: [WebOrigin]
    ) -> String {
        let others = servers.filter { $0 != address.origin }.map(\.description)
        let redirection = others.isEmpty ? "" : ", redirected to " + others.joined(separator: ", ")
        let place = address.withoutQuery + redirection
        switch outcome {
        case .complete: return "complete: \(place)"
        case .failed where Task.isCancelled: return "stopped: \(place)"
        case .failed(let problem): return "failed (\(problem.codeName)): \(place)"
        }
    }

    /// A complete package must be the listed one before anything else reads it.
    private static func checked(_ outcome: Outcome, _ listed: CataloguePackage?) -> Outcome {
        guard case .complete(let data) = outcome, let listed else { return outcome }
        do throws(JSAppsError) {
            try listed.check(Array(data))
            return outcome
        } catch {
            return .failed(Problem(error))
        }
    }

    private static func read(
        _ package: CataloguePackage, _ folder: String, _ largest: Int, _ progress: Progress
    ) async -> Outcome {
        do {
            let bytes = try await CatalogueFolder(path: folder).read(package.file, atMost: largest)
            progress.values.withLock { ($0.received, $0.total) = (bytes.count, bytes.count) }
            return .complete(Data(bytes))
        } catch {
            return .failed(Problem(error, logger: nil))
        }
    }

    private static func download(
        _ source: DownloadAddress, _ downloader: Downloader, _ largest: Int, _ progress: Progress
    ) async -> Outcome {
        do {
            return .complete(
                try await downloader.download(
                    source, limit: largest, accept: mediaTypes,
                    willContact: { address in
                        progress.values.withLock { values in
                            if !address.origin.isProtected { values.isProtected = false }
                            guard !values.servers.contains(address.origin) else { return }
                            values.servers.append(address.origin)
                        }
                    },
                    progress: { received, total in
                        progress.values.withLock { ($0.received, $0.total) = (received, total) }
                    }))
        } catch {
            return .failed(Problem(error, logger: nil))
        }
    }
}
