/// Runs `body`, and cancels it when it takes longer than `limit`.
///
/// ```swift
/// let reply = try await withTimeLimit(.seconds(5), throwing: NetworkError.timedOut) {
///     try await connection.reply()
/// }
/// ```
///
/// - Parameter time: measures the limit.
/// - Throws: what `body` throws, or `failure` when the limit passed first.
public func withTimeLimit<T: Sendable>(
    _ limit: Duration, time: any TimeSource = .system,
    throwing failure: @autoclosure @escaping @Sendable () -> any Error,
    _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await time.sleep(for: limit)
            throw failure()
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}
