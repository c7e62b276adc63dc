import NIOCore

/// Closes a connection whose client sends or reads too slowly; the first handler of a connection.
///
/// Only the client's time counts: while the host does not read, no time passes for a header or a
/// body.
final class TransferTimeoutHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private enum Reading {
        case betweenRequests
        case header(since: NIODeadline)
        case body(Window)
        /// After a request for another protocol: the client waits for the response.
        case awaitingUpgrade
        /// After an upgrade: only the client's reading is limited.
        case upgraded
    }

    /// The bytes transferred when a period began.
    private struct Window {
        let start: NIODeadline
        let bytes: Int
    }

    private let limits: ConnectionLimits
    private var reading = Reading.betweenRequests
    private var writing: Window?
    private var isReadPending = false
    private var received = 0
    private var written = 0
    private var timer: Scheduled<Void>?

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    // MARK: - Progress of the request

    func headerEnded(at now: NIODeadline) {
        reading = .body(Window(start: now, bytes: received))
    }

    func requestEnded() {
        reading = .betweenRequests
    }

    /// A request has ended after which the client may not send anything until it has the response.
    ///
    /// The parser would keep what the client sends in memory.
    func awaitUpgrade() {
        reading = .awaitingUpgrade
    }

    func upgraded() {
        reading = .upgraded
    }

    // MARK: - Bytes

    func read(context: ChannelHandlerContext) {
        isReadPending = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .awaitingUpgrade = reading { return context.close(promise: nil) }
        received += unwrapInboundIn(data).readableBytes
        if case .betweenRequests = reading { reading = .header(since: context.eventLoop.now) }
        context.fireChannelRead(data)
        watch(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReadPending = false
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard writing == nil, let left = unsent(context), left > 0 else { return }
        writing = Window(start: context.eventLoop.now, bytes: written - left)
        watch(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    private func unsent(_ context: ChannelHandlerContext) -> Int? {
        try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    }

    // MARK: - Time

    /// Sets the timer, unless it is set; it reschedules itself when it fires.
    private func watch(_ context: ChannelHandlerContext) {
        guard timer == nil, let deadline = nextDeadline else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.check(context)
        }
    }

    private var nextDeadline: NIODeadline? {
        var deadline = writing.map { $0.start + limits.period }
        switch reading {
        case .betweenRequests, .awaitingUpgrade, .upgraded: break
        case .header(let since): deadline = min(deadline ?? .distantFuture, since + limits.header)
        case .body(let window):
            deadline = min(deadline ?? .distantFuture, window.start + limits.period)
        }
        return deadline
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        guard canRead(at: now), canWrite(at: now, context) else {
            return context.close(promise: nil)
        }
        watch(context)
    }

    private func canRead(at now: NIODeadline) -> Bool {
        switch reading {
        case .header(let since) where now >= since + limits.header:
            guard !isReadPending else { return false }
            reading = .header(since: now)
        case .body(let window) where now >= window.start + limits.period:
            guard !isReadPending || received - window.bytes >= limits.progress else {
                return false
            }
            reading = .body(Window(start: now, bytes: received))
        default: break
        }
        return true
    }

    private func canWrite(at now: NIODeadline, _ context: ChannelHandlerContext) -> Bool {
        guard let window = writing, now >= window.start + limits.period else { return true }
        guard let left = unsent(context), left > 0 else {
            writing = nil
            return true
        }
        writing = Window(start: now, bytes: written - left)
        return written - left - window.bytes >= limits.progress
    }
}

@available(*, unavailable)
extension TransferTimeoutHandler: Sendable {}
