import API
import HTTPTypes
import Hummingbird

/// Registers resources; another method of a resource is answered with 405 and `Allow`.
struct RouteTable {
    typealias Handler = @Sendable (Request, ProviderContext) async throws -> Response

    /// The known methods.
    static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace,
    ]

    let router: Router<ProviderContext>
    /// The methods of each resource, by its path, without `HEAD`.
    private(set) var resources: [String: [HTTPRequest.Method]] = [:]

    init(_ router: Router<ProviderContext>) {
        self.router = router
    }

    /// Registers a resource and its methods; `GET` includes `HEAD`.
    mutating func on(_ path: APIPath, _ handlers: [HTTPRequest.Method: Handler]) {
        resources["/" + path.template] = Array(handlers.keys)
        var known = handlers
        if let get = handlers[.get], handlers[.head] == nil {
            known[.head] = { try await get($0, $1).createHeadResponse() }
        }
        let allowed = known.keys.map(\.rawValue).sorted()
        for method in Self.methods {
            let handler = known[method]
            router.on(RouterPath(path.template), method: method) { request, context in
                guard let handler else {
                    throw Problem.methodNotAllowed(method, allowed: allowed)
                }
                return try await handler(request, context)
            }
        }
    }
}
