public import Addresses
public import NIOCore
public import NIOHTTP1
public import NIOSSL

/// A connection to a server for one request of HTTP/1.1 and its answer.
public struct ServerConnection: Sendable {
    /// What goes to the server and what comes of it.
    public typealias Parts = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// What the header of an answer may be.
    private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 32 << 10
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    public let parts: Parts
    private let isSecure: EventLoopFuture<Void>

    /// Sets up a channel that is connected or about to be; to be called on its event loop.
    ///
    /// - Parameters:
    ///   - host: whose certificate it must be, where there is no pin.
    ///   - context: what a secure connection is made with; `nil` for one that is not secure.
    ///   - patience: how long it may take until the connection is secure.
    public init(
        on channel: any Channel, to host: WebHost, pin: CertificatePin?,
        with context: NIOSSLContext?, patience: TimeAmount
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let isSecure = channel.eventLoop.makePromise(of: Void.self)
        do {
            if let context {
                let secure = try NIOSSLClientHandler.checking(host, pin: pin, with: context)
                // First the watch: on a channel that is connected the handshake begins at once.
                try pipeline.addHandler(HandshakeWatch(isSecure, patience: patience))
                try pipeline.addHandler(secure, position: .first)
            } else {
                isSecure.succeed()
            }
            try pipeline.addHTTPClientHandlers(
                enableOutboundHeaderValidation: true, encoderConfiguration: .init(),
                decoderLimitConfiguration: Self.headerLimits)
            parts = try Parts(wrappingChannelSynchronously: channel)
        } catch {
            isSecure.fail(error)
            throw error
        }
        self.isSecure = isSecure.futureResult
    }

    /// Waits until the connection is secure, where it has to be; nothing is to be written before.
    ///
    /// - Throws: why it is not, also ``HandshakeWatch/Fault``.
    public func secured() async throws {
        try await isSecure.get()
    }
}
