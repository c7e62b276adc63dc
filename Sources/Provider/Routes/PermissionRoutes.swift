import Auth
import Foundation
import HTTPTypes
import Hummingbird

/// How privileges stand for whoever asks, asking for more, and what waits for the owner's answer.
struct PermissionRoutes {
    let door: Door

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/permissions/request", [.post: ask])
        routes.on("api/v1/permissions/{privilege}", [.get: state])
        routes.on("api/v1/requests", [.get: pending])
        routes.on("api/v1/requests/{client}/{privilege}", [.delete: leave])
    }

    private struct Wish: Decodable {
        let privilege: String
    }

    private struct State: Encodable {
        let privilege: String
        let state: String
    }

    @Sendable
    private func state(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("permission", request, context)
        let privilege = try context.privilege()
        let state = await door.authority.state(of: privilege, for: client)
        return try .json(State(privilege: privilege.description, state: state.rawValue))
    }

    /// Answers when the person has, or when it has waited long enough.
    @Sendable
    private func ask(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await door.client("request", request, context)
        let privilege = try PrivilegeID(checking: await request.json(Wish.self).privilege)
        let state = try await door.ask(for: privilege, request, context)
        return try .json(State(privilege: privilege.description, state: state.rawValue))
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
                status: .unprocessableContent, code: "invalid-privilege",
                title: "This is not a privilege",
                detail: "\(text.prefix(80).debugDescription) is not a privilege.",
                fix: "Write it like sensor:cpu, sensor:cpu:stats or net:https://example.org")
        }
        self = privilege
    }
}
