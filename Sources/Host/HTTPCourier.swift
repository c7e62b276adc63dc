import Addresses
import AsyncHTTPClient
import Egress
import Foundation
import NIOCore
import NIOHTTP1

/// Brings things to servers by HTTP, and follows no redirection: they would go where nobody sent them.
struct HTTPCourier: Courier {
    /// How long the parts of it may take.
    struct Patience: Sendable {
        /// To reach the server.
        var connecting = Duration.seconds(10)
        /// In all.
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
        request.headers.add(name: "User-Agent", value: "nervous/\(Version.number)")
        request.headers.add(name: "Connection", value: "close")
        request.headers.add(name: "Content-Type", value: parcel.mediaType)
        // draft-ietf-httpapi-idempotency-key-header: a string of RFC 9651.
        request.headers.add(name: "Idempotency-Key", value: "\"\(id)\"")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.body = .bytes(parcel.body)
        return request
    }
}
