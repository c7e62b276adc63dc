import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on a free loopback port, or on a Unix socket, that sends scripted answers, byte for byte.
public struct LocalServer: Sendable {
    /// A request: its header as text, and its body.
    public struct Received: Sendable {
        public let head: String
        public let body: [UInt8]

        /// The value of a header field.
        public subscript(name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { continue }
                return String(parts[1].drop { $0 == " " })
            }
            return nil
        }

        /// Path and query.
        public var target: String {
            head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        }

        public var method: String { head.split(separator: " ").first.map(String.init) ?? "" }
    }

    /// A response of the server.
    public enum Reply: Sendable {
        /// These bytes; then the server closes the connection.
        case bytes([UInt8])
        /// These bytes; then nothing until the client disconnects.
        case silence(after: [UInt8])
        /// These bytes, then others repeatedly until the client disconnects.
        case endless(after: [UInt8], [UInt8])

        public static func text(_ text: String) -> Reply { .bytes(Array(text.utf8)) }

        public static func answer(
            _ body: String = "", status: String = "200 OK", fields: [(String, String)] = []
        ) -> Reply {
            let lines = fields.map { "\($0): \($1)\r\n" }.joined()
            return .text(
                "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(lines)\r\n\(body)")
        }

        public static func redirect(to place: String, status: String = "302 Found") -> Reply {
            answer("moved", status: status, fields: [("Location", place)])
        }
    }

    /// The port; 0 on a Unix socket.
    public let port: Int
    private let log: Log

    /// The requests received so far.
    public var received: [Received] { log.all.withLock { $0 } }

    private final class Log: Sendable {
        let all = Mutex<[Received]>([])
        /// Every accepted connection.
        let connections = Mutex<[any Channel]>([])
    }

    /// Runs a server for the duration of `body`.
    ///
    /// - Parameters:
    ///   - certificate: its TLS certificate; `nil` for plain HTTP.
    ///   - socket: the path of its Unix socket; `nil` for a port.
    public static func with<T: Sendable>(
        certificate: TestCertificate? = nil, socket: String? = nil,
        _ respond: @escaping @Sendable (Received) -> Reply,
        _ body: (LocalServer) async throws -> T
    ) async throws -> T {
        let context = try certificate.map {
            try NIOSSLContext(configuration: $0.serverConfiguration)
        }
        let log = Log()
        // Channels are wrapped later: a wrapped channel that is dropped during shutdown, before it
        // is served, traps.
        let setUp: @Sendable (any Channel) -> EventLoopFuture<any Channel> = { channel in
            channel.eventLoop.makeCompletedFuture {
                if let context {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLServerHandler(context: context))
                }
                log.connections.withLock { $0.append(channel) }
                return channel
            }
        }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
        let server =
            if let socket {
                try await bootstrap.bind(
                    unixDomainSocketPath: socket, childChannelInitializer: setUp)
            } else {
                try await bootstrap.bind(
                    host: "127.0.0.1", port: 0, childChannelInitializer: setUp)
            }
        let port = server.channel.localAddress?.port ?? 0
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // The server has to answer while tests that compute hold the threads of the pool.
            group.addTask(executorPreference: BlockingExecutor.shared) {
                try await server.executeThenClose { clients in
                    try await withThrowingDiscardingTaskGroup { group in
                        for try await client in clients {
                            group.addTask {
                                // A client may refuse the certificate or disconnect early.
                                guard let client = try? await Self.wrap(client) else { return }
                                try? await Self.serve(client, log, respond)
                            }
                        }
                        group.cancelAll()
                    }
                }
            }
            do {
                let result = try await body(LocalServer(port: port, log: log))
                await end(server.channel, log)
                return result
            } catch {
                await end(server.channel, log)
                throw error
            }
        }
    }

    /// Stops accepting connections and closes those that are open.
    ///
    /// Cancelling instead would leak a connection that is accepted at the same moment.
    private static func end(_ channel: any Channel, _ log: Log) async {
        try? await channel.close().get()
        for connection in log.connections.withLock({ $0 }) { connection.close(promise: nil) }
    }

    private static func wrap(
        _ channel: any Channel
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let client = try await channel.eventLoop.submit {
            guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
            return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: false))
        }.get()
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
        return client
    }

    private static func serve(
        _ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ log: Log,
        _ respond: @Sendable (Received) -> Reply
    ) async throws {
        try await client.executeThenClose { inbound, outbound in
            var bytes: [UInt8] = []
            var iterator = inbound.makeAsyncIterator()
            while Self.request(in: bytes) == nil {
                guard let piece = try await iterator.next() else { return }
                bytes += piece.readableBytesView
            }
            guard let request = Self.request(in: bytes) else { return }
            log.all.withLock { $0.append(request) }
            switch respond(request) {
            case .bytes(let bytes):
                try await outbound.write(ByteBuffer(bytes: bytes))
            case .silence(let bytes):
                try await outbound.write(ByteBuffer(bytes: bytes))
                while try await iterator.next() != nil {}
            case .endless(let bytes, let more):
                try await outbound.write(ByteBuffer(bytes: bytes))
                while !Task.isCancelled { try await outbound.write(ByteBuffer(bytes: more)) }
            }
        }
    }

    private static func request(in bytes: [UInt8]) -> Received? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let body = Array(bytes[end.upperBound...])
        let found = Received(head: head, body: body)
        let length = found["content-length"].flatMap { Int($0) } ?? 0
        return body.count >= length ? found : nil
    }
}
