import Samples
import TestSupport
import Testing

@testable import Auth

/// The hints of refusals: after following them in turn, the call is allowed.
struct AdviceTests {
    private let fixture: AuthorityFixture

    init() throws {
        fixture = try AuthorityFixture()
    }

    private static let privileges = [
        "sensor:network", "sensor:network:stats", "sensor:network.eth0",
        "sensor:network.eth0:stats", "net", "net:https://example.org",
    ].compactMap { PrivilegeID($0) }

    /// A decision that the owner may have made earlier.
    private static func decision(
        on privilege: PrivilegeID, _ random: inout SplitMix
    ) -> Decision? {
        if Int.random(in: 0..<3, using: &random) == 0 { return .deny }
        guard privilege != .net else { return nil }
        guard let access = privilege.access else { return .allowAlways }
        var terms = Terms(access: Bool.random(using: &random) ? access : .stats)
        terms.background = Bool.random(using: &random)
        if privilege.sensor == "network", Bool.random(using: &random) {
            terms.only = InstanceChoice(["network.wlan0"], excluding: ["network.eth0"])
        }
        return .allow(terms)
    }

    /// Uses a sensor or a server as a run in the background does.
    ///
    /// - Returns: the advice of the refusal; `nil` when it was allowed.
    private func advice(
        _ authority: Authority, _ token: Token, _ wanted: PrivilegeID
    ) async throws -> String? {
        do {
            if let sensor = wanted.sensor, let access = wanted.access {
                _ = try await authority.checkApp(
                    token: token.text, name: nil, requested: AccessRequest("x", of: sensor, access))
            } else if let origin = wanted.origin {
                _ = try await authority.checkApp(token: token.text, name: nil, reaching: origin)
            }
            return nil
        } catch {
            // The client is told to ask for it, without the command.
            #expect(error.clientHint?.contains("nervous ") == false, "\(error.message)")
            #expect(error.clientHint?.lowercased().contains("ask the owner") == true)
            return error.hint ?? "none: \(error.message)"
        }
    }

    /// Makes the decision that the command in a hint would make.
    private func follow(_ advice: String, _ authority: Authority) async throws {
        let command = /nervous permissions (grant|reset) app (\S+)/
        let match = try #require(try command.firstMatch(in: advice), "\(advice)")
        let privilege = try #require(PrivilegeID(String(match.2)))
        guard match.1 == "grant" else { return try await authority.reset(privilege, of: "app") }
        let before = await authority.permissions.records(of: "app").last {
            $0.privilege == privilege && $0.run == nil
        }
        // A grant keeps the terms that it does not set; one without options is for every sample.
        var terms = before?.terms ?? Terms(access: privilege.access ?? .raw)
        if advice.contains("--background") {
            terms.background = true
        } else {
            terms.access = privilege.access ?? .raw
        }
        let decision = privilege.sensor == nil ? Decision.allowAlways : .allow(terms)
        try await authority.decide(decision, on: privilege, by: "app")
    }

    @Test(arguments: [UInt64.random(in: 0...UInt64.max)])
    func `following the advice of refusals ends with permission`(seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        let authority = try await fixture.open(timeLimit: .zero)
        try await authority.admitAskingApp()
        for _ in 0..<100 {
            try await authority.reset(nil, of: "app")
            var made: [String] = []
            for privilege in Self.privileges where Bool.random(using: &random) {
                guard let decision = Self.decision(on: privilege, &random) else { continue }
                try await authority.decide(decision, on: privilege, by: "app")
                made.append("\(privilege) \(decision)")
            }
            let wanted = Self.privileges.filter { $0 != .net }
            let one = try #require(wanted.randomElement(using: &random))
            let (run, token) = try await authority.beginRun(of: "app", isForeground: false)
            var steps: [String] = []
            while steps.count < 8, let advice = try await advice(authority, token, one) {
                steps.append(advice)
                try await follow(advice, authority)
            }
            #expect(steps.count < 8, "\(one) after \(made): \(steps)")
            try await authority.endRun(run)
        }
    }

    /// A lasting denial, a privilege that a flag allows for one run, and whether that is accepted.
    @Test(arguments: [
        ("sensor:cpu", "sensor:cpu", false), ("sensor:cpu:stats", "sensor:cpu", false),
        ("sensor:cpu:stats", "sensor:cpu:stats", false), ("sensor:cpu", "sensor:cpu:stats", true),
        ("sensor:network", "sensor:network.eth0", false),
        ("sensor:network.eth0", "sensor:network", true), ("sensor:memory", "sensor:cpu", true),
        ("net", "net:https://example.org", false), ("storage", "storage", false),
    ])
    func `a grant for one run is rejected if a lasting denial covers part of it`(
        denied: String, allowed: String, isAccepted: Bool
    ) async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let (run, _) = try await authority.beginRun(of: "app")
        let denial = try #require(PrivilegeID(denied))
        try await authority.decide(.deny, on: denial, by: "app")
        let grant = try #require(PrivilegeID(allowed))
        do {
            try await authority.decide(.allowOnce, on: grant, by: "app", run: run)
            #expect(isAccepted)
        } catch {
            #expect(!isAccepted)
            #expect(error.code == .denied)
            #expect(error.hint?.contains("nervous permissions reset app \(denied)") == true)
            #expect(await authority.permissions.records(of: "app").count == 1)
        }
    }
}
