import API
import HTTPTypes

/// Bounds how many large bodies are read at once, and so the memory that they take.
actor IntakePlaces {
    private static let all = 4
    private static let perClient = 2

    private var taken: [String: Int] = [:]

    /// - Throws: `Problem` when there is no place.
    func enter(_ client: String) throws {
        let mine = taken[client, default: 0]
        guard taken.values.reduce(0, +) < Self.all, mine < Self.perClient else {
            throw Problem(
                .busy, "Too many large bodies are being read.", headers: [.retryAfter: "1"])
        }
        taken[client] = mine + 1
    }

    func leave(_ client: String) {
        let mine = taken[client, default: 1] - 1
        taken[client] = mine == 0 ? nil : mine
    }
}
