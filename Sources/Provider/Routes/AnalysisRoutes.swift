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
        } onDisconnect: {
            disconnect.finish()
        }
        guard let answer else { throw CancellationError() }
        return answer
    }
}
