import API
import Auth
import Foundation
import Hummingbird
import LAE
import Samples
import Statistics

/// Analyses of fields of one or more sensors.
struct AnalysisRoutes {
    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on(.analyze, [.post: analyze])
    }

    @Sendable
    private func analyze(_ request: Request, _ context: ProviderContext) async throws -> Response {
        // Errors in the body are reported to known clients only.
        _ = try await authorizer.client("analyze", request, context)
        var whole = request
        var asked = try await whole.reusableJSON(AnalysisBody.self).request(now: authorizer.now())
        let request = whole
        let access: Access = asked.analysis.needsSamples ? .raw : .stats
        var grants: [Grant] = []
        var resolved: [SensorID: SensorID] = [:]
        for sensor in asked.sensors {
            let grant = try await authorizer.grant("analyze", access, of: sensor, request, context)
            resolved[sensor] = grant.sensor
            grants.append(grant)
        }
        asked = asked.replacingSensors(resolved)
        let answer = try await analyze(asked, grants, request, context)
        return try Response.json(AnalysisReply(answer, of: asked.analysis.name))
            .endingConnection(context)
    }

    /// Cancels the analysis when the client disconnects.
    private func analyze(
        _ asked: AnalysisRequest, _ grants: [Grant], _ request: Request, _ context: ProviderContext
    ) async throws -> AnalysisAnswer {
        let (connection, disconnect) = AsyncStream.makeStream(of: Void.self)
        var answer: AnalysisAnswer?
        try await request.whileConnected(context) {
            answer = try await withThrowingTaskGroup(of: AnalysisAnswer?.self) { group in
                group.addTask { try await engine.analyze(asked, grants: grants) }
                group.addTask {
                    for await _ in connection {}
                    return nil
                }
                let first = try await group.next()
                group.cancelAll()
                return first ?? nil
            }
        } onDeparture: {
            disconnect.finish()
        }
        guard let answer else { throw CancellationError() }
        return answer
    }
}

/// Statistics of a sensor's fields, in one or more windows.
struct StatisticsRoutes {
    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on(.statistics(of: "{sensor}"), [.get: statistics])
    }

    @Sendable
    private func statistics(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let id = try request.sensor(context)
        let grant = try await authorizer.grant("stats", .stats, of: id, request, context)
        let table = try await engine.statistics(query(request), for: grant)
        return try Response.json(StatisticsAnswer(table, of: grant.sensor))
            .naming(grant.sensor, requested: id)
    }

    /// The maximum number of statistics of a request.
    private static let limit = 32

    private func query(_ request: Request) throws -> StatisticsQuery {
        try request.rejectParameters(
            except: ["from", "to", "fields", "every", "zone", "fn"], repeating: ["where"])
        var statistics = Statistic.standard
        if let names = try request.list("fn") {
            guard names.count <= Self.limit else {
                throw Problem.invalidParameter("fn", "at most \(Self.limit) names are accepted")
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
                throw Problem.invalidParameter("fn", "repeated statistic")
            }
        }
        let calendar = try calendar(request)
        let every = try request.parameter("every").flatMap { text -> Duration? in
            guard calendar == nil else { return nil }
            guard let span = Duration(span: text), span > .zero else {
                throw Problem.invalidParameter("every", "must be a duration such as 10s, 1m or 1mo")
            }
            return span
        }
        return StatisticsQuery(
            range: try request.range(now: authorizer.now()), fields: try request.list("fields"),
            statistics: statistics, every: every, calendar: calendar,
            conditions: try request.conditions())
    }

    /// The calendar windows of `every`: for days and weeks only if `zone` is given, for months also without
    /// it, in UTC.
    ///
    /// - Returns: `nil` if `every` is the length of equal windows, or is missing.
    private func calendar(_ request: Request) throws -> CalendarWindows? {
        let zone = request.parameter("zone")
        guard let every = request.parameter("every"), CalendarWindows.accepts(every) else {
            guard zone == nil else {
                throw Problem.invalidParameter(
                    "zone", "needs every in days, weeks or months, such as 1d")
            }
            return nil
        }
        guard zone != nil || Duration(span: every) == nil else { return nil }
        guard let calendar = CalendarWindows(every, zone: zone ?? "UTC") else {
            throw Problem.invalidParameter(
                "zone", "must be the name of a time zone, such as Europe/Zurich")
        }
        return calendar
    }
}
