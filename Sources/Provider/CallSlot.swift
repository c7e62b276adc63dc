import API
import HTTPTypes

/// A place for one call at a time, for calls that take long and whose results would be the same.
///
/// ```swift
/// return try await slot.perform("The access log is being verified.") { try await log.verify() }
/// ```
actor CallSlot {
    private var isTaken = false

    /// Performs a call while no other is performed.
    ///
    /// - Parameter reason: why another call is refused meanwhile.
    /// - Throws: `Problem` with the code `busy` while another call is performed; what `body` throws.
    func perform<T: Sendable>(
        _ reason: String, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        guard !isTaken else { throw Problem(.busy, reason, headers: [.retryAfter: "1"]) }
        isTaken = true
        defer { isTaken = false }
        return try await body()
    }
}
