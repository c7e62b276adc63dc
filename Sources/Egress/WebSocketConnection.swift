import NIOCore
import NIOPosix
import NIOWebSocket
import Scheduling
import Synchronization

/// The limits of a WebSocket.
public struct WebSocketLimits: Hashable, Sendable {
    /// The maximum size of a message in bytes, in each direction.
    public var message = 1 << 20
    /// The silence of the server after which it is sent a ping.
    public var ping = Duration.seconds(60)
    /// The silence of the server after which the connection ends.
    public var silence = Duration.seconds(120)
    /// The time limit of the closing handshake.
    public var closing = Duration.seconds(10)

    /// The limits for apps.
    public init() {}
}

/// An open WebSocket, without extensions: RFC 6455.
///
/// Messages can be sent while ``receive(_:)`` runs, which also answers pings.
public struct WebSocketConnection: Sendable {
    typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    /// The subprotocol that the server has chosen; empty for none.
    public let subprotocol: String
    private let channel: any Channel
    private let inbound: NIOAsyncChannelInboundStream<WebSocketFrame>
    private let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    private let limits: WebSocketLimits
    private let server: String
    private let time: any TimeSource
    private let state: State

    /// What the reader, the senders and the timer share.
    private final class State: Sendable {
        struct Values {
            var hasSentClose = false
            var closing: WebSocketClosing?
            /// Since when the reader waits for a frame; `nil` while it passes one on.
            var waitsSince: ContinuousClock.Instant?
            var hasPinged = false
            var bytesReceived = 0
            var bytesSent = 0
        }

        let values = Mutex(Values())
    }

    init(
        _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, subprotocol: String,
        limits: WebSocketLimits, server: String, time: any TimeSource
    ) {
        (self.channel, self.inbound, self.outbound) = (channel, inbound, outbound)
        (self.subprotocol, self.limits, self.server) = (subprotocol, limits, server)
        self.time = time
        state = State()
    }

    /// The bytes of the messages received so far.
    public var bytesReceived: Int { state.values.withLock { $0.bytesReceived } }

    /// The bytes of the messages sent so far.
    public var bytesSent: Int { state.values.withLock { $0.bytesSent } }

