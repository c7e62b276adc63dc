import Hummingbird

extension Request {
    /// Runs `body`, and tells when the client has left meanwhile.
    ///
    /// A call of an app that runs here is cancelled instead. Nothing can be read of the request's own
    /// body afterwards.
    func whilePresent(
        _ context: ProviderContext, _ body: () async throws -> Void,
        onDeparture: @escaping @Sendable () -> Void
    ) async throws {
        guard context.transport != .runner else { return try await body() }
        try await self.body.consumeWithInboundCloseHandler { _ in
            try await body()
        } onInboundClosed: {
            onDeparture()
        }
    }
}
