import API
import Addresses
import Auth
import Egress
import HTTPTypes
import Hummingbird
import JSApps

/// Calls to other servers, which the host makes for apps.
struct FetchRoutes {
    let door: Door
    let outbound: OutboundClient
    let budget: @Sendable (String) -> FetchBudget
    let meter = CallMeter()

    func add(to routes: inout RouteTable) {
        routes.on(.fetch, [.post: fetch])
    }

    /// Answers with the body of the other server's answer, whatever its status.
    ///
    /// It is bytes to this server, so that no browser takes them for a page or a script of the app.
    @Sendable
    private func fetch(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("fetch", request, context)
        let limits = FetchLimits(budget(client.name))
        let body = try await request.bytes(upTo: limits.requestBytes)
        let wish = try FetchRequest(
            request.headers[.nervousRequest], contentType: request.headers[.contentType],
            hasBody: !body.isEmpty)
        let call = try OutboundRequest(
            wish.method, wish.address, fields: wish.fields, body: body)
        let origin = wish.address.origin
        try outbound.check(origin)
        let grant = try await door.grant(reaching: origin, request, context)
        try await meter.begin(client.name, limits)
        let result: Result<OutboundAnswer, any Error>
        do {
            result = .success(
                try await outbound.answer(to: call, under: grant, limits) { next in
                    try await permit(next, from: origin, request, context)
                })
        } catch {
            result = .failure(error)
        }
        await meter.end(client.name)
        let answer = try result.get()
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
                .redirectRefused, "\(origin) redirects to \(next). \(error.message)",
                fix: error.hint,
                privilege: privilege.description)
        }
    }
}

extension FetchLimits {
    init(_ budget: FetchBudget) {
        self.init()
        total = budget.duration
        connecting = min(connecting, budget.duration)
        requestBytes = budget.requestBytes
        answerBytes = budget.answerBytes
        atOnce = budget.callsAtOnce
        perMinute = budget.callsPerMinute
    }
}
