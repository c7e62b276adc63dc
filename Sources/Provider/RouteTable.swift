import API
import HTTPTypes
import Hummingbird

/// Registers resources so that a method they do not take is answered with 405 and `Allow`.
struct RouteTable {
    typealias Handler = @Sendable (Request, ProviderContext) async throws -> Response

    /// The methods that are known here; any other is none of this server's.
    static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace,
    ]

    let router: Router<ProviderContext>
    /// What each resource takes, by its path; `HEAD` is not among them.
    private(set) var resources: [String: [HTTPRequest.Method]] = [:]

    init(_ router: Router<ProviderContext>) {
        self.router = router
    }

    /// One resource and what it takes; `GET` brings `HEAD`.
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
