import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Samples
import VM

/// What is kept, for how long, and in how much room; the owner's.
struct RetentionRoutes {
    let door: Door
    let machine: VirtualMachine

    func add(to routes: inout RouteTable) {
        routes.on(.retention, [.get: report, .put: setAll])
        routes.on(.retention(of: "{sensor}"), [.put: setRule, .delete: removeRule])
    }

    @Sendable
    private func report(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("retention", request, context)
        return try .json(StorageDescription(await machine.storage()))
    }

    @Sendable
    private func setAll(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("set-retention", request, context)
        let wishes = try await request.json(RetentionRequest.self)
        guard wishes.budget != nil || wishes.standard != nil else {
            throw Problem.invalidBody("budget or standard is needed.")
        }
        let rule = try wishes.standard?.rule()
        if let budget = wishes.budget {
            guard budget >= VirtualMachine.leastBudget else {
                throw Problem.invalidBody("budget must be \(VirtualMachine.leastBudget) at least.")
            }
            try await machine.keep(budget: budget)
        }
        if let rule { try await machine.keep(rule, for: nil) }
        return try .json(StorageDescription(await machine.storage()))
    }

    @Sendable
    private func setRule(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("set-retention", request, context)
        let rule = try await request.json(RetentionDescription.self).rule()
        try await machine.keep(rule, for: request.sensor(context))
        return try .json(RetentionDescription(rule))
    }

    @Sendable
    private func removeRule(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await door.owner("set-retention", request, context)
        try await machine.keep(nil, for: request.sensor(context))
        return Response(status: .noContent)
    }
}
