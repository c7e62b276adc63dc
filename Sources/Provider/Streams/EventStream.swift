import HTTPTypes
import Hummingbird
import ServiceLifecycle

/// Merges the signals of an event stream with its heartbeat, until the client disconnects or the
/// host stops.
struct EventStream<Signal: Sendable>: Sendable {
    let signals: AsyncStream<Signal>
    /// The interval of the heartbeat; `nil` if the signals keep the connection alive.
    let heartbeat: Duration?
    /// Ends when the client disconnects.
    let connection: AsyncStream<Void>

    /// Calls `body` once, with a stream of the signals in which `nil` stands for a heartbeat.
    ///
    /// - Parameters:
    ///   - limit: how many signals are buffered while `body` is busy; the newest are kept.
    ///   - body: returns when the stream ends.
    func follow(
        keeping limit: Int, _ body: (AsyncStream<Signal?>) async throws -> Void
    ) async throws {
        let (merged, continuation) = AsyncStream.makeStream(
            of: Signal?.self, bufferingPolicy: .bufferingNewest(limit))
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { for await signal in signals { continuation.yield(signal) } }
            group.addTask {
                try? await gracefulShutdown()
                continuation.finish()
            }
            group.addTask {
                for await _ in connection {}
                continuation.finish()
            }
            if let heartbeat {
                group.addTask {
                    while (try? await Task.sleep(for: heartbeat)) != nil {
                        continuation.yield(nil)
                    }
                }
            }
            try await body(merged)
            group.cancelAll()
        }
    }
}

extension Request {
    /// Runs `body`, and calls `onDisconnect` if the client disconnects before `body` returns.
    ///
    /// If the request comes from a run of this host, `onDisconnect` is not called: the task of the
    /// request is cancelled instead.
    ///
    /// - Parameter bodyLimit: the maximum number of bytes of the request's body, which is not used here.
    func whileConnected(
        _ context: ProviderContext, bodyLimit: Int = jsonLimit, _ body: () async throws -> Void,
        onDisconnect: @escaping @Sendable () -> Void
    ) async throws {
        guard context.transport != .runner else { return try await body() }
        // The request's body is collected first: to read a body a second time, or to lose the
        // connection in the middle of it, would crash the process.
        var request = self
        _ = try await request.collectBody(upTo: bodyLimit)
        try await request.body.consumeWithInboundCloseHandler { _ in
            try await body()
        } onInboundClosed: {
            onDisconnect()
        }
    }

    /// Runs `body` with a stream that ends when the client disconnects.
    func whileConnected(
        _ context: ProviderContext, _ body: (AsyncStream<Void>) async throws -> Void
    ) async throws {
        let (connection, disconnect) = AsyncStream.makeStream(of: Void.self)
        try await whileConnected(context) {
            try await body(connection)
        } onDisconnect: {
            disconnect.finish()
        }
    }
}

extension ResponseBodyWriter {
    /// Writes a value as a line of JSON.
    mutating func writeLine(_ value: some Encodable) async throws {
        try await write(ByteBuffer(bytes: JSONText.encode(value)))
        try await write(ByteBuffer(string: "\n"))
    }
}

extension Response {
    /// The media type of lines of JSON.
    static let linesType = "application/x-ndjson"

    /// Server-Sent Events; the stream ends when `write` returns.
    static func events(
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        stream("text/event-stream", write)
    }

    /// Lines of JSON; the stream ends when `write` returns.
    static func lines(
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        stream(linesType, write)
    }

    private static func stream(
        _ type: String,
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await write(&writer)
                try await writer.finish(nil)
            })
    }

    /// Adds `Connection: close` to a response that uses `whileConnected`: afterwards the connection
    /// cannot be used for another request.
    func endingConnection(_ context: ProviderContext) -> Response {
        guard context.transport != .runner else { return self }
        var response = self
        response.headers[.connection] = "close"
        return response
    }
}