    /// Sends a message; returns when the connection has taken it.
    ///
    /// - Throws: `messageTooLarge` for more bytes than the limit, `webSocketClosed` after a close frame was
    ///   sent, and when the connection has ended.
    public func send(_ message: WebSocketMessage) async throws(EgressError) {
        guard message.size <= limits.message else {
            throw EgressError(
                .messageTooLarge,
                "A message has \(message.size) bytes, more than the limit of \(limits.message).")
        }
        guard state.values.withLock({ !$0.hasSentClose && $0.closing == nil }) else { throw closed }
        let frame =
            switch message {
            case .text(let text):
                WebSocketFrame(
                    fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
            case .binary(let bytes):
                WebSocketFrame(fin: true, opcode: .binary, maskKey: .random(), data: bytes)
            }
        do {
            try await outbound.write(frame)
        } catch {
            throw closed
        }
        state.values.withLock { $0.bytesSent += message.size }
    }

    /// Begins the closing handshake, unless it has begun.
    ///
    /// - Parameters:
    ///   - code: 1000, or from 3000 to 4999; `nil` to send no status.
    ///   - reason: at most 123 bytes; only with a code.
    public func close(code: Int?, reason: String = "") {
        sendClose(code.map { WebSocketErrorCode(codeNumber: $0) }, reason)
    }

    /// Passes the messages of the server on until the connection has ended.
    ///
    /// No more is read from the server before `body` returns. When it throws, or the task is cancelled, the
    /// server gets a close frame.
    ///
    /// - Returns: how the connection was closed.
    /// - Throws: what `body` throws, or `CancellationError`.
    public func receive(
        _ body: @escaping @Sendable (WebSocketMessage) async throws -> Void
    ) async throws -> WebSocketClosing {
        do {
            return try await withThrowingTaskGroup(of: WebSocketClosing.self) { group in
                group.addTask { try await read(body) }
                group.addTask { try await watch() }
                defer { group.cancelAll() }
                guard let closing = try await group.next() else { throw CancellationError() }
                return closing
            }
        } catch {
            sendClose(.goingAway, "")
            throw error
        }
    }

    // MARK: - Private

    private var closed: EgressError {
        EgressError(.webSocketClosed, "The WebSocket to \(server) is closed.")
    }

    private func read(
        _ body: @Sendable (WebSocketMessage) async throws -> Void
    ) async throws -> WebSocketClosing {
        var reader = WebSocketReader(limit: limits.message)
        var frames = inbound.makeAsyncIterator()
        while true {
            state.values.withLock {
                ($0.waitsSince, $0.hasPinged) = (time.instant(), false)
            }
            let frame: WebSocketFrame?
            do {
                frame = try await frames.next()
            } catch let error as NIOWebSocketError {
                return fail(WebSocketReader.Violation(error))
            } catch {
                // The connection was lost.
                try Task.checkCancellation()
                return ending
            }
            state.values.withLock { $0.waitsSince = nil }
            try Task.checkCancellation()
            guard let frame else { return ending }
            // After its close frame, the server has nothing more to say.
            guard state.values.withLock({ $0.closing == nil }) else { continue }
            let event: WebSocketReader.Event
            do throws(WebSocketReader.Violation) {
                event = try reader.read(frame)
            } catch {
                return fail(error)
            }
            switch event {
            case .message(let message):
                state.values.withLock { $0.bytesReceived += message.size }
                try await body(message)
            case .ping(let data): answer(data)
            case .close(let code, let reason): acceptClose(code, reason)
            case .other: break
            }
        }
    }

    /// How a connection has ended that has just been closed or lost.
    private var ending: WebSocketClosing {
        state.values.withLock { $0.closing }
            ?? .failed("\(server) closed the connection without a closing handshake.")
    }

    private func fail(_ violation: WebSocketReader.Violation) -> WebSocketClosing {
        sendClose(violation.code, "")
        return .failed("\(server) broke the WebSocket protocol: \(violation.reason).")
    }

    private func answer(_ ping: ByteBuffer) {
        // A server that does not read gets no answers, which would fill the memory.
        guard channel.isWritable else { return }
        channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: ping), promise: nil)
    }

    private func acceptClose(_ code: Int?, _ reason: String) {
        let closing = WebSocketClosing(code: code ?? 1005, reason: reason, isClean: true)
        state.values.withLock { $0.closing = closing }
        sendClose(code.map { WebSocketErrorCode(codeNumber: $0) }, "")
        // The server closes the connection first: RFC 6455, section 7.1.1.
        endConnection(within: limits.closing / 5)
    }

    private func sendClose(_ code: WebSocketErrorCode?, _ reason: String) {
        let isFirst = state.values.withLock { values in
            defer { values.hasSentClose = true }
            return !values.hasSentClose
        }
        guard isFirst else { return }
        var payload = ByteBuffer()
        if let code {
            payload.write(webSocketErrorCode: code)
            payload.writeString(reason)
        }
        channel.writeAndFlush(
            WebSocketFrame(
                fin: true, opcode: .connectionClose, maskKey: .random(), data: payload),
            promise: nil)
        endConnection(within: limits.closing)
    }

    private func endConnection(within limit: Duration) {
        let channel = channel
        channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    }

    /// Sends a ping to a silent server.
    ///
    /// - Returns: when it stays silent.
    private func watch() async throws -> WebSocketClosing {
        while true {
            try await time.sleep(for: limits.ping / 4)
            let (since, hasPinged) = state.values.withLock { ($0.waitsSince, $0.hasPinged) }
            guard let since else { continue }
            let silence = since.duration(to: time.instant())
            if silence >= limits.silence {
                sendClose(.goingAway, "")
                return .failed("\(server) did not answer a ping.")
            }
            guard silence >= limits.ping, !hasPinged else { continue }
            state.values.withLock { $0.hasPinged = true }
            channel.writeAndFlush(
                WebSocketFrame(fin: true, opcode: .ping, maskKey: .random(), data: ByteBuffer()),
                promise: nil)
        }
    }
}
