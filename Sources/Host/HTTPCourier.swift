import Addresses
import AsyncHTTPClient
import Egress
import Foundation
import NIOCore
import NIOHTTP1
import RunnerProtocol

/// Sends uploads by HTTP.
///
/// It follows no redirects: the owner chose the server.
struct HTTPCourier: Courier {
    /// Time limits.
    struct Patience: Sendable {
        /// For connecting.
        var connecting = Duration.seconds(10)
        /// For the whole exchange.
        var total = Duration.seconds(60)
    }

    var patience = Patience()

    func bring(_ parcel: Parcel, id: String, token: String?) async -> Reply {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(connect: TimeAmount(patience.connecting))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let reply = await reply(client, request(parcel, id: id, token: token), parcel)
        try? await client.shutdown()
        return reply
    }

    private func reply(
        _ client: HTTPClient, _ request: HTTPClientRequest, _ parcel: Parcel
    ) async -> Reply {
        do {
            let response = try await client.execute(
                request, deadline: .now() + TimeAmount(patience.total))
            return .answered(Int(response.status.code))
        } catch {
            return .failed(HTTPFault(error).sentence(of: parcel.address.origin.description))
        }
    }

    private func request(_ parcel: Parcel, id: String, token: String?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: parcel.address.description)
        request.method = .POST
        request.headers.add(name: "User-Agent", value: "nervous/\(Release.version)")
        request.headers.add(name: "Connection", value: "close")
        request.headers.add(name: "Content-Type", value: parcel.mediaType)
        // draft-ietf-httpapi-idempotency-key-header: a string of RFC 9651.
        request.headers.add(name: "Idempotency-Key", value: "\"\(id)\"")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.body = .bytes(parcel.body)
        return request
    }
}

/// Why a request to a server failed.
package enum HTTPFault {
    case timedOut, untrusted, insecure, refused, unreachable, interrupted

    private static let timeouts: [HTTPClientError] = [
        .readTimeout, .writeTimeout, .connectTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
        .getConnectionFromPoolTimeout,
    ]

    /// - Parameter error: the error that the HTTP client threw.
    package init(_ error: any Error) {
        switch error {
        case let error as HTTPClientError where Self.timeouts.contains(error): self = .timedOut
        case let error as IOError where error.errnoCode == ECONNREFUSED: self = .refused
        default:
            // The error types of the lower layers are not public.
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

    /// - Parameter place: the server, without secrets.
    package func sentence(of place: String) -> String {
        switch self {
        case .timedOut: "\(place) did not respond in time."
        case .untrusted: "\(place) has a certificate that this machine does not trust."
        case .insecure: "Cannot establish a secure connection to \(place)."
        case .refused: "\(place) cannot be reached: connection refused."
        case .unreachable: "\(place) cannot be reached."
        case .interrupted: "\(place) closed the connection before it responded."
        }
    }
}
