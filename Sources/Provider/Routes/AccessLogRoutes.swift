import Auth
import Foundation
import Hummingbird
import Samples

/// Who read what, for the owner.
struct AccessLogRoutes {
    let door: Door

    func add(to routes: inout RouteTable) {
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
        let outcome = request.parameter("outcome")
        guard outcome == nil || outcome == "refused" else {
            throw Problem.invalidParameter("outcome", "only refused can be asked for")
        }
        // One more than asked for tells whether there is a next page.
        let query = AccessLogQuery(
            client: request.parameter("client"), onlyRefused: outcome != nil, before: before,
            limit: limit + 1)
        let found = try await door.authority.log.entries(query)
        let entries = found.prefix(limit)
        let next = found.count > limit ? entries.last.map { String($0.id) } : nil
        var response = try Response.json(List(items: entries.map(Self.item), next: next))
        if let next { response.headers[.link] = request.link(toNext: next) }
        return response
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
