import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOWebSocket

/// The server's end of a WebSocket that only sends: RFC 6455, without extensions.
///
/// The body of the response consists of whole frames, the last one a close frame. This handler adds
/// pings, answers pings and close frames, and ends the connection with a client that sends messages,
/// violates the protocol, or is silent although it was sent pings.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = ByteBuffer

    /// The maximum number of bytes of a frame from the client.
    static let largestFrame = 4 << 10
    /// How long the client may take to answer a close frame.
    private static let closing = TimeAmount.seconds(5)

    private let limits: ConnectionLimits
    /// When the last frame of the client arrived.
    private var heard = NIODeadline.uptimeNanoseconds(0)
    private var hasClosed = false
    private var timer: Scheduled<Void>?

    /// - Parameter limits: `idle` is how long a client may be silent; it is sent a ping four times in this time.
    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        heard = context.eventLoop.now
        schedulePing(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    // MARK: - From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        heard = context.eventLoop.now
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return fail(.protocolError, context)
        }
        switch frame.opcode {
        case .ping:
            // A client that does not read gets no answers, which would fill the memory.
            guard !hasClosed, context.channel.isWritable else { return }
            send(.pong, frame.unmaskedData, context)
        case .pong: break
        case .connectionClose: answerClose(frame.unmaskedData, context)
        case .text, .binary: fail(.unacceptableData, context)
        default: fail(.protocolError, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: fail(.messageTooLarge, context)
        case is NIOWebSocketError: fail(.protocolError, context)
        // What arrives after a violation is not read.
        case is ByteToMessageDecoderError: break
        default: context.fireErrorCaught(error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
    }

    private func answerClose(_ payload: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !hasClosed else { return context.close(promise: nil) }
        var payload = payload
        let code = payload.readableBytes == 0 ? nil : payload.readWebSocketErrorCode()
        if payload.writerIndex > 0 {
            guard let code, code.canBeSent, payload.isText else {
                return fail(.protocolError, context)
            }
        }
        hasClosed = true
        let sent = context.eventLoop.makePromise(of: Void.self)
        send(.connectionClose, ByteBuffer(closing: code), context, sent)
        sent.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    /// Begins the closing handshake, and ends the stream.
    private func fail(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        guard !hasClosed else { return }
        hasClosed = true
        send(.connectionClose, ByteBuffer(closing: code), context)
        awaitClose(context)
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    // MARK: - To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasClosed else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head: promise?.succeed()
        case .body(let frames): context.write(wrapOutboundOut(frames), promise: promise)
        case .end:
            hasClosed = true
            awaitClose(context)
            context.flush()
            promise?.succeed()
        }
    }

    private func send(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>? = nil
    ) {
        var frame = ByteBuffer()
        frame.writeFrame(opcode, payload.readableBytesView)
        context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
    }

    // MARK: - Time

    private func schedulePing(_ context: ChannelHandlerContext) {
        let interval = TimeAmount.nanoseconds(limits.idle.nanoseconds / 4)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            guard context.eventLoop.now - self.heard < self.limits.idle else {
                return context.close(promise: nil)
            }
            if context.channel.isWritable { self.send(.ping, ByteBuffer(), context) }
            self.schedulePing(context)
        }
    }

    private func awaitClose(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closing) {
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension WebSocketHandler: Sendable {}

extension ByteBuffer {
    /// The payload of a close frame.
    init(closing code: WebSocketErrorCode?) {
        self.init()
        if let code { write(webSocketErrorCode: code) }
    }

    fileprivate var isText: Bool {
        String(validating: readableBytesView, as: UTF8.self) != nil
    }

    /// Writes an unmasked frame, which is a whole message: RFC 6455, section 5.2.
    ///
    /// Unlike NIO's encoder it appends to what was written before, so that a group of samples is one write.
    mutating func writeFrame(_ opcode: WebSocketOpcode, _ payload: ByteBufferView) {
        writeInteger(0x80 | UInt8(webSocketOpcode: opcode))
        switch payload.count {
        case ..<126: writeInteger(UInt8(payload.count))
        case ...Int(UInt16.max):
            writeInteger(126 as UInt8)
            writeInteger(UInt16(payload.count))
        default:
            writeInteger(127 as UInt8)
            writeInteger(UInt64(payload.count))
        }
        writeBytes(payload)
    }
}

extension WebSocketErrorCode {
    /// Whether a close frame may contain the code: RFC 6455, section 7.4, and the IANA registry.
    fileprivate var canBeSent: Bool {
        let number = UInt16(webSocketErrorCode: self)
        return (1000...1003).contains(number) || (1007...1014).contains(number)
            || (3000...4999).contains(number)
    }
}
