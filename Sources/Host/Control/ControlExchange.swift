import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Provider

/// A request over the control socket of a host, on a connection of its own, and the response to it.
struct ControlExchange: Sendable {
    /// The body of a response, as it arrives.
    ///
    /// While it is not read, the host can send only a few buffers more. The connection is closed when
    /// the body has ended or is released.
    typealias Body = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark,
        ResponseReader.Delegate
    >

    /// The status and the header fields of the response.
    let head: HTTPResponseHead
    /// The body of the response; only one iterator can be made.
    let body: Body

    /// Sends a request, and waits for the head of its response.
    ///
    /// - Throws: `CommandFailure` if another user listens at the socket, in which case nothing is sent,
    ///   and if the host closes the connection before it answers.
    init(socket: String, _ head: HTTPRequestHead, body: Data?) async throws {
        let (channel, response) = try await Self.connect(to: socket)
        do {
            let peer = try await PeerCredentials.of(channel).get()
            guard peer.user == geteuid() else {
                throw RuntimeFolder.foreign(peer: peer.user, at: socket)
            }
            // An error of a write closes the channel. It is not waited for, because a host may answer
            // before it has read the whole request.
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            if let body {
                channel.write(
                    HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
            }
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            self.head = try await withTaskCancellationHandler {
                try await response.head.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            self.body = response.body
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private static func connect(
        to socket: String
    ) async throws -> (any Channel, ResponseReader.Response) {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .connect(unixDomainSocketPath: socket) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHTTPClientHandlers()
                    let (reader, response) = ResponseReader.make(for: channel)
                    try pipeline.addHandler(reader)
                    return (channel, response)
                }
            }
    }
}

/// Passes a response on as a future and a sequence, and reads from the connection only what is asked for.
final class ResponseReader: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart

    /// The response to the request of the connection.
    struct Response: Sendable {
        let head: EventLoopFuture<HTTPResponseHead>
        let body: ControlExchange.Body
    }

    /// Reads more when the body has been read, and closes the connection when it was released.
    struct Delegate: NIOAsyncSequenceProducerDelegate {
        let channel: any Channel

        func produceMore() { channel.read() }
        func didTerminate() { channel.close(promise: nil) }
    }

    private static let closedEarly = CommandFailure(
        .remote, "The host closed the connection before its answer was complete.",
        hint: "See whether it still runs: nervous status")

    private let head: EventLoopPromise<HTTPResponseHead>
    private let body: ControlExchange.Body.Source
    /// Whether more should be read after what is being read.
    private var isWanted = false

    /// Creates the handler of a channel; call it on the channel's event loop.
    static func make(for channel: any Channel) -> (ResponseReader, Response) {
        let head = channel.eventLoop.makePromise(of: HTTPResponseHead.self)
        let body = ControlExchange.Body.makeSequence(
            backPressureStrategy: .init(lowWatermark: 4, highWatermark: 16), finishOnDeinit: false,
            delegate: Delegate(channel: channel))
        let response = Response(head: head.futureResult, body: body.sequence)
        return (ResponseReader(head, body.source), response)
    }

    private init(
        _ head: EventLoopPromise<HTTPResponseHead>, _ body: ControlExchange.Body.Source
    ) {
        self.head = head
        self.body = body
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        read(context: context)
    }

    func read(context: ChannelHandlerContext) {
        isWanted = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head.succeed(head)
        case .body(let bytes): isWanted = body.yield(bytes) == .produceMore
        case .end:
            body.finish()
            context.close(promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isWanted { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error is HTTPParserError ? Self.closedEarly : error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(Self.closedEarly)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(Self.closedEarly)
    }

    /// Ends the response, unless it has ended.
    private func fail(_ error: any Error) {
        head.fail(error)
        body.finish(error)
    }
}
