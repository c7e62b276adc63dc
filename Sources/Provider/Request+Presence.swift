import Hummingbird

extension Request {
    /// Runs `body`, and tells when the client has left meanwhile.
    ///
    /// A call of an app that runs here is cancelled instead.
    func whilePresent(
        _ context: ProviderContext, _ body: () async throws -> Void,
        onDeparture: @escaping @Sendable () -> Void
    ) async throws {
        guard context.transport != .runner else { return try await body() }
        // A body that somebody has read to its end, or a client that leaves in the midst of one, would
        // otherwise end the process.
        var request = self
        _ = try await request.collectBody(upTo: Self.jsonLimit)
        try await request.body.consumeWithInboundCloseHandler { _ in
            try await body()
        } onInboundClosed: {
            onDeparture()
        }
    }

    /// The same, where `body` waits for something beside that: what it is given ends when the client leaves.
    func whilePresent(
        _ context: ProviderContext, _ body: (AsyncStream<Void>) async throws -> Void
    ) async throws {
        let (presence, departure) = AsyncStream.makeStream(of: Void.self)
        try await whilePresent(context) {
            try await body(presence)
        } onDeparture: {
            departure.finish()
        }
    }
}

extension Response {
    /// Says that the connection ends with an answer that `whilePresent` was used for: a client that
    /// calls again on it would find it closed.
    func endingConnection(_ context: ProviderContext) -> Response {
        guard context.transport != .runner else { return self }
        var response = self
        response.headers[.connection] = "close"
        return response
    }
}
