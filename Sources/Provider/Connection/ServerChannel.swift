import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Connections of HTTP/1.1 with the limits of this host.
struct ServerChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let limits: ConnectionLimits

    /// What a request may be at most; beyond it the connection is refused and closed.
    private enum Size {
        static let headerBytes = 16 << 10
        static let fieldBytes = 8 << 10
        static let fields = 100
    }

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits) {
        self.limits = limits
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
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let pace = PaceHandler(limits: limits)
            let codec = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self).handler
            try pipeline.addHandler(RequestHeadHandler(pace: pace), position: .before(codec))
            try pipeline.addHandler(pace, position: .first)
            return value
        }
    }

    func handle(
        value: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, logger: Logger
    ) async {
        await http.handle(value: value, logger: logger)
    }
}
