import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
public import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// HTTP/1.1 connections with the limits of this host.
struct ServerChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let limits: ConnectionLimits
    /// Encrypts the connections; `nil` on this machine.
    private let tls: NIOSSLContext?

    /// The limits of a request's header; beyond them the request is refused and the connection
    /// closed.
    private enum Size {
        static let headerBytes = 16 << 10
        static let fieldBytes = 8 << 10
        static let fields = 100
    }

    init(
        responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits,
        tls: NIOSSLContext? = nil
    ) {
        self.limits = limits
        self.tls = tls
        http = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ContinueHandler()], idleTimeout: limits.idle,
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Size.fieldBytes, maxHeaderListSize: Size.headerBytes,
                    maxHeaderFieldCount: Size.fields)))
    }

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>> {
        checkPeer(of: channel).flatMapThrowing {
            guard let tls else { return }
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let pace = TransferTimeoutHandler(limits: limits)
            let codec = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self).handler
            try pipeline.addHandlers(
                [UpgradeHandler(pace: pace, limits: limits), RequestHeadHandler(pace: pace)],
                position: .before(codec))
            let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self).handler
            // Next to the encoder, so that it also sees the responses of other handlers.
            try pipeline.addHandler(SecurityFieldHandler(), position: .after(encoder))
            // Below TLS, so that a slow handshake counts as a slow header.
            try pipeline.addHandler(pace, position: .first)
            return value
        }
    }

    /// Fails for a Unix socket whose peer is neither this user nor root: its bytes are not read.
    private func checkPeer(of channel: any Channel) -> EventLoopFuture<Void> {
        guard channel.localAddress?.protocol == .unix else {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        return PeerCredentials.of(channel).flatMapThrowing { peer in
            guard peer.user == geteuid() || peer.user == 0 else { throw ForeignPeer() }
        }
    }

    private struct ForeignPeer: Error {}

    func handle(
        value: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, logger: Logger
    ) async {
        await http.handle(value: value, logger: logger)
    }
}

/// The limits of connections, against slow senders and readers and against many of them.
public struct ConnectionLimits: Sendable {
    /// The time from the first byte of a request to the end of its header fields.
    public var header: TimeAmount
    /// The period over which the progress of a body or a response is measured.
    public var period: TimeAmount
    /// The bytes that must be transferred within a period, unless fewer are left.
    public var progress: Int
    /// How long a connection may be idle between requests, and how long the client of a WebSocket may be
    /// silent although it was sent pings.
    public var idle: TimeAmount
    /// The maximum number of connections of a server at one time; `nil` for no limit.
    ///
    /// Further connections wait until one ends.
    public var connections: Int?

    /// - Parameters:
    ///   - header: the time from the first byte of a request to the end of its header fields.
    ///   - period: the period over which progress is measured.
    ///   - progress: the bytes that must be transferred within a period.
    ///   - idle: how long a connection may be idle between requests.
    ///   - connections: the maximum number of connections at one time.
    public init(
        header: TimeAmount = .seconds(10), period: TimeAmount = .seconds(20),
        progress: Int = 1000, idle: TimeAmount = .seconds(60),
        connections: Int? = nil
    ) {
        self.header = header
        self.period = period
        self.progress = progress
        self.idle = idle
        self.connections = connections
    }

    /// Practically no limits, for the control socket: the owner may read slowly, such as in a
    /// pager.
    public static let unlimited = ConnectionLimits(
        header: .hours(24), period: .hours(24), progress: 0)
}

/// Handles HTTP/1.0, before the version of a request is lost in the conversion to HTTP types.
///
/// HTTP/1.0 has no `Transfer-Encoding`: another reader would see the body as the next request
/// (RFC 9112, section 6.1), so such a request is refused. The connection is closed after the
/// response unless the client asked for keep-alive.
final class RequestHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let pace: TransferTimeoutHandler
    private var isRefused = false

    init(pace: TransferTimeoutHandler) {
        self.pace = pace
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            pace.headerEnded(at: context.eventLoop.now)
            guard head.version != .http1_1 else { break }
            guard !head.headers.contains(name: "Transfer-Encoding") else {
                isRefused = true
                return context.fireErrorCaught(HTTPParserError.unexpectedContentLength)
            }
            if !head.isKeepAlive {
                head.headers.replaceOrAdd(name: "Connection", value: "close")
                return context.fireChannelRead(wrapInboundOut(.head(head)))
            }
        case .body: break
        case .end: pace.requestEnded()
        }
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension RequestHeadHandler: Sendable {}

/// Answers `Expect: 100-continue` with 100 (RFC 9110, section 10.1.1).
///
/// Some clients, such as curl, wait up to a second for it before they send a large body. It is sent
/// whatever the response will be, because the connection reads every body to its end. It is delayed
/// until the responses to earlier requests on the connection are complete.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Whether each request without a complete response expects 100.
    private var unanswered: CircularBuffer<Bool> = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            unanswered.append(head.asksToContinue)
            if unanswered.count == 1 { continueFirst(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var isEnd = false
        if case .end = unwrapOutboundIn(data) { isEnd = true }
        context.write(data, promise: promise)
        guard isEnd else { return }
        _ = unanswered.popFirst()
        continueFirst(context)
    }

    private func continueFirst(_ context: ChannelHandlerContext) {
        guard unanswered.first == true else { return }
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
}

@available(*, unavailable)
extension ContinueHandler: Sendable {}

extension HTTPRequest {
    fileprivate var asksToContinue: Bool {
        headerFields[values: .expect].contains { $0.lowercased() == "100-continue" }
    }
}
