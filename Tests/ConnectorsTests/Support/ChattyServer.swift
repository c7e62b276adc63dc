import NIOCore
import NIOPosix
import Synchronization

/// A server on a free port of this machine that says something at once and more when it is spoken to.
final class ChattyServer: Sendable {
    /// What it says on one connection.
    struct Script: Sendable {
        var greeting = ""
        /// After the first bytes that the client sends.
        var answer: [UInt8] = []
        /// After each that comes later, one for each.
        var later: [[UInt8]] = []
        /// Whether the connection ends then.
        var ends = false
        /// The same again and again for as long as the client reads.
        var endless = false
    }

    let port: Int
    private let channel: any Channel
    private let shared: Shared

    /// - Parameter script: by the number of the connection, from 0.
    init(port: Int = 0, _ script: @escaping @Sendable (Int) -> Script) async throws {
        let shared = Shared()
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = shared.state.withLock { state in
                        defer { state.connections += 1 }
                        return state.connections
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        Speaker(script: script(number), shared: shared))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.shared = shared
        self.port = channel.localAddress?.port ?? 0
    }

    /// Connections that there were.
    var connections: Int { shared.state.withLock { $0.connections } }
    /// Connections that there are.
    var open: Int { shared.state.withLock { $0.open } }
    /// What clients sent.
    var asked: [String] { shared.state.withLock { $0.asked } }

    /// Takes no more connections; those that there are go on.
    func close() async throws {
        try await channel.close()
    }

    /// Ends all connections.
    func hangUp() {
        for channel in shared.state.withLock({ $0.channels }) { channel.close(promise: nil) }
    }

    private final class Shared: Sendable {
        struct State: Sendable {
            var connections = 0
            var open = 0
            var asked: [String] = []
            var channels: [any Channel] = []
        }

        let state = Mutex(State())
    }

    private final class Speaker: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let script: Script
        private let shared: Shared
        private var hasAnswered = false
        private var laterAnswers = 0

        init(script: Script, shared: Shared) {
            (self.script, self.shared) = (script, shared)
        }

        func channelActive(context: ChannelHandlerContext) {
            shared.state.withLock { state in
                state.open += 1
                state.channels.append(context.channel)
            }
            let greeting = ByteBuffer(string: script.greeting)
            context.writeAndFlush(wrapOutboundOut(greeting), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            shared.state.withLock { $0.open -= 1 }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let asked = String(buffer: unwrapInboundIn(data))
            shared.state.withLock { $0.asked.append(asked) }
            guard hasAnswered else {
                hasAnswered = true
                return say(context)
            }
            guard script.later.indices.contains(laterAnswers) else { return }
            let answer = ByteBuffer(bytes: script.later[laterAnswers])
            laterAnswers += 1
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if hasAnswered, script.endless { say(context) }
        }

        private func say(_ context: ChannelHandlerContext) {
            let answer = ByteBuffer(bytes: script.answer)
            repeat {
                context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            } while script.endless && context.channel.isWritable
            if script.ends { context.close(promise: nil) }
        }
    }
}
