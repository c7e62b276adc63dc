import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// Switches a connection to WebSocket when the response to a request is 101.
///
/// The HTTP parser stops after a request that asks for another protocol (or `CONNECT`), whatever the
/// response will be. With any other response the connection is therefore closed.
final class UpgradeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let pace: TransferTimeoutHandler
    private let limits: ConnectionLimits
    /// The requests without a complete response.
    private var unanswered = 0
    /// Whether the parser stops after the last request.
    private var hasStopped = false

    init(pace: TransferTimeoutHandler, limits: ConnectionLimits) {
        (self.pace, self.limits) = (pace, limits)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            unanswered += 1
            hasStopped = head.asksToUpgrade
            // HTTP/1.0 has no upgrade: RFC 9110, section 7.8.
            if hasStopped, head.version != .http1_1 { head.headers.remove(name: "Upgrade") }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: context.fireChannelRead(data)
        case .end:
            context.fireChannelRead(data)
            if hasStopped { pace.awaitUpgrade() }
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let answersLast = hasStopped && unanswered == 1
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status == .switchingProtocols:
            context.writeAndFlush(data, promise: promise)
            switchToWebSocket(context)
        case .head(var head) where answersLast && head.status.code >= 200:
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body: context.write(data, promise: promise)
        case .end:
            unanswered -= 1
            guard answersLast else { return context.write(data, promise: promise) }
            let written = promise ?? context.eventLoop.makePromise()
            context.writeAndFlush(data, promise: written)
            written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        }
    }

    /// Replaces the handlers of HTTP/1.1, except those that count requests and limit the time.
    private func switchToWebSocket(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let last = try pipeline.context(handlerType: ContinueHandler.self)
            let decoder = WebSocketFrameDecoder(maxFrameSize: WebSocketHandler.largestFrame)
            try pipeline.addHandlers(
                [ByteToMessageHandler(decoder), WebSocketHandler(limits: limits)],
                position: .after(last.handler))
            pace.upgraded()
            for replaced in [
                last, try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self),
                try pipeline.context(handlerType: RequestHeadHandler.self),
                try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self),
                try pipeline.context(handlerType: SecurityFieldHandler.self),
                try pipeline.context(handlerType: HTTPResponseEncoder.self), context,
            ] {
                pipeline.removeHandler(context: replaced, promise: nil)
            }
        } catch {
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension UpgradeHandler: Sendable {}

extension HTTPRequestHead {
    /// Whether the request asks for another protocol, to which the parser then switches.
    fileprivate var asksToUpgrade: Bool {
        guard method != .CONNECT else { return true }
        return headers.contains(name: "Upgrade")
            && headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
    }
}
