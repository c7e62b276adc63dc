import HTTPTypes
import Hummingbird

/// Registers resources so that a method they do not take is answered with 405 and `Allow`.
struct RouteTable {
    typealias Handler = @Sendable (Request, ProviderContext) async throws -> Response

    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]

    let router: Router<ProviderContext>

    /// One resource and what it takes; `GET` brings `HEAD`.
    func on(_ path: RouterPath, _ handlers: [HTTPRequest.Method: Handler]) {
        var known = handlers
        if let get = handlers[.get], handlers[.head] == nil {
            known[.head] = { try await get($0, $1).createHeadResponse() }
        }
        let allowed = known.keys.map(\.rawValue).sorted()
        for method in Self.methods {
            let handler = known[method]
            router.on(path, method: method) { request, context in
                guard let handler else {
                    throw Problem.methodNotAllowed(method, allowed: allowed)
                }
                return try await handler(request, context)
            }
        }
    }
}
