import API
import Egress
import Foundation
import Host

/// A package that the host downloads and keeps in memory until it is installed.
struct PackageDownload {
    private static let pollInterval = Duration.milliseconds(100)

    private let request: DownloadRequest

    /// - Throws: `usage`, without repeating the URL, which can contain a password.
    init(_ url: String) throws(CommandFailure) {
        guard DownloadAddress(url) != nil else {
            throw CommandFailure(
                .usage, "The URL of the package is invalid.",
                hint: "Write it like https://example.org/app.zip.", type: "bad-address")
        }
        request = DownloadRequest(url: url)
    }

    /// A package of a catalogue.
    init(package: String, of catalogue: String) {
        request = DownloadRequest(package: package, of: catalogue)
    }

    /// Installs the package, or shows what installing it would change.
    ///
    /// - Throws: ``CommandFailure``, whose message contains neither credentials nor the query of the URL.
    func install(
        with client: APIClient, _ console: Console, isDryRun: Bool, allowsDowngrade: Bool
    ) async throws -> APIReply<AppDescription> {
        try await use(with: client, console, isKept: isDryRun) { package in
            try await client.install(
                package, isDryRun: isDryRun, allowsDowngrade: allowsDowngrade)
        }
    }

    /// Downloads the package for the duration of `body`.
    ///
    /// - Parameter isKept: whether `body` leaves the download at the host.
    /// - Throws: as ``install(with:_:isDryRun:allowsDowngrade:)``, and what `body` throws.
    func use<T>(
        with client: APIClient, _ console: Console, isKept: Bool,
        _ body: (DownloadedPackage) async throws -> T
    ) async throws -> T {
        let download = try await client.startDownload(request).value
        do {
            try await receive(download, with: client, console)
            let result = try await body(DownloadedPackage(download: download.id))
            if isKept { try await client.discardDownload(download.id) }
            return result
        } catch {
            // Not in this task, which may have been cancelled.
            await Task { try? await client.discardDownload(download.id) }.value
            throw error
        }
    }

    private func receive(
        _ download: DownloadDescription, with client: APIClient, _ console: Console
    ) async throws {
        let progress = ProgressLine("Downloading", console, measure: .bytes)
        defer { progress.end() }
        var (download, wasEncrypted) = (download, true)
        while true {
            if !download.encrypted, wasEncrypted {
                wasEncrypted = false
                console.say(
                    "warning: \(download.address) is not downloaded over encrypted connections only: the"
                        + " package could have been modified in transit.")
            }
            guard download.state == "receiving" else { break }
            progress.show(download.received, of: download.total)
            try await Task.sleep(for: Self.pollInterval)
            download = try await client.download(download.id).value
        }
        if let failure = download.failure { throw CommandFailure(download, failure) }
    }
}

extension CommandFailure {
    /// A failed download.
    fileprivate init(_ download: DownloadDescription, _ message: String) {
        let (code, type): (Code, String) =
            switch download.code.flatMap(ProblemCode.init(rawValue:)) {
            case .fetchTimeout: (.unavailable, "download-timeout")
            case .unknownHost, .unreachable, .addressRefused, .ownHost, .tooManyCalls:
                (.unavailable, "download-unreachable")
            case .unexpectedStatus: (.unavailable, "download-refused")
            case .untrustedCertificate, .wrongCertificate: (.remote, "download-untrusted")
            case .redirectRefused, .tooManyRedirects: (.remote, "download-redirect")
            case .responseTooLarge: (.badData, "too-large")
            case .packageMismatch: (.badData, "package-mismatch")
            case .inputMissing: (.noInput, "input-missing")
            default: (.remote, "download-interrupted")
            }
        let hint: String? =
            switch type {
            case "download-untrusted": "Nothing was installed: the server's identity is unknown."
            case "download-redirect": "Tell the author, or install from a file that you trust."
            case "download-interrupted": download.fix ?? "Try again."
            default: download.fix
            }
        self.init(code, message, hint: hint, type: type)
    }
}
