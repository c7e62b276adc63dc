import Addresses
import Auth
import HTTPTypes
import Hummingbird
import Samples

/// Asks `Authority` for every request that wants something; there is no other way to a `Grant`.
struct Door: Sendable {
    let authority: Authority
    let isGrantable: GrantableCheck
    /// What spans before now are counted from.
    let now: @Sendable () -> Timestamp
    /// The ways in which a call may carry its token.
    var schemes: Set<TokenScheme> = [.bearer]

    /// A grant for one use of a sensor.
    func grant(
        _ operation: String, _ access: Access, of sensor: SensorID, _ request: Request,
        _ context: ProviderContext, isContinuation: Bool = false
    ) async throws(AuthError) -> Grant {
        let requested = AccessRequest(
            operation, of: sensor, access, isContinuation: isContinuation)
        return try await authority.checkApp(
            token: token(request, context), name: context.claimedName, requested: requested
        ) {
            await isGrantable.isAvailable(PrivilegeID(sensor: sensor, access: access))
        }
    }

    /// Who may use something other than a sensor.
    func client(
        _ operation: String, using privilege: PrivilegeID, _ request: Request,
        _ context: ProviderContext
    ) async throws(AuthError) -> Client {
        try await authority.checkApp(
            token: token(request, context), name: context.claimedName, requested: privilege,
            operation: operation)
    }

    /// A grant for one step of a call to another server.
    func grant(
        reaching origin: WebOrigin, _ request: Request, _ context: ProviderContext,
        isRedirect: Bool = false
    ) async throws(AuthError) -> OriginGrant {
        try await authority.checkApp(
            token: token(request, context), name: context.claimedName, reaching: origin,
            isRedirect: isRedirect)
    }

    /// Puts to the person what an app asks for.
    func ask(
        for privilege: PrivilegeID, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> PermissionState {
        try await authority.request(
            privilege, token: token(request, context), name: context.claimedName,
            isAvailable: await isGrantable.isAvailable(privilege))
    }

    /// Who calls.
    func client(
        _ operation: String, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> Client {
        try await authority.identify(
            token: token(request, context), name: context.claimedName, operation: operation)
    }

    /// Passes the owner only.
    func owner(
        _ operation: String, _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) {
        try await authority.checkOwner(
            token: token(request, context), name: context.claimedName, operation: operation)
    }

    /// Whether the caller, who was the owner, is it still.
    func isStillOwner(_ request: Request, _ context: ProviderContext) async -> Bool {
        await authority.isOwner(token: token(request, context))
    }

    /// The token of the call; over the control socket, which only the owner can open, the owner's own.
    private func token(_ request: Request, _ context: ProviderContext) -> String? {
        guard let field = request.headers[.authorization] else {
            let isOwner = context.transport == .control && context.origin == .owner
            return isOwner ? authority.ownerToken.text : nil
        }
        return TokenScheme.token(in: field, among: schemes)
    }
}
