/// How long something may take, and what is wrong when it takes longer.
struct TimeLimit: Sendable {
    let span: Duration
    let failure: ConnectorError

    init(_ span: Duration, else failure: ConnectorError) {
        (self.span, self.failure) = (span, failure)
    }

    /// Does something, which is cancelled when the time is over.
    ///
    /// - Throws: ``failure`` then, or what `body` throws.
    func hold<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(for: span)
                throw failure
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
