import API
import Hummingbird

/// Refuses methods that no resource takes and the router does not know.
struct MethodMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        guard RouteTable.methods.contains(request.method) else {
            throw Problem(
                .methodUnknown,
                "Known are \(RouteTable.methods.map(\.rawValue).joined(separator: ", ")).")
        }
        return try await next(request, context)
    }
}
