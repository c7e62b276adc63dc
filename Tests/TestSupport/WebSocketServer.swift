import NIOCore
import NIOHTTP1
import NIOPosix
public import NIOWebSocket
import Synchronization

/// A WebSocket server on a free loopback port, whose frames a test determines.
public struct WebSocketServer: Sendable {
    /// The port.
    public let port: Int
    private let log: Log

    /// The frames received so far, unmasked.
    public var received: [WebSocketFrame] { log.frames.withLock { $0 } }

    /// The header fields of the last request.
    public var fields: [(name: String, value: String)] {
        log.head.withLock { $0?.headers.map { ($0.name, $0.value) } ?? [] }
    }

    /// How many connections have ended.
    public var ended: Int { log.ended.withLock { $0 } }

    private final class Log: Sendable {
        let frames = Mutex<[WebSocketFrame]>([])
        let head = Mutex<HTTPRequestHead?>(nil)
        let ended = Mutex(0)
        let channels = Mutex<[any Channel]>([])
    }

    /// Runs a server for the duration of `body`.
    ///
    /// - Parameters:
    ///   - fields: of the response that opens a WebSocket, such as the chosen subprotocol.
    ///   - opening: sent at once.
    ///   - respond: the frames to send for one that was received; `nil` to close the connection.
    public static func with<T: Sendable>(
        fields: [(String, String)] = [], opening: [WebSocketFrame] = [],
        _ respond: @escaping @Sendable (WebSocketFrame) -> [WebSocketFrame]? = { _ in [] },
        _ body: (WebSocketServer) async throws -> T
    ) async throws -> T {
        let log = Log()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                log.channels.withLock { $0.append(channel) }
                channel.closeFuture.whenComplete { _ in log.ended.withLock { $0 += 1 } }
                let upgrader = NIOWebSocketServerUpgrader(
                    maxFrameSize: 16 << 20, automaticErrorHandling: false,
                    shouldUpgrade: { channel, head in
                        log.head.withLock { $0 = head }
                        return channel.eventLoop.makeSucceededFuture(HTTPHeaders(fields))
                    },
                    upgradePipelineHandler: { channel, _ in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(
                                Responder(log: log, opening: opening, respond: respond))
                        }
                    })
                return channel.pipeline.configureHTTPServerPipeline(
                    withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<T, any Error>
        do {
            result = .success(
                try await body(
                    WebSocketServer(port: server.localAddress?.port ?? 0, log: log)))
        } catch {
            result = .failure(error)
        }
        try await server.close()
        for channel in log.channels.withLock({ $0 }) { try? await channel.close() }
        return try result.get()
    }

    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        private let log: Log
        private let opening: [WebSocketFrame]
        private let respond: @Sendable (WebSocketFrame) -> [WebSocketFrame]?

        init(
            log: Log, opening: [WebSocketFrame],
            respond: @escaping @Sendable (WebSocketFrame) -> [WebSocketFrame]?
        ) {
            (self.log, self.opening, self.respond) = (log, opening, respond)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            send(opening, context)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let frame = Self.unwrapInboundIn(data)
            let plain = WebSocketFrame(
                fin: frame.fin, rsv1: frame.rsv1, rsv2: frame.rsv2, rsv3: frame.rsv3,
                opcode: frame.opcode, maskKey: nil, data: frame.unmaskedData)
            log.frames.withLock { $0.append(plain) }
            if let frames = respond(plain) {
                send(frames, context)
            } else {
                context.close(promise: nil)
            }
        }

        private func send(_ frames: [WebSocketFrame], _ context: ChannelHandlerContext) {
            for frame in frames { context.write(Self.wrapOutboundOut(frame), promise: nil) }
            context.flush()
        }
    }
}

extension WebSocketFrame {
    /// A text message.
    public static func text(_ text: String, fin: Bool = true) -> WebSocketFrame {
        WebSocketFrame(fin: fin, opcode: .text, data: ByteBuffer(string: text))
    }

    /// A binary message.
    public static func binary(_ bytes: [UInt8], fin: Bool = true) -> WebSocketFrame {
        WebSocketFrame(fin: fin, opcode: .binary, data: ByteBuffer(bytes: bytes))
    }

    /// A further fragment of a message.
    public static func continuation(_ bytes: [UInt8], fin: Bool) -> WebSocketFrame {
        WebSocketFrame(fin: fin, opcode: .continuation, data: ByteBuffer(bytes: bytes))
    }

    /// A close frame; without a code, an empty one.
    public static func close(_ code: UInt16? = nil, _ reason: [UInt8] = []) -> WebSocketFrame {
        var data = ByteBuffer()
        if let code { data.writeInteger(code) }
        data.writeBytes(reason)
        return WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    }

    /// The bytes of the payload.
    public var bytes: [UInt8] { Array(data.readableBytesView) }
}
