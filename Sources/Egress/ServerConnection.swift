import Addresses
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// A connection to a server for one HTTP/1.1 request and its response.
struct ServerConnection: Sendable {
    typealias Parts = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// Why a connection ended before the response.
    enum Failure: Error {
        case closedDuringHandshake, handshakeTimedOut, idle
    }

    static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 32 << 10
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    /// The stream of request and response parts.
    let parts: Parts
    private let isSecure: EventLoopFuture<Void>

    /// Sets up a channel that is connected or connecting; call it on the channel's event loop.
    ///
    /// - Parameters:
    ///   - host: the name or address that the certificate must have if there is no pin.
    ///   - context: for a TLS connection; `nil` for plain HTTP.
    ///   - idleLimit: the longest time without a received byte.
    init(
        on channel: any Channel, to host: WebHost, pin: CertificatePin?, context: NIOSSLContext?,
        handshakeLimit: TimeAmount, idleLimit: TimeAmount? = nil
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        isSecure = try Self.secure(
            channel, to: host, pin: pin, context: context, handshakeLimit: handshakeLimit)
        if let idleLimit {
            try pipeline.addHandler(IdleStateHandler(readTimeout: idleLimit))
            try pipeline.addHandler(IdleObserver())
        }
        try pipeline.addHTTPClientHandlers(
            enableOutboundHeaderValidation: true, encoderConfiguration: .init(),
            decoderLimitConfiguration: Self.headerLimits)
        parts = try Parts(wrappingChannelSynchronously: channel)
    }

    /// Adds TLS to a channel; call it on the channel's event loop.
    ///
    /// - Returns: completed when the handshake has ended; at once without TLS.
    static func secure(
        _ channel: any Channel, to host: WebHost, pin: CertificatePin?, context: NIOSSLContext?,
        handshakeLimit: TimeAmount
    ) throws -> EventLoopFuture<Void> {
        guard let context else { return channel.eventLoop.makeSucceededVoidFuture() }
        let pipeline = channel.pipeline.syncOperations
        let isSecure = channel.eventLoop.makePromise(of: Void.self)
        do {
            let tls = try NIOSSLClientHandler.verifying(host, pin: pin, context: context)
            // The observer comes first: on a connected channel the handshake begins at once.
            try pipeline.addHandler(HandshakeObserver(isSecure, limit: handshakeLimit))
            try pipeline.addHandler(tls, position: .first)
        } catch {
            isSecure.fail(error)
            throw error
        }
        return isSecure.futureResult
    }

    /// Waits for the TLS handshake.
    ///
    /// Nothing may be written before the handshake has ended: the error of the write would hide the error
    /// of the handshake.
    ///
    /// - Throws: ``Failure``, or an error of NIOSSL.
    func waitForHandshake() async throws {
        try await isSecure.get()
    }
}

/// Completes a promise when the TLS handshake ends.
private final class HandshakeObserver: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let isSecure: EventLoopPromise<Void>
    private let limit: TimeAmount

    init(_ isSecure: EventLoopPromise<Void>, limit: TimeAmount) {
        self.isSecure = isSecure
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let isSecure = isSecure
        let timer = context.eventLoop.scheduleTask(in: limit) {
            isSecure.fail(ServerConnection.Failure.handshakeTimedOut)
        }
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
        isSecure.fail(ServerConnection.Failure.closedDuringHandshake)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isSecure.fail(ServerConnection.Failure.closedDuringHandshake)
    }
}

/// Ends a connection on which no byte arrived for too long.
private final class IdleObserver: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        context.fireErrorCaught(ServerConnection.Failure.idle)
        context.close(promise: nil)
    }
}
