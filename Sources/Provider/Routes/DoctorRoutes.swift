public import API
import Hummingbird

/// The checks of `nervous doctor` that a running host can make.
public struct HostChecks: Sendable {
    /// No checks.
    public static let none = HostChecks(names: [], onRequest: []) { _ in [] }

    let names: [String]
    let onRequest: Set<String>
    let run: @Sendable (_ names: [String]) async -> [Finding]

    /// - Parameters:
    ///   - names: the checks, in their order.
    ///   - onRequest: those that are made only by name, because they take long.
    ///   - run: makes checks.
    public init(
        names: [String], onRequest: Set<String>,
        run: @escaping @Sendable (_ names: [String]) async -> [Finding]
    ) {
        (self.names, self.onRequest, self.run) = (names, onRequest, run)
    }
}

/// The findings of `nervous doctor` in the running host, for the owner.
struct DoctorRoutes {
    let authorizer: RequestAuthorizer
    let checks: HostChecks
    private let slot = CallSlot()

    init(authorizer: RequestAuthorizer, checks: HostChecks) {
        (self.authorizer, self.checks) = (authorizer, checks)
    }

    func add(to routes: inout RouteTable) {
        routes.on(.doctor, [.get: findings])
    }

    /// Makes the named checks, or all that take little time.
    @Sendable
    private func findings(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("doctor", request, context)
        try request.rejectParameters(except: ["checks"])
        let given = try request.list("checks")
        if let unknown = given?.first(where: { !checks.names.contains($0) }) {
            throw Problem.invalidParameter(
                "checks",
                "\(unknown.prefix(40).debugDescription) is none of: "
                    + checks.names.joined(separator: ", "))
        }
        let chosen = checks.names.filter { name in
            given?.contains(name) ?? !checks.onRequest.contains(name)
        }
        let findings =
            checks.onRequest.isDisjoint(with: chosen)
            ? await checks.run(chosen)
            : try await slot.perform("Another such check is running.") { await checks.run(chosen) }
        let others = checks.names.filter { !chosen.contains($0) }
        return try .json(DoctorReport(findings, unchecked: others))
    }
}
