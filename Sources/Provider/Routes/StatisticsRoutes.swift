import API
import Auth
import Foundation
import Hummingbird
import LAE
import Samples

/// Statistics of a sensor's fields, in one window or many.
struct StatisticsRoutes {
    let door: Door
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on(.statistics(of: "{sensor}"), [.get: statistics])
    }

    @Sendable
    private func statistics(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let id = try request.sensor(context)
        let grant = try await door.grant("stats", .stats, of: id, request, context)
        let table = try await engine.statistics(query(request), for: grant)
        return try Response.json(StatisticsAnswer(table, of: grant.sensor))
            .naming(grant.sensor, asked: id)
    }

    /// Statistics that may be asked for at once.
    private static let limit = 32

    private func query(_ request: Request) throws -> StatisticsQuery {
        try request.refuseParameters(
            besides: ["from", "to", "fields", "every", "fn"], repeating: ["where"])
        var statistics = Statistic.standard
        if let names = try request.list("fn") {
            guard names.count <= Self.limit else {
                throw Problem.invalidParameter("fn", "at most \(Self.limit) names are taken")
            }
            statistics = try names.map { name in
                guard let known = Statistic(name) else {
                    throw Problem(
                        .unknownFunction,
                        "fn: \(name.prefix(40).debugDescription) is not one of: "
                            + Statistic.allNames)
                }
                return known
            }
            guard Set(statistics).count == statistics.count else {
                throw Problem.invalidParameter("fn", "a statistic stands there twice")
            }
        }
        let every = try request.parameter("every").map { text in
            guard let span = Duration(span: text), span > .zero else {
                throw Problem.invalidParameter("every", "a span such as 10s or 1m is needed")
            }
            return span
        }
        return StatisticsQuery(
            range: try request.range(now: door.now()), fields: try request.list("fields"),
            statistics: statistics, every: every, conditions: try request.conditions())
    }
}
