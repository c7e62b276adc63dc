public import NIOCore
import NIOTLS

/// Tells when a connection is secure, or why it is not.
///
/// Nothing is to be written before: a fault of the handshake would else be hidden behind that of the write.
public final class HandshakeWatch: ChannelInboundHandler {
    /// As it comes.
    public typealias InboundIn = NIOAny

    /// The connection ended, or took too long, before it was secure.
    public enum Fault: Error {
        case ended, tooSlow
    }

    private let isSecure: EventLoopPromise<Void>
    private let patience: TimeAmount

    /// - Parameters:
    ///   - isSecure: is completed once, whatever happens.
    ///   - patience: how long it may take.
    public init(_ isSecure: EventLoopPromise<Void>, patience: TimeAmount) {
        self.isSecure = isSecure
        self.patience = patience
    }

    public func handlerAdded(context: ChannelHandlerContext) {
        let isSecure = isSecure
        let timer = context.eventLoop.scheduleTask(in: patience) { isSecure.fail(Fault.tooSlow) }
        isSecure.futureResult.whenComplete { _ in timer.cancel() }
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { isSecure.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        isSecure.fail(error)
        context.fireErrorCaught(error)
    }

    public func channelInactive(context: ChannelHandlerContext) {
        isSecure.fail(Fault.ended)
        context.fireChannelInactive()
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        isSecure.fail(Fault.ended)
    }
}

@available(*, unavailable)
extension HandshakeWatch: Sendable {}
