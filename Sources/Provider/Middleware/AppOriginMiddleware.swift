import API
import HTTPTypes
import Hummingbird

/// Serves an app's files on the app's own origin; calls go on to their routes on every origin.
///
/// A file is found in the index that was made when the app was installed, never by joining a path.
struct AppOriginMiddleware: RouterMiddleware {
    /// What is no file: the API, and the calls of published apps.
    private static let calls = ["/api/", "/nervous-api/", "/nervousnet-api/"]

    let assets: AppAssets

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard case .app(let name) = context.origin else { return try await next(request, context) }
        let isCall = Self.calls.contains(where: path.hasPrefix)
        if isCall || path == "/openapi.json" || path == "/health" {
            return try await next(request, context)
        }
        guard request.method == .get || request.method == .head else {
            throw Problem.methodNotAllowed(request.method, allowed: ["GET", "HEAD"])
        }
        // It would see the token of every call, and outlive the app.
        guard request.headers[.serviceWorker] == nil else { throw Problem.serviceWorker }
        var response = try await assets.response(to: path, of: name)
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = PagePolicy.plain
        }
        response.headers[.cacheControl] = "no-cache"
        response.headers[.resourcePolicy] = "same-origin"
        response.headers[.openerPolicy] = "same-origin"
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension Problem {
    fileprivate static let serviceWorker = Problem(
        .serviceWorker, "A service worker would see the page's token and outlive the app.")
}
