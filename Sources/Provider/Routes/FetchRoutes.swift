import Addresses
import AppRuns
import Auth
import Egress
import HTTPTypes
import Hummingbird

/// Calls to other servers, which the host makes for apps.
struct FetchRoutes {
    let door: Door
    let outbound: GrantedClient
    let budget: @Sendable (String) -> FetchBudget
    let limiter = CallLimiter()

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/fetch", [.post: fetch])
    }

    /// Answers with the body of the other server's answer, whatever its status.
    ///
    /// It is bytes to this server, so that no browser takes them for a page or a script of the app.
    @Sendable
    private func fetch(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("fetch", request, context)
        let budget = budget(client.name)
        let body = try await request.bytes(upTo: budget.requestBytes)
        let wish = try FetchWish(
            request.headers[.nervousRequest], contentType: request.headers[.contentType],
            hasBody: !body.isEmpty)
        let call = try OutboundRequest(
            wish.method, wish.address, fields: wish.fields, body: body)
        let origin = wish.address.origin
        try outbound.check(origin)
        let grant = try await door.grant(reaching: origin, request, context)
        let answer = try await limiter.withCall(of: client.name, CallLimits(budget)) {
            try await outbound.send(call, under: grant, OutboundOptions(budget)) { next in
                try await permit(next, from: origin, request, context)
            }
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/octet-stream",
                .nervousAnswer: try FetchReply(answer).encoded(),
            ], body: .init(byteBuffer: answer.body))
    }

    /// A grant for a step that an answer leads to.
    private func permit(
        _ next: WebOrigin, from origin: WebOrigin, _ request: Request, _ context: ProviderContext
    ) async throws -> OriginGrant {
        let isElsewhere = next != origin
        do throws(AuthError) {
            return try await door.grant(
                reaching: next, request, context, isRedirect: isElsewhere)
        } catch {
            guard isElsewhere, let privilege = error.privilege else { throw error }
            throw Problem(
                status: .forbidden, code: "redirect-refused",
                title: "The answer leads where the app may not go",
                detail: "\(origin) redirects to \(next). \(error.message)", fix: error.hint,
                privilege: privilege.description)
        }
    }
}

extension OutboundOptions {
    init(_ budget: FetchBudget) {
        self.init()
        total = budget.duration
        connecting = min(connecting, budget.duration)
        responseBytes = budget.answerBytes
    }
}

extension CallLimits {
    init(_ budget: FetchBudget) {
        self.init(concurrent: budget.callsAtOnce, perMinute: budget.callsPerMinute)
    }
}
