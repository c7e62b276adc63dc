import AsyncHTTPClient
import Foundation
import NIOCore

/// Why a call to a server failed, as far as the client tells.
enum HTTPFault {
    case timedOut, untrusted, insecure, refused, unreachable, interrupted

    private static let timeouts: [HTTPClientError] = [
        .readTimeout, .writeTimeout, .connectTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
        .getConnectionFromPoolTimeout,
    ]

    /// - Parameter error: what the client threw.
    init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError where Self.timeouts.contains(error): self = .timedOut
        case let error as IOError where error.errnoCode == ECONNREFUSED: self = .refused
        default:
            // The errors of the layers below are of types that are not public.
            let (type, text) = (String(reflecting: Swift.type(of: error)), "\(error)")
            if text.contains("CERTIFICATE_VERIFY_FAILED")
                || text.contains("unableToValidateCertificate")
            {
                self = .untrusted
            } else if type.contains("NIOSSL") || text.contains("SSL") {
                self = .insecure
            } else if type.contains("ConnectionError") {
                let isRefused =
                    text.contains("ECONNREFUSED") || text.contains("errno: \(ECONNREFUSED)")
                self = isRefused ? .refused : .unreachable
            } else {
                self = .interrupted
            }
        }
    }

    /// - Parameter place: the server, as a person may see it.
    func sentence(of place: String) -> String {
        switch self {
        case .timedOut: "\(place) does not answer in time."
        case .untrusted: "\(place) has a certificate that this machine does not trust."
        case .insecure: "No secure connection to \(place) can be made."
        case .refused: "\(place) cannot be reached: connection refused."
        case .unreachable: "\(place) cannot be reached."
        case .interrupted: "\(place) broke off before it answered."
        }
    }
}
