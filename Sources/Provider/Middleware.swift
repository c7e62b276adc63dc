import API
import Auth
import HTTPTypes
import Hummingbird

/// Turns errors into problems, and adds the identifier of the request.
struct ProblemMiddleware: RouterMiddleware {
    let settings: SettingsLink
    let authorizer: RequestAuthorizer

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let problem = await authorizer.addressed(
                Problem(error, logger: context.logger).with(settings, request), request, context)
            response = try problem.response(from: request, context: context)
            // The client would read a body as the beginning of the next response.
            if request.method == .head { response = response.createHeadResponse() }
        }
        response.headers[.requestID] = context.id
        return response
    }
}

/// Refuses requests whose `Host` is not this server's, and requests that another site caused.
///
/// This protects against DNS rebinding and cross-site requests. It comes before any token is checked,
/// so that another site cannot cause refusals that the owner is notified of.
struct HostMiddleware: RouterMiddleware {
    /// The port of the server; `nil` accepts any.
    let port: @Sendable () -> Int?

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        let port = context.transport == .network ? port() : nil
        // The first field `Host` has become the authority; a field that remains is a second one.
        guard let authority = request.head.authority, request.headers[.host] == nil,
            let origin = Self.origin(of: authority, port: port)
        else { throw Problem.misdirected }
        if let page = request.headers[.origin] {
            guard page == "http://\(authority)" else { throw Problem.crossOrigin }
        }
        guard FetchMetadata(request).accepts(request) else { throw Problem.crossOrigin }
        var context = context
        context.origin = origin
        return try await next(request, context)
    }

    /// - Returns: `nil` if the authority is not this server's.
    static func origin(of authority: String, port: Int?) -> ProviderContext.Origin? {
        let parts = authority.utf8.split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first.map({ Substring($0).lowercased() }) else {
            return nil
        }
        if let port {
            guard parts.count == 2 ? Substring(parts[1]) == "\(port)" : port == 80 else {
                return nil
            }
        }
        if host == "localhost" || host == "127.0.0.1" { return .owner }
        guard host.hasSuffix(".localhost") else { return nil }
        let name = host.utf8.dropLast(".localhost".utf8.count)
        guard !name.isEmpty, !name.contains(UInt8(ascii: ".")) else { return nil }
        return .app(String(Substring(name)))
    }
}

/// Refuses unknown methods, which the router does not handle.
struct MethodMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        guard RouteTable.methods.contains(request.method) else {
            throw Problem(
                .methodUnknown,
                "Known methods: \(RouteTable.methods.map(\.rawValue).joined(separator: ", ")).")
        }
        return try await next(request, context)
    }
}

/// Serves an app's files on its origin.
///
/// Calls of the API are passed to the next handler, whatever the origin. Files are looked up in the index
/// of the installation; paths are never joined.
struct AppOriginMiddleware: RouterMiddleware {
    let assets: AppAssets
    let launches: PageLaunches
    let site: OwnerSite

    func handle(
        _ request: Request, context: ProviderContext,
        next: (Request, ProviderContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard case .app(let name) = context.origin else { return try await next(request, context) }
        if request.isCall || path == "/openapi.json" || path == "/health" {
            return try await next(request, context)
        }
        guard request.method == .get || request.method == .head else {
            throw Problem.methodNotAllowed(request.method, allowed: ["GET", "HEAD"])
        }
        // A service worker would see the token of every call, and outlive the app.
        guard request.headers[.serviceWorker] == nil else { throw Problem.serviceWorker }
        let page = LaunchedPage.app(name)
        let nonce = path == "/" ? await launches.nonce(for: page, request, context) : nil
        var response = try await assets.response(to: request, of: name, nonce: nonce)
        // Without a launch code the page could not get a token: it was reloaded, or its link was used.
        if path == "/", nonce == nil, FetchMetadata(request).isNavigation,
            let url = site.page(of: name),
            await !launches.authority.hasLaunchCode(for: page)
        {
            // A browser that is redirected to a URL without a fragment keeps the fragment of the old
            // URL, here the used code.
            return Response(
                status: .seeOther, headers: [.location: url + "#reopen", .cacheControl: "no-store"])
        }
        // A page with a nonce must not be shown from a cache.
        response.headers[.cacheControl] = nonce == nil ? "no-cache" : "no-store"
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = PagePolicy.plain
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension Request {
    /// Whether the request is a call of the API, or of an interface for other programs.
    var isCall: Bool {
        uri.path == "/metrics"
            || ["/api/", "/prometheus/", "/nervous-api/", "/nervousnet-api/"]
                .contains(where: uri.path.hasPrefix)
    }
}

/// The origin of a request as the browser reports it (W3C Fetch Metadata); scripts cannot set it.
struct FetchMetadata {
    let site: String?
    /// Whether the request loads a page in a tab.
    let isNavigation: Bool

    init(_ request: Request) {
        site = request.headers[.fetchSite]
        isNavigation =
            request.headers[.fetchMode] == "navigate"
            && request.headers[.fetchDestination] == "document"
            && (request.method == .get || request.method == .head)
    }

    /// Whether the request may be handled: no page of another origin caused it, or it only navigates to a
    /// page.
    ///
    /// Another port of the same name is another origin, although browsers call it the same site.
    func accepts(_ request: Request) -> Bool {
        switch site {
        case nil, "same-origin", "none": true
        default: isNavigation && !request.isCall
        }
    }
}

extension Problem {
    static let serviceWorker = Problem(
        .serviceWorker, "A service worker would see the token of the page and outlive the page.")
}

/// The owner's origin: the pages of the dashboard.
struct OwnerSite: Sendable {
    /// The port of the server; `nil` while it does not listen.
    let port: @Sendable () -> Int?

    /// The URL of a path; `nil` while the server does not listen.
    func url(_ path: String) -> String? {
        port().map { "http://localhost\($0 == 80 ? "" : ":\($0)")\(path)" }
    }

    /// The URL of the page about an app; `nil` while the server does not listen.
    func page(of app: String) -> String? { url("/apps/\(app)") }
}

/// The URL of the page on which the owner can change the permissions of an app.
struct SettingsLink: Sendable {
    let site: OwnerSite

    /// The URL for the app that calls; `nil` for other clients.
    func address(for request: Request) -> String? {
        // The name was checked against the token before the refusal.
        guard let authority = request.head.authority,
            case .app(let name) = HostMiddleware.origin(of: authority, port: nil)
        else { return nil }
        return site.page(of: name)
    }
}

extension Problem {
    /// Adds the URL to a problem of permission.
    func with(_ settings: SettingsLink, _ request: Request) -> Problem {
        guard privilege != nil, code != .undeclared else { return self }
        var problem = self
        problem.settings = settings.address(for: request)
        return problem
    }
}
