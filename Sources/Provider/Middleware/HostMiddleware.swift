import HTTPTypes
import Hummingbird

/// Lets through only requests whose `Host` is this server's and whose `Origin`, if any, is the same.
///
/// A page elsewhere that makes a name of its own point to this machine is so refused before
/// anything else happens.
struct HostMiddleware: RouterMiddleware {
    /// The port people reach the server at; `nil` takes any.
    let port: @Sendable () -> Int?

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        let port = context.transport == .network ? port() : nil
        // The first Host is the authority; one that is left over is a second.
        guard let authority = request.head.authority, request.headers[.host] == nil,
            let origin = Self.origin(of: authority, port: port)
        else { throw Problem.misdirected }
        if let page = request.headers[.origin] {
            guard page == "http://\(authority)" else { throw Problem.crossOrigin }
        }
        var context = context
        context.origin = origin
        return try await next(request, context)
    }

    /// - Returns: `nil` when the authority is not one of this server's.
    static func origin(of authority: String, port: Int?) -> ProviderContext.Origin? {
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first?.lowercased() else { return nil }
        if let port {
            guard parts.count == 2 ? parts[1] == "\(port)" : port == 80 else { return nil }
        }
        if host == "localhost" || host == "127.0.0.1" { return .owner }
        guard host.hasSuffix(".localhost") else { return nil }
        let name = host.dropLast(".localhost".count)
        guard !name.isEmpty, !name.contains(".") else { return nil }
        return .app(String(name))
    }
}
