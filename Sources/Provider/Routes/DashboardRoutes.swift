import API
import Auth
import HTTPTypes
import Hummingbird
import Samples
import Sealing

/// The sessions of the owner's dashboard, and the exchange of launch codes for tokens.
struct DashboardRoutes {
    let authorizer: RequestAuthorizer
    let site: OwnerSite
    let lock: OwnerLock

    func add(to routes: inout RouteTable) {
        routes.on(.dashboard, [.get: list, .post: open, .delete: end])
        routes.on(.launch, [.post: redeem])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("dashboard", request, context)
        let sessions = await authorizer.dashboardSessions(request, context)
        return try .json(
            ItemList(
                sessions.map { session in
                    DashboardSessionDescription(
                        began: session.began.milliseconds, used: session.used.milliseconds,
                        current: session.isCallers)
                }))
    }

    /// Creates a link that opens the dashboard.
    @Sendable
    private func open(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("open-dashboard", request, context)
        guard let page = site.url(DashboardMiddleware.launchPath) else { throw Problem.notServing }
        let code = try await authorizer.authority.launchCode(for: .dashboard)
        return try .json(LaunchReply(url: "\(page)#launch=\(code)"), status: .created)
    }

    /// Ends the caller's session, or all, and locks the owner's key: the owner leaves.
    @Sendable
    private func end(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("lock-dashboard", request, context)
        try request.rejectParameters(except: ["all"])
        lock.lock()
        if try request.bareFlag("all") {
            await authorizer.authority.endDashboardSessions()
        } else {
            try await authorizer.endDashboardSession(request, context)
        }
        return Response(status: .noContent)
    }

    /// Exchanges a launch code for a token; the only call without a token.
    @Sendable
    private func redeem(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let body = try await request.json(LaunchCode.self)
        let token = try await authorizer.authority.redeem(
            launchCode: body.code, nonce: body.page, for: context.launchedPage)
        return try .json(PageToken(token: token.text), status: .created)
    }
}

extension ProviderContext {
    /// The page at whose origin the request arrived; `nil` for the control socket.
    fileprivate var launchedPage: LaunchedPage? {
        switch origin {
        case .app(let name): .app(name)
        case .owner: isAtOwnersOrigin ? .dashboard : nil
        }
    }
}

extension Problem {
    static let notServing = Problem(
        .notServing, "Pages need a running server.", fix: "Start it with: nervous serve")
}
