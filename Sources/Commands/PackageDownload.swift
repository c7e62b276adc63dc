import Addresses
import Egress
import Foundation
import Host
import RunnerProtocol
import Text

/// Downloads a package from a URL into memory; nothing is written to disk before it is complete.
struct PackageDownload: Sendable {
    let source: DownloadAddress
    /// The maximum number of bytes.
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
    /// - Throws: ``CommandFailure``, whose message contains neither credentials nor the query of the URL, or
    ///   `CancellationError`.
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
