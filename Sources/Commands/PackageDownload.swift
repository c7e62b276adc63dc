import API
import Egress
import Foundation
import Host

/// A package that the host downloads and keeps in memory until it is installed.
struct PackageDownload {
    private static let pollInterval = Duration.milliseconds(100)

    let url: String

    /// - Throws: `usage`, without repeating the URL, which can contain a password.
    init(_ url: String) throws(CommandFailure) {
        guard DownloadAddress(url) != nil else {
            throw CommandFailure(
                .usage, "The URL of the package is invalid.",
                hint: "Write it like https://example.org/app.zip.", type: "bad-address")
        }
        self.url = url
    }

    /// Installs the package, or shows what installing it would change.
    ///
    /// - Throws: ``CommandFailure``, whose message contains neither credentials nor the query of the URL.
    func install(
        with client: APIClient, _ console: Console, isDryRun: Bool, allowsDowngrade: Bool
    ) async throws -> APIReply<AppDescription> {
        let download = try await client.startDownload(DownloadRequest(url: url)).value
        do {
            try await receive(download, with: client, console)
            let reply = try await client.install(
                DownloadedPackage(download: download.id), isDryRun: isDryRun,
                allowsDowngrade: allowsDowngrade)
            if isDryRun { try await client.discardDownload(download.id) }
            return reply
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
