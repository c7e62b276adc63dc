import AsyncHTTPClient
import Foundation

/// What a failed download is called, in one sentence.
enum DownloadFault {
    static func tooSlow(_ place: PackageAddress) -> CommandFailure {
        CommandFailure(
            .unavailable, HTTPFault.timedOut.sentence(of: place.shown), hint: "Try again later.",
            type: "download-timeout")
    }

    /// - Parameter error: What the client threw; its text is not shown, as it may hold the address.
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
                hint: "Nothing was installed. A package from there could be anybody's.",
                type: "download-untrusted")
        case .insecure: CommandFailure(.remote, sentence, type: "download-untrusted")
        case .refused, .unreachable:
            CommandFailure(
                .unavailable, sentence, hint: "Check the address and the network.",
                type: "download-unreachable")
        case .interrupted:
            CommandFailure(
                .remote, "\(place.shown) broke off before the package was complete.",
                hint: "Try again.", type: "download-interrupted")
        }
    }
}
