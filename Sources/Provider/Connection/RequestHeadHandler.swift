import NIOCore
import NIOHTTP1

/// What must be seen of a request before the version that its client speaks is forgotten.
///
/// HTTP/1.0 knows no `Transfer-Encoding`: a reader of that version would see the body as the next
/// request (RFC 9112, section 6.1), so such a request is refused. Its connection ends with the answer
/// unless its client asked for more.
final class RequestHeadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let pace: PaceHandler
    private var isRefused = false

    init(pace: PaceHandler) {
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
