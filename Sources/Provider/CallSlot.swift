import API
import HTTPTypes

/// Lets one call run at a time and refuses others meanwhile; for slow calls that would all give the same
/// result.
///
/// ```swift
/// return try await slot.perform("The access log is being verified.") { try await log.verify() }
/// ```
actor CallSlot {
    private var isTaken = false

    /// Performs a call if no other is running.
    ///
    /// - Parameter reason: why another call is refused meanwhile.
    /// - Throws: `Problem` with the code `busy` while another call is running; what `body` throws.
    func perform<T: Sendable>(
        _ reason: String, _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let call = try start(reason, body)
        return try await withTaskCancellationHandler {
            try await call.value
        } onCancel: {
            call.cancel()
        }
    }

    /// Starts a call if no other is running; the slot is free again when it ends.
    ///
    /// The parameter and the error are those of ``perform(_:_:)``.
    func start<T: Sendable>(
        _ reason: String, _ body: @escaping @Sendable () async throws -> T
    ) throws(Problem) -> Task<T, any Error> {
        guard !isTaken else { throw Problem(.busy, reason, headers: [.retryAfter: "1"]) }
        isTaken = true
        return Task {
            defer { isTaken = false }
            return try await body()
        }
    }
}
