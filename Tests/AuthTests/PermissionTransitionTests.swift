import Samples
import Testing

@testable import Auth

/// The five states of a permission, and the transitions between them.
struct PermissionTransitionTests {
    enum State: String, CaseIterable {
        case prompt, denied, whileRunning, background, restricted
    }

    enum Event {
        case request, use, useInBackground, grantWhileRunning, grantBackground, deny, reset
        /// The policy is written or removed, and the host restarted.
        case restrict, lift

        var isUse: Bool { self == .use || self == .useInBackground }
    }

    /// For each event, by state: the outcome, and the next state.
    private static let table: [(Event, [String])] = [
        (
            .request,
            [
                "prompt, prompt", "denied, denied", "granted, whileRunning", "granted, background",
                "denied, restricted",
            ]
        ),
        (
            .use,
            [
                "undecided, prompt", "denied, denied", "done, whileRunning", "done, background",
                "restricted, restricted",
            ]
        ),
        (
            .useInBackground,
            [
                "undecided, prompt", "denied, denied", "not in background, whileRunning",
                "done, background", "restricted, restricted",
            ]
        ),
        (.grantWhileRunning, four("done, whileRunning") + ["restricted, restricted"]),
        (.grantBackground, four("done, background") + ["restricted, restricted"]),
        (.deny, four("done, denied") + ["done, restricted"]),
        (.reset, four("done, prompt") + ["done, restricted"]),
        (.restrict, four("done, restricted") + ["done, restricted"]),
        (
            .lift,
            [
                "done, prompt", "done, denied", "done, whileRunning", "done, background",
                // The decision before the policy was added.
                "done, background",
            ]
        ),
    ]

    private static func four(_ cell: String) -> [String] { Array(repeating: cell, count: 4) }

    private static let cells = table.flatMap { event, row in
        zip(State.allCases, row).map { ($0, event, $1) }
    }

    private let fixture: AuthorityFixture
    private let cpu = PrivilegeID.sensor("cpu", .raw)

    init() throws {
        fixture = try AuthorityFixture()
    }

    private func open(restricted: [String] = []) async throws -> Authority {
        try await fixture.open(restricted: restricted, timeLimit: .zero)
    }

    /// A host in which the app is in a state.
    private func host(in state: State) async throws -> Authority {
        let authority = try await open()
        try await authority.admit(
            DeclaredApp(
                name: "app", identity: "app",
                privileges: [Privilege(.sensor("cpu", .raw), reason: "r")], asksAtFirstUse: true))
        let decision: Decision? =
            switch state {
            case .prompt: nil
            case .denied: .deny
            case .whileRunning: .allow(Terms(access: .raw, background: false))
            case .background, .restricted: .allowAlways
            }
        if let decision { try await authority.decide(decision, on: cpu, by: "app") }
        return try await open(restricted: state == .restricted ? ["sensor:cpu"] : [])
    }

    private func state(of authority: Authority) async throws -> State? {
        var found: [PermissionState] = []
        for isForeground in [true, false] {
            let (_, token) = try await authority.beginRun(of: "app", isForeground: isForeground)
            let client = try await authority.identify(token: token.text, name: nil)
            found.append(await authority.permissions.state(of: cpu, for: client))
        }
        if await authority.permissions.policy.restriction(of: cpu) != nil {
            return found == [.denied, .denied] ? .restricted : nil
        }
        return switch found {
        case [.prompt, .prompt]: .prompt
        case [.denied, .denied]: .denied
        case [.granted, .denied]: .whileRunning
        case [.granted, .granted]: .background
        default: nil
        }
    }

    private func use(_ authority: Authority, isForeground: Bool) async throws -> String {
        let (_, token) = try await authority.beginRun(of: "app", isForeground: isForeground)
        let code = await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: nil, requested: AccessRequest("test", of: "cpu", .raw))
        }
        return Self.word(code)
    }

    private static func word(_ code: AuthError.Code?) -> String {
        switch code {
        case nil: "done"
        case .undecided: "undecided"
        case .denied: "denied"
        case .notInBackground: "not in background"
        case .restricted: "restricted"
        default: "\(String(describing: code))"
        }
    }

    @Test(arguments: cells)
    func `each event leads from each of the five states to the specified one`(
        state: State, event: Event, expected: String
    ) async throws {
        var authority = try await host(in: state)
        #expect(try await self.state(of: authority) == state)
        let outcome: String
        switch event {
        case .request:
            let (_, token) = try await authority.beginRun(of: "app")
            outcome = try await authority.request(
                cpu, token: token.text, name: nil, isAvailable: true
            ).rawValue
        case .use: outcome = try await use(authority, isForeground: true)
        case .useInBackground: outcome = try await use(authority, isForeground: false)
        case .grantWhileRunning, .grantBackground:
            let terms = Terms(access: .raw, background: event == .grantBackground)
            outcome = await decide(.allow(terms), authority)
        case .deny: outcome = await decide(.deny, authority)
        case .reset:
            try await authority.reset(cpu, of: "app")
            outcome = "done"
        case .restrict, .lift:
            authority = try await open(restricted: event == .restrict ? ["sensor:cpu"] : [])
            outcome = "done"
        }
        let after = try await self.state(of: authority)
        #expect("\(outcome), \(after?.rawValue ?? "none")" == expected)
        // The owner is asked only about undecided privileges.
        let isAsking = event == .request || event.isUse
        let waiting = await authority.pendingRequests().count
        #expect(waiting == (isAsking && state == .prompt ? 1 : 0))
    }

    private func decide(_ decision: Decision, _ authority: Authority) async -> String {
        Self.word(
            await refusal { try await authority.decide(decision, on: cpu, by: "app") })
    }

    @Test(arguments: [(Decision.deny, State.denied), (nil, State.prompt)])
    func `denying or resetting under a policy still applies after the policy is removed`(
        decision: Decision?, expected: State
    ) async throws {
        let authority = try await host(in: .restricted)
        if let decision {
            try await authority.decide(decision, on: cpu, by: "app")
        } else {
            try await authority.reset(cpu, of: "app")
        }
        #expect(try await state(of: try await open()) == expected)
    }
}
