import API
import Auth
import Foundation
import Hummingbird
import Samples

/// Who read what, for the owner.
struct AccessLogRoutes {
    let door: Door

    func add(to routes: inout RouteTable) {
        routes.on(.accessLog, [.get: list, .delete: prune])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("access-log", request, context)
        try request.refuseParameters(
            besides: ["client", "cursor", "kind", "limit", "outcome", "owner"])
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
        let kind = try request.parameter("kind").map { text in
            guard let kind = AccessLogEntry.Kind(rawValue: text) else {
                let known = AccessLogEntry.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.invalidParameter("kind", "there are \(known)")
            }
            return kind
        }
        // One more than asked for tells whether there is a next page.
        let query = AccessLogQuery(
            client: request.parameter("client"), onlyRefused: outcome != nil,
            withoutOwner: owner != nil, kind: kind, before: before, limit: limit + 1)
        let found = try await door.authority.log.entries(query)
        let entries = found.prefix(limit)
        let next = found.count > limit ? entries.last.map { String($0.id) } : nil
        var response = try Response.json(ItemList(entries.map(AccessLogItem.init), next: next))
        if let next { response.headers[.link] = request.link(toNext: next) }
        return response
    }

    /// Cuts off the oldest lines; the one that says so keeps the chain whole.
    @Sendable
    private func prune(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("prune-log", request, context)
        try request.refuseParameters(besides: ["before"])
        guard let text = request.parameter("before") else {
            throw Problem.invalidParameter("before", "the moment up to which to cut is needed")
        }
        let now = door.now()
        let moment = try Request.moment("before", text, now)
        guard moment <= now else {
            throw Problem.invalidParameter("before", "it must not be in the future")
        }
        let log = door.authority.log
        let cut = try await log.prune(before: moment)
        return try .json(AccessLogHead(try await log.head(), cut: cut))
    }
}
