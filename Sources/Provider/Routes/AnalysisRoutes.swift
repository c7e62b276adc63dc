import Auth
import Hummingbird
import LAE
import Samples

/// Analyses of fields of one sensor or several.
struct AnalysisRoutes {
    let door: Door
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/analyze", [.post: analyze])
    }

    @Sendable
    private func analyze(_ request: Request, _ context: ProviderContext) async throws -> Response {
        // Strangers are not told what is wrong with their bodies.
        _ = try await door.client("analyze", request, context)
        let asked = try await request.json(AnalysisBody.self).request(now: .now())
        let access: Access = asked.analysis.needsSamples ? .raw : .stats
        var grants: [Grant] = []
        for sensor in asked.sensors {
            grants.append(try await door.grant("analyze", access, of: sensor, request, context))
        }
        let answer = try await engine.analyze(asked, grants: grants)
        return try .json(AnalysisReply(answer, of: asked.analysis.name))
    }
}
