import Addresses
import Auth
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Transport

/// One request and its answer on a connection of their own, to one address that was checked.
struct Exchange: Sendable {
    /// What the header of an answer may be.
    private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 32 << 10
        limits.maxHeaderFieldCount = 128
        return limits
    }()

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

    private typealias Parts = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// A connection, and when it is secure, where it has to be.
    private struct Connection {
        let parts: Parts
        let isSecure: EventLoopFuture<Void>
    }

    /// Connects to an address; no name is looked up any more.
    ///
    /// - Returns: `unreachable` while nothing has been sent, other faults after that.
    func outcome(
        at address: IPAddress, _ context: NIOSSLContext?
    ) async -> Result<Answer, NetError> {
        let connection: Connection
        do {
            connection = try await connected(to: address, context)
        } catch {
            return .failure(NetError(connecting: error, to: grant))
        }
        do {
            let answer = try await connection.parts.executeThenClose { inbound, outbound in
                try await connection.isSecure.get()
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
    ) async throws -> Connection {
        let patience = TimeAmount(limits.connecting)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(patience)
            .connect(to: try place(address, grant.origin.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let isSecure = channel.eventLoop.makePromise(of: Void.self)
                    if let context {
                        try pipeline.addHandler(
                            NIOSSLClientHandler.checking(
                                grant.origin.host, pin: grant.pin, with: context))
                        try pipeline.addHandler(HandshakeWatch(isSecure, patience: patience))
                    } else {
                        isSecure.succeed()
                    }
                    try pipeline.addHTTPClientHandlers(
                        enableOutboundHeaderValidation: true, encoderConfiguration: .init(),
                        decoderLimitConfiguration: Self.headerLimits)
                    let parts = try Parts(wrappingChannelSynchronously: channel)
                    return Connection(parts: parts, isSecure: isSecure.futureResult)
                }
            }
    }

    private var parts: [HTTPClientRequestPart] {
        let body = ByteBuffer(bytes: request.body)
        return [.head(head)] + (request.body.isEmpty ? [] : [.body(.byteBuffer(body))])
            + [.end(nil)]
    }

    private var head: HTTPRequestHead {
        var headers = HTTPHeaders()
        let origin = grant.origin
        let port = origin.port == origin.scheme.port ? "" : ":\(origin.port)"
        headers.add(name: "Host", value: "\(origin.host)\(port)")
        headers.add(name: "User-Agent", value: userAgent)
        headers.add(name: "Connection", value: "close")
        headers.add(name: "Accept-Encoding", value: "identity")
        for field in request.fields { headers.add(name: field.name, value: field.value) }
        if headers["Accept"].isEmpty { headers.add(name: "Accept", value: "*/*") }
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
