import API
import Auth
import Hummingbird
import LAE
import Samples

/// Analyses of fields of one sensor or several.
struct AnalysisRoutes {
    let door: Door
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on(.analyze, [.post: analyze])
    }

    @Sendable
    private func analyze(_ request: Request, _ context: ProviderContext) async throws -> Response {
        // Strangers are not told what is wrong with their bodies.
        _ = try await door.client("analyze", request, context)
        var whole = request
        var asked = try await whole.lastingJSON(AnalysisBody.self).request(now: door.now())
        let request = whole
        let access: Access = asked.analysis.needsSamples ? .raw : .stats
        var grants: [Grant] = []
        var meant: [SensorID: SensorID] = [:]
        for sensor in asked.sensors {
            let grant = try await door.grant("analyze", access, of: sensor, request, context)
            meant[sensor] = grant.sensor
            grants.append(grant)
        }
        asked = asked.reading(meant)
        let answer = try await analyze(asked, grants, request, context)
        return try Response.json(AnalysisReply(answer, of: asked.analysis.name))
            .endingConnection(context)
    }

    /// Ends when the client leaves: nobody waits for what is computed then.
    private func analyze(
        _ asked: AnalysisRequest, _ grants: [Grant], _ request: Request, _ context: ProviderContext
    ) async throws -> AnalysisAnswer {
        let (presence, departure) = AsyncStream.makeStream(of: Void.self)
        var answer: AnalysisAnswer?
        try await request.whilePresent(context) {
            answer = try await withThrowingTaskGroup(of: AnalysisAnswer?.self) { group in
                group.addTask { try await engine.analyze(asked, grants: grants) }
                group.addTask {
                    for await _ in presence {}
                    return nil
                }
                let first = try await group.next()
                group.cancelAll()
                return first ?? nil
            }
        } onDeparture: {
            departure.finish()
        }
        guard let answer else { throw CancellationError() }
        return answer
    }
}
