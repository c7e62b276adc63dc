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
        routes.on("api/v1/retention", [.get: report, .put: setAll])
        routes.on("api/v1/retention/{sensor}", [.put: setRule, .delete: removeRule])
    }

    @Sendable
    private func report(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("retention", request, context)
        return try .json(StorageDescription(await machine.retention.report()))
    }

    private struct Wishes: Decodable {
        let budget: Int64?
        let standard: RetentionDescription?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case budget, standard
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.stringValue))
            let members = try decoder.container(keyedBy: CodingKeys.self)
            budget = try members.decodeIfPresent(Int64.self, forKey: .budget)
            standard = try members.decodeIfPresent(RetentionDescription.self, forKey: .standard)
        }
    }

    @Sendable
    private func setAll(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("set-retention", request, context)
        let wishes = try await request.json(Wishes.self)
        guard wishes.budget != nil || wishes.standard != nil else {
            throw Problem.invalidBody("budget or standard is needed.")
        }
        let rule = try wishes.standard?.checked()
        if let budget = wishes.budget {
            guard budget >= Retention.leastBudget else {
                throw Problem.invalidBody("budget must be \(Retention.leastBudget) at least.")
            }
            try await machine.retention.keep(budget: budget)
        }
        if let rule { try await machine.retention.keep(rule, for: nil) }
        return try .json(StorageDescription(await machine.retention.report()))
    }

    @Sendable
    private func setRule(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("set-retention", request, context)
        let rule = try await request.json(RetentionDescription.self).checked()
        try await machine.retention.keep(rule, for: request.sensor(context))
        return try .json(RetentionDescription(rule))
    }

    @Sendable
    private func removeRule(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await door.owner("set-retention", request, context)
        try await machine.retention.keep(nil, for: request.sensor(context))
        return Response(status: .noContent)
    }
}

extension RetentionDescription {
    /// The rule that it means.
    fileprivate func checked() throws -> RetentionRule {
        func span(_ name: String, _ text: String?) throws -> Duration? {
            try text.map { text in
                guard let span = Duration(span: text) else {
                    throw Problem.invalidBody("\(name) must be a span such as 30d.")
                }
                return span
            }
        }
        if let bytes, bytes < 0 { throw Problem.invalidBody("bytes must not be negative.") }
        return RetentionRule(
            raw: try span("raw", raw), bytes: bytes, summaries: try span("summaries", summaries))
    }
}
