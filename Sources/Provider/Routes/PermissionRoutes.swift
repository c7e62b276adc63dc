import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird

/// How privileges stand for whoever asks, asking for more, and what waits for the owner's answer.
struct PermissionRoutes {
    let door: Door

    func add(to routes: inout RouteTable) {
        routes.on(.permissionRequest, [.post: ask])
        routes.on(.permission("{privilege}"), [.get: state])
        routes.on(.requests, [.get: pending])
        routes.on(.request(for: "{privilege}", by: "{client}"), [.delete: leave])
    }

    /// How it stands for a client; the W3C has no word of its own for what nobody can be asked for.
    private func state(
        _ state: PermissionState, of privilege: PrivilegeID, for client: Client
    ) async -> PermissionDescription {
        let isRestricted = await door.authority.policy.restriction(of: privilege) != nil
        return PermissionDescription(
            privilege: privilege.description, state: state.rawValue,
            restricted: isRestricted && client.kind != .owner ? true : nil)
    }

    @Sendable
    private func state(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("permission", request, context)
        let privilege = try context.privilege()
        let state = await door.authority.state(of: privilege, for: client)
        return try .json(await self.state(state, of: privilege, for: client))
    }

    /// Answers when the person has, or when it has waited long enough.
    @Sendable
    private func ask(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("request", request, context)
        let privilege = try PrivilegeID(
            checking: await request.json(PermissionRequest.self).privilege)
        let state = try await door.ask(for: privilege, request, context)
        return try .json(await self.state(state, of: privilege, for: client))
    }

    // MARK: - The owner's

    @Sendable
    private func pending(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("requests", request, context)
        let requests = await door.authority.pendingRequests()
        return try .json(ItemList(requests.map(RequestDescription.init)))
    }

    /// Says that nobody answers now.
    @Sendable
    private func leave(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("leave-request", request, context)
        let client = try context.decoded("client").required("client")
        try await door.authority.leaveUnanswered(context.privilege(), of: client)
        return Response(status: .noContent)
    }
}

extension ProviderContext {
    /// The privilege that the path names.
    func privilege() throws -> PrivilegeID {
        try PrivilegeID(checking: decoded("privilege").required("privilege"))
    }
}

extension PrivilegeID {
    /// - Throws: `Problem` for a text that is no privilege.
    init(checking text: String) throws {
        guard let privilege = PrivilegeID(text) else {
            throw Problem(
                .invalidPrivilege, "\(text.prefix(80).debugDescription) is not a privilege.",
                fix: "Write it like sensor:cpu, sensor:cpu:stats or net:https://example.org")
        }
        self = privilege
    }
}
