import HTTPTypes
import Hummingbird

/// Turns every error into a problem, and adds what every answer carries.
struct ProblemMiddleware: RouterMiddleware {
    let settings: SettingsLink

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let problem = Problem(error, logger: context.logger).with(settings, request)
            response = try problem.response(from: request, context: context)
            // A body here would be taken for the beginning of the next answer.
            if request.method == .head { response = response.createHeadResponse() }
        }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.requestID] = context.id
        return response
    }
}
