import API
import Foundation
import Host

/// Shows a summary that the host makes for the owner: once, or again each minute if it has changed.
struct OwnerSummaryFollower {
    let summary: APIClient.OwnerSummary
    let client: APIClient

    /// - Parameters:
    ///   - isOnce: whether to return after the first summary; otherwise runs until it is cancelled.
    ///   - show: takes the JSON of a summary.
    /// - Throws: the problem that ends the stream, and `unavailable` if the host ends.
    func run(isOnce: Bool, show: (Data) throws -> Void) async throws {
        var parser = ServerSentEventParser()
        for try await line in try await client.stream(of: summary) {
            guard let event = parser.take(line) else { continue }
            if event.name == "problem" { throw APIError(status: 500, body: event.data) }
            guard event.name == summary.rawValue else { continue }
            try show(event.data)
            if isOnce { return }
        }
        throw CommandFailure(.unavailable, "The host has stopped.")
    }
}
