import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird

/// The owner's decisions: to see, to make and to take back.
struct GrantRoutes {
    let door: Door
    let isGrantable: GrantableCheck

    func add(to routes: inout RouteTable) {
        routes.on(.grants, [.get: list])
        routes.on(.grants(of: "{client}"), [.get: list, .delete: reset])
        routes.on(.grant(of: "{privilege}", to: "{client}"), [.put: decide, .delete: reset])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("grants", request, context)
        return try .json(await grants(of: context.decoded("client")))
    }

    @Sendable
    private func decide(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("decide", request, context)
        let body = try await request.json(DecisionRequest.self)
        let name = try context.decoded("client").required("client")
        let (decision, privilege) = (try body.checked(), try context.privilege())
        if decision != .deny, decision != .denyOnce { try await isGrantable(privilege) }
        var choice: InstanceChoice?
        if let (chosen, others) = try body.choice() {
            choice = try await isGrantable.choice(chosen, passingOver: others, of: privilege)
        }
        try await door.authority.decide(
            decision, on: privilege, by: name, run: body.run, isAnswer: body.answer ?? false,
            among: choice)
        return try .json(await grants(of: name))
    }

    /// The decisions, and after them what is not asked any more.
    private func grants(of client: String?) async -> GrantList {
        let records = await door.authority.records(of: client)
        let refusals = await door.authority.refusals(of: client).filter(\.isFinal)
        let policy = await door.authority.policy
        return GrantList(
            records.map { GrantDescription($0, policy) } + refusals.map { GrantDescription($0) },
            policy)
    }

    @Sendable
    private func reset(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("reset", request, context)
        let name = try context.decoded("client").required("client")
        let isWhole = context.parameters.get("privilege") == nil
        try await door.authority.reset(isWhole ? nil : context.privilege(), of: name)
        return Response(status: .noContent)
    }
}

extension ProviderContext {
    /// A part of the path without its percent encoding.
    func decoded(_ name: String) -> String? {
        parameters.get(name).map { $0.removingPercentEncoding ?? $0 }
    }
}

extension String? {
    func required(_ name: String) throws -> String {
        guard let self else { throw Problem.invalidParameter(name, "it is needed") }
        return self
    }
}
