import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Samples

/// Decisions, for the owner.
struct GrantRoutes {
    let authorizer: RequestAuthorizer

    func add(to routes: inout RouteTable) {
        routes.on(.grants, [.get: list])
        routes.on(.grants(of: "{client}"), [.get: list, .delete: reset])
        routes.on(.grant(of: "{privilege}", to: "{client}"), [.put: decide, .delete: reset])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("grants", request, context)
        return try .json(await grants(of: context.decoded("client")))
    }

    @Sendable
    private func decide(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("decide", request, context)
        let body = try await request.json(DecisionRequest.self)
        let name = try context.required("client")
        let (decision, privilege) = (try body.checked(), try context.privilege())
        if decision != .deny, decision != .denyOnce {
            try await authorizer.isGrantable(privilege)
        } else {
            try await checkDeniable(privilege, to: name)
        }
        var choice: InstanceChoice?
        if let (chosen, others) = try body.choice() {
            choice = try await authorizer.isGrantable.choice(
                chosen, excluding: others, of: privilege)
        }
        try await authorizer.authority.decide(
            decision, on: privilege, by: name, run: body.run, isAnswer: body.answer ?? false,
            among: choice)
        return try .json(await grants(of: name))
    }

    /// Checks that a denial is about a sensor of this machine, or about a sensor that the client
    /// asks for.
    ///
    /// A denial of a misspelt name would deny nothing.
    private func checkDeniable(_ privilege: PrivilegeID, to client: String) async throws {
        guard let sensor = privilege.sensor else { return }
        let authority = authorizer.authority
        var known = await authority.declared(by: client)
        known += await authority.permissions.records(of: client).map(\.privilege)
        known += await authority.pendingRequests().filter { $0.app == client }.map(\.privilege)
        // Nervousnet apps declare nothing, but they can ask for all sensors of their interfaces.
        let names = known.compactMap(\.sensor) + PublishedSensor.all.map(\.sensor)
        guard !names.contains(where: { sensor.covers($0) || $0.covers(sensor) }) else { return }
        try await authorizer.isGrantable.checkKnown(sensor, or: names)
    }

    /// The decisions, followed by the privileges that the owner is not asked for again.
    private func grants(of client: String?) async -> DecisionList {
        let permissions = await authorizer.authority.permissions
        let policy = permissions.policy
        let denials = permissions.denialCounts(of: client).filter(\.isFinal)
        return DecisionList(
            permissions.records(of: client).map { DecisionDescription($0, policy) }
                + denials.map { DecisionDescription($0) },
            policy)
    }

    @Sendable
    private func reset(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("reset", request, context)
        let name = try context.required("client")
        let isWhole = context.parameters.get("privilege") == nil
        try await authorizer.authority.reset(isWhole ? nil : context.privilege(), of: name)
        return Response(status: .noContent)
    }
}

/// The permissions of the calling client, its requests, and the requests that wait for the owner.
struct PermissionRoutes {
    let authorizer: RequestAuthorizer

    func add(to routes: inout RouteTable) {
        routes.on(.permissionRequest, [.post: ask])
        routes.on(.permission("{privilege}"), [.get: state])
        routes.on(.requests, [.get: pending])
        routes.on(.request(for: "{privilege}", by: "{client}"), [.delete: dismiss])
    }

    /// The permission of a client; the W3C states do not distinguish privileges that the policy
    /// blocks.
    private func state(
        _ state: PermissionState, of privilege: PrivilegeID, for client: Client,
        isRequested: Bool? = nil
    ) async -> PermissionDescription {
        let isRestricted =
            await authorizer.authority.permissions.policy.restriction(of: privilege) != nil
        return PermissionDescription(
            privilege: privilege.description, state: state.rawValue,
            restricted: isRestricted && client.kind != .owner && !privilege.hidesDenial
                ? true : nil,
            reveals: privilege.isGrantable ? privilege.disclosure : nil, requested: isRequested)
    }

    @Sendable
    private func state(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("permission", request, context)
        let privilege = try context.privilege()
        let readable = await authorizer.isGrantable.readable(of: privilege)
        let state = await authorizer.authority.permissions.shownState(
            of: privilege, for: client, among: readable)
        return try .json(await self.state(state, of: privilege, for: client))
    }

    /// Returns when the owner has decided or after a time limit, or at once if the client does not wait.
    @Sendable
    private func ask(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("request", request, context)
        let body = try await request.json(PermissionRequest.self)
        let privilege = try PrivilegeID(checking: body.privilege)
        let answer: PermissionState
        var isOpen: Bool?
        if body.wait == false {
            (isOpen, answer) = try await authorizer.openRequest(for: privilege, request, context)
        } else {
            answer = try await authorizer.ask(for: privilege, request, context)
        }
        let state = answer == .denied && privilege.hidesDenial ? .granted : answer
        return try .json(
            await self.state(state, of: privilege, for: client, isRequested: isOpen))
    }

    // MARK: - For the owner

    @Sendable
    private func pending(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("requests", request, context)
        let requests = await authorizer.authority.pendingRequests()
        return try .json(ItemList(requests.map(RequestDescription.init)))
    }

    /// Dismisses a request without a decision.
    @Sendable
    private func dismiss(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("leave-request", request, context)
        let client = try context.required("client")
        try await authorizer.authority.dismissRequest(context.privilege(), of: client)
        return Response(status: .noContent)
    }
}
