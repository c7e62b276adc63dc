import NIOCore
import NIOPosix

/// A TCP connection to a server.
struct TCPConnection {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, runs `body` and closes.
    static func with<T: Sendable>(
        port: Int, _ body: (Reader, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> T
    ) async throws -> T {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(Reader(iterator: inbound.makeAsyncIterator()), outbound)
        }
    }

    /// The received bytes, piece by piece or as a whole.
    final class Reader {
        private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator

        init(iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) {
            self.iterator = iterator
        }

        /// - Returns: `nil` when the server has closed, also with a reset.
        func next() async -> [UInt8]? {
            (try? await iterator.next()).map { Array($0.readableBytesView) }
        }

        /// Everything until the server closes.
        func rest() async -> [UInt8] {
            var bytes: [UInt8] = []
            while let more = await next() { bytes += more }
            return bytes
        }
    }
}
