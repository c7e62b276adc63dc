import NIOCore
import NIOTLS

/// Tells when a connection is secure, or why it is not.
///
/// Nothing is to be written before: a fault of the handshake would else be hidden behind that of the write.
final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    /// The connection ended, or took too long, before it was secure.
    enum Fault: Error {
        case ended, tooSlow
    }

    private let isSecure: EventLoopPromise<Void>
    private let patience: TimeAmount

    init(_ isSecure: EventLoopPromise<Void>, patience: TimeAmount) {
        self.isSecure = isSecure
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let isSecure = isSecure
        let timer = context.eventLoop.scheduleTask(in: patience) { isSecure.fail(Fault.tooSlow) }
        isSecure.futureResult.whenComplete { _ in timer.cancel() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { isSecure.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isSecure.fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isSecure.fail(Fault.ended)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isSecure.fail(Fault.ended)
    }
}

@available(*, unavailable)
extension HandshakeWatch: Sendable {}
