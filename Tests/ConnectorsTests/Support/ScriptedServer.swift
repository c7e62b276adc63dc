import NIOCore
import NIOPosix
import Synchronization

/// A server on a free port that sends a greeting, and scripted answers to received bytes.
final class ScriptedServer: Sendable {
    /// The output on one connection.
    struct Script: Sendable {
        var greeting = ""
        /// After the first bytes that the client sends.
        var answer: [UInt8] = []
        /// The answers to later bytes, one for each time that some arrive.
        var later: [[UInt8]] = []
        /// Whether the connection is closed after the answer.
        var ends = false
        /// Whether the answer is repeated for as long as the client reads.
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
                        ScriptHandler(script: script(number), shared: shared))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.shared = shared
        self.port = channel.localAddress?.port ?? 0
    }

    /// The number of connections so far.
    var connections: Int { shared.state.withLock { $0.connections } }
    /// The number of open connections.
    var open: Int { shared.state.withLock { $0.open } }
    /// The texts that clients sent.
    var received: [String] { shared.state.withLock { $0.received } }

    /// Stops accepting connections; existing ones stay open.
    func close() async throws {
        try await channel.close()
    }

    /// Ends all connections.
    func closeConnections() {
        for channel in shared.state.withLock({ $0.channels }) { channel.close(promise: nil) }
    }

    private final class Shared: Sendable {
        struct State: Sendable {
            var connections = 0
            var open = 0
            var received: [String] = []
            var channels: [any Channel] = []
        }

        let state = Mutex(State())
    }

    private final class ScriptHandler: ChannelInboundHandler {
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
            let received = String(buffer: unwrapInboundIn(data))
            shared.state.withLock { $0.received.append(received) }
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
