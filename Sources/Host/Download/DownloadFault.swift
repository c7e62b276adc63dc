import AsyncHTTPClient
import Foundation
import NIOCore

/// What a failed download is called, in one sentence.
enum DownloadFault {
    static func tooSlow(_ place: PackageAddress) -> CommandFailure {
        CommandFailure(
            .unavailable, "\(place.shown) does not answer in time.", hint: "Try again later.",
            type: "download-timeout")
    }

    /// - Parameter error: What the client threw; its text is not shown, as it may hold the address.
    static func failure(_ error: any Error, at place: PackageAddress) -> any Error {
        switch error {
        case is CommandFailure, is CancellationError: return error
        case let error as HTTPClientError where timeouts.contains(error): return tooSlow(place)
        case let error as HTTPClientError where error == .cancelled: return CancellationError()
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            return unreachable(place, ": connection refused")
        default: break
        }
        let (type, text) = (String(reflecting: Swift.type(of: error)), "\(error)")
        if text.contains("CERTIFICATE_VERIFY_FAILED")
            || text.contains("unableToValidateCertificate")
        {
            return CommandFailure(
                .remote, "\(place.shown) has a certificate that this machine does not trust.",
                hint: "Nothing was installed. A package from there could be anybody's.",
                type: "download-untrusted")
        }
        if type.contains("NIOSSL") || text.contains("SSL") {
            return CommandFailure(
                .remote, "No secure connection to \(place.shown) can be made.",
                type: "download-untrusted")
        }
        if type.contains("ConnectionError") {
            let isRefused = text.contains("ECONNREFUSED") || text.contains("errno: \(ECONNREFUSED)")
            return unreachable(place, isRefused ? ": connection refused" : "")
        }
        return CommandFailure(
            .remote, "\(place.shown) broke off before the package was complete.",
            hint: "Try again.", type: "download-interrupted")
    }

    private static let timeouts: [HTTPClientError] = [
        .readTimeout, .connectTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
        .getConnectionFromPoolTimeout,
    ]

    private static func unreachable(_ place: PackageAddress, _ why: String) -> CommandFailure {
        CommandFailure(
            .unavailable, "\(place.shown) cannot be reached\(why).",
            hint: "Check the address and the network.", type: "download-unreachable")
    }
}
