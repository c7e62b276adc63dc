import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells clients that ask before they send a body that they may (RFC 9110, section 10.1.1).
///
/// Some, curl among them, wait a second for it with bodies that are large. It is said whatever the
/// answer will be, because the connection reads a body to its end in any case. It never stands amid the
/// answer to an earlier request on the same connection.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// For each request that has no whole answer yet, whether its client asks.
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
