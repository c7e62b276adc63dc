import Addresses
import Auth
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request and its answer on a connection of their own, to one address that was checked.
struct Exchange: Sendable {
    let request: OutboundRequest
    let grant: OriginGrant
    let userAgent: String
    let limits: FetchLimits
    /// Where an address is connected to: there, but in tests.
    let place: @Sendable (IPAddress, UInt16) throws -> SocketAddress

    /// The head and the whole body of an answer.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: ByteBuffer
    }

    /// Connects to an address; no name is looked up any more.
    ///
    /// - Returns: `unreachable` while nothing has been sent, other faults after that.
    func outcome(
        at address: IPAddress, _ context: NIOSSLContext?
    ) async -> Result<Answer, NetError> {
        let connection: ServerConnection
        do {
            connection = try await connected(to: address, context)
        } catch {
            return .failure(NetError(connecting: error, to: grant))
        }
        do {
            let answer = try await connection.parts.executeThenClose { inbound, outbound in
                try await connection.secured()
                var unsent: (any Error)?
                do {
                    try await outbound.write(contentsOf: parts)
                } catch {
                    // A server may answer before it has taken everything, and close.
                    unsent = error
                }
                do {
                    return try await self.answer(from: inbound)
                } catch {
                    throw unsent ?? error
                }
            }
            return .success(answer)
        } catch {
            return .failure(NetError(talking: error, to: grant))
        }
    }

    private func connected(
        to address: IPAddress, _ context: NIOSSLContext?
    ) async throws -> ServerConnection {
        let patience = TimeAmount(limits.connecting)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(patience)
            .connect(to: try place(address, grant.origin.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ServerConnection(
                        on: channel, to: grant.origin.host, pin: grant.pin, with: context,
                        patience: patience)
                }
            }
    }

    private var parts: [HTTPClientRequestPart] {
        let body = ByteBuffer(bytes: request.body)
        return [.head(head)] + (request.body.isEmpty ? [] : [.body(.byteBuffer(body))])
            + [.end(nil)]
    }

    private var head: HTTPRequestHead {
        var headers = HTTPHeaders(asking: grant.origin, as: userAgent)
        for field in request.fields { headers.add(name: field.name, value: field.value) }
        headers.acceptAnything()
        let takesBody = !["GET", "HEAD", "OPTIONS", "DELETE"].contains(request.method)
        if takesBody || !request.body.isEmpty {
            headers.add(name: "Content-Length", value: String(request.body.count))
        }
        return HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method),
            uri: request.address.target, headers: headers)
    }

    private func answer(
        from inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> Answer {
        var head: HTTPResponseHead?
        var body = ByteBuffer()
        for try await part in inbound {
            switch part {
            case .head(let found):
                head = found
                try checkLength(of: found)
            case .body(var piece):
                guard body.readableBytes + piece.readableBytes <= limits.answerBytes else {
                    throw tooLarge
                }
                body.writeBuffer(&piece)
            case .end:
                guard let head else { break }
                return Answer(
                    status: Int(head.status.code), headers: head.headers, body: body)
            }
        }
        try Task.checkCancellation()
        throw NetError(.brokenAnswer, "\(grant.origin) broke off before its answer was whole.")
    }

    private func checkLength(of head: HTTPResponseHead) throws(NetError) {
        guard request.method != "HEAD" else { return }
        let length = head.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let length, length > limits.answerBytes { throw tooLarge }
    }

    private var tooLarge: NetError {
        NetError(
            .answerTooLarge,
            "\(grant.origin) answers with more than the \(limits.answerBytes) bytes that are taken."
        )
    }
}
