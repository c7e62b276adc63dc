import Auth
import HTTPTypes
import Hummingbird
import JSApps
import LAE
import Logging
import VM

/// Turns every error into a problem, and adds what every answer carries.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let problem = Self.problem(error, request, context)
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

    private static func problem(
        _ error: any Error, _ request: Request, _ context: ProviderContext
    ) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as AuthError: return Problem(error)
        case let error as LAEError: return Problem(error)
        case let error as VirtualMachineError: return Problem(error)
        case let error as JSAppsError: return Problem(error)
        case let error as any HTTPResponseError where error.status == .notFound:
            return .notFound("There is no resource at this path.")
        case let error as any HTTPResponseError:
            return Problem(
                status: error.status, code: "http-\(error.status.code)",
                title: error.status.reasonPhrase, detail: "The request could not be served.")
        default:
            context.logger.error("unexpected", metadata: ["error": "\(error)"])
            return Problem(
                status: .internalServerError, code: "internal", title: "The host failed",
                detail: "The request could not be served; the host's log says why.")
        }
    }
}
