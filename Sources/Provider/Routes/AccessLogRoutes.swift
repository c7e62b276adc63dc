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
        let owner = request.parameter("owner")
        guard owner == nil || owner == "false" else {
            throw Problem.invalidParameter("owner", "only false can be said")
        }
        // One more than asked for tells whether there is a next page.
        let query = AccessLogQuery(
            client: request.parameter("client"), onlyRefused: outcome != nil,
            withoutOwner: owner != nil, before: before, limit: limit + 1)
        let found = try await door.authority.log.entries(query)
        let entries = found.prefix(limit)
        let next = found.count > limit ? entries.last.map { String($0.id) } : nil
        var response = try Response.json(ItemList(entries.map(AccessLogItem.init), next: next))
        if let next { response.headers[.link] = request.link(toNext: next) }
        return response
    }
}
