import Addresses
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request and its response on a connection of their own, to an address that was checked.
struct ServerExchange: Sendable {
    let step: OutboundStep
    let client: OutboundClient
    let pin: CertificatePin?
    /// For a TLS connection; `nil` for plain HTTP.
    let context: NIOSSLContext?
    /// Takes the response as it arrives; `nil` to collect the body.
    let receiver: ResponseReceiver?

    /// Wraps an error of the caller's closures, which is thrown unchanged.
    private struct Rejection: Error {
        let cause: any Error
    }

    /// - Throws: `unreachable` only while nothing has been sent; other errors afterwards.
    func response(from address: IPAddress) async throws -> OutboundResponse {
        let connection: ServerConnection
        do {
            connection = try await connect(to: address)
        } catch {
            throw EgressError.connecting(error, to: step.server)
        }
        do {
            return try await connection.parts.executeThenClose { inbound, outbound in
                try await connection.waitForHandshake()
                // A server may answer and close before it has read the whole request.
                async let sent: Void = outbound.write(contentsOf: parts)
                do {
                    return try await response(reading: inbound)
                } catch let error where Self.isReason(error) {
                    throw error
                } catch {
                    try await sent
                    throw error
                }
            }
        } catch let rejection as Rejection {
            throw rejection.cause
        } catch {
            throw EgressError.exchanging(error, with: step.server, isPinned: pin != nil)
        }
    }

    /// Whether an error in reading the response is the reason why the exchange ended.
    ///
    /// If it is not, an error in sending the request, if there is one, is closer to the cause.
    private static func isReason(_ error: any Error) -> Bool {
        error is Rejection || error is EgressError || error is ServerConnection.Failure
    }

    private func connect(to address: IPAddress) async throws -> ServerConnection {
        let (origin, options) = (step.request.address.origin, step.options)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(options.connecting))
            .connect(to: try client.connect(address, origin.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ServerConnection(
                        on: channel, to: origin.host, pin: pin, context: context,
                        handshakeLimit: TimeAmount(options.connecting),
                        idleLimit: options.idle.map { TimeAmount($0) })
                }
            }
    }

    // MARK: - Request

    private var parts: [HTTPClientRequestPart] {
        let body = ByteBuffer(bytes: step.request.body)
        return [.head(head)] + (body.readableBytes == 0 ? [] : [.body(.byteBuffer(body))])
            + [.end(nil)]
    }

    private var head: HTTPRequestHead {
        let request = step.request
        var headers = HTTPHeaders(to: request.address.origin, userAgent: client.userAgent)
        for field in request.fields where field.name.lowercased() == "user-agent" {
            headers.remove(name: field.name)
        }
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

    // MARK: - Response

    private func response(
        reading inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> OutboundResponse {
        var head: ResponseHead?
        var length: Int?
        var (count, limit) = (0, step.options.responseBytes)
        var body = ByteBuffer()
        for try await part in inbound {
            switch part {
            case .head(let received):
                let accepted = try accept(received)
                (head, length) = (accepted, received.contentLength)
                if !step.options.readsBody { return response(accepted, body, count) }
                if isEndless(accepted) {
                    limit = .max
                    step.deadline.lift()
                }
                try await pass(accepted)
            case .body(var piece):
                let (sum, overflows) = count.addingReportingOverflow(piece.readableBytes)
                guard !overflows, sum <= limit else { throw tooLarge }
                count = sum
                guard let head, !step.isFollowed(head) else { continue }
                step.progress(count, length)
                if let receiver {
                    try await pass { try await receiver.piece(piece) }
                } else {
                    body.writeBuffer(&piece)
                }
            case .end:
                if let head { return response(head, body, count) }
            }
        }
        try Task.checkCancellation()
        throw EgressError.incomplete(step.server)
    }

    private func response(
        _ head: ResponseHead, _ body: ByteBuffer, _ count: Int
    ) -> OutboundResponse {
        OutboundResponse(
            head: head, body: body, received: count, address: step.request.address,
            isRedirected: step.isRedirect)
    }

    /// Whether a response is a stream of events for a receiver, which may take any time.
    private func isEndless(_ head: ResponseHead) -> Bool {
        receiver != nil && !step.isFollowed(head) && head.isEventStream
    }

    /// Passes the head of the last response to the receiver.
    private func pass(_ head: ResponseHead) async throws {
        guard let receiver, !step.isFollowed(head) else { return }
        try await pass {
            try await receiver.head(head, step.request.address, step.isRedirect)
        }
    }

    private func pass(_ part: () async throws -> Void) async throws {
        do {
            try await part()
        } catch {
            throw Rejection(cause: error)
        }
    }

    private func accept(_ received: HTTPResponseHead) throws -> ResponseHead {
        let head = ResponseHead(
            status: Int(received.status.code), received.headers.map { ($0.name, $0.value) })
        if !step.isFollowed(head) {
            do {
                try step.accept(head, step.request.address)
            } catch {
                throw Rejection(cause: error)
            }
        }
        guard step.options.readsBody else { return head }
        if step.request.method != "HEAD", !isEndless(head), let length = received.contentLength,
            length > step.options.responseBytes
        {
            throw tooLarge
        }
        guard received.headers["Content-Encoding"].allSatisfy(\.isIdentity) else {
            throw EgressError(
                .responseEncoded, "\(step.server) compressed its response without being asked to.")
        }
        return head
    }

    private var tooLarge: EgressError {
        EgressError(
            .responseTooLarge,
            "\(step.server) sent more than the limit of \(step.options.responseBytes) bytes.")
    }
}

extension HTTPResponseHead {
    fileprivate var contentLength: Int? {
        headers.first(name: "Content-Length").flatMap { Int($0) }
    }
}

extension HTTPHeaders {
    /// The fields of the only request of a connection, for an uncompressed response.
    init(to origin: WebOrigin, userAgent: String) {
        let port = origin.port == origin.scheme.port ? "" : ":\(origin.port)"
        self = [
            "Host": "\(origin.host)\(port)", "User-Agent": userAgent, "Connection": "close",
            "Accept-Encoding": "identity",
        ]
    }

    /// Accepts every media type, unless `Accept` is set.
    mutating func acceptAnything() {
        if self["Accept"].isEmpty { add(name: "Accept", value: "*/*") }
    }
}

extension String {
    fileprivate var isIdentity: Bool {
        lowercased().split(separator: ",").allSatisfy {
            $0.drop { $0 == " " } == "identity"
        }
    }
}
