import Auth
import Foundation
import Hummingbird
import Samples

/// Who read what, for the owner.
struct AccessLogRoutes {
    let door: Door

    func add(to routes: RouteTable) {
        routes.on("api/v1/access-log", [.get: list])
    }

    private struct Item: Encodable {
        let id: Int64
        let time: Double
        let client: String?
        let sensor: String?
        let access: String?
        let operation: String
        let from: Double?
        let to: Double?
        let count: Int
        let outcome: String
        let reason: String?
    }

    private struct List: Encodable {
        let items: [Item]
        let next: String?
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("access-log", request, context)
        let limit = try request.limit()
        let before = try request.parameter("cursor").map { text in
            guard let id = Int64(text) else {
                throw Problem.invalidParameter("cursor", "take it from the page before, unchanged")
            }
            return id
        }
        let query = AccessLogQuery(
            client: request.parameter("client"),
            onlyRefused: request.parameter("outcome") == "refused", before: before, limit: limit)
        let entries = try await door.authority.log.entries(query)
        let next = entries.count == limit ? entries.last.map { String($0.id) } : nil
        return try .json(List(items: entries.map(Self.item), next: next))
    }

    private static func item(_ entry: AccessLogEntry) -> Item {
        func edge(_ time: Timestamp?) -> Double? {
            time == .distantPast || time == .distantFuture ? nil : time?.milliseconds
        }
        return Item(
            id: entry.id, time: entry.time.milliseconds, client: entry.client,
            sensor: entry.sensor?.description, access: entry.access?.rawValue,
            operation: entry.operation, from: edge(entry.range?.from), to: edge(entry.range?.to),
            count: entry.count, outcome: entry.outcome.rawValue, reason: entry.reason)
    }
}
