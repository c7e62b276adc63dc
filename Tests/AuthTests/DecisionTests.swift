import Samples
import TestSupport
import Testing

@testable import Auth

struct DecisionTests {
    private let fixture: AuthorityFixture
    private let cpu = PrivilegeID.sensor("cpu", .raw)

    init() throws {
        fixture = try AuthorityFixture()
    }

    private func state(
        _ authority: Authority, _ token: Token, _ access: Access = .raw
    ) async -> AuthError.Code? {
        await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: nil, requested: AccessRequest("test", of: "cpu", access))
        }
    }

    @Test func `decisions and clients' tokens survive a restart, those for a run do not`()
        async throws
    {
        let terms = Terms(
            access: .raw, maximumRate: 2.5, precision: 0.5, history: .seconds(60),
            expires: fixture.clock.now().advanced(byMicroseconds: 1), background: false)
        var authority = try await fixture.open()
        let names = ["curl", "page-turner", "run-ner"]
        var tokens: [Token] = []
        for name in names {
            tokens.append(try await authority.createClient(name, isOwner: false, expires: nil))
        }
        try await authority.admit(app: "app")
        let (run, runToken) = try await authority.beginRun(of: "app")
        let code = try await authority.launchCode(for: .app("app"))
        let page = try await authority.redeem(
            launchCode: code, nonce: authority.pageNonce(for: .app("app")),
            for: .app("app"))
        let oldOwner = authority.ownerToken
        try await authority.decide(.allow(terms), on: cpu, by: "curl")
        try await authority.decide(.deny, on: .net, by: "curl")
        try await authority.decide(.allowOnce, on: cpu, by: "app", run: run)
        let lasting = await authority.permissions.records(of: "curl")
        #expect(lasting.count == 2)

        authority = try await fixture.open()
        #expect(await authority.permissions.records() == lasting)
        for (name, token) in zip(names, tokens) {
            let client = try await authority.identify(token: token.text, name: nil)
            #expect(client == Client(name: name, kind: .client, run: nil))
        }
        for token in [runToken, page, oldOwner] {
            let code = await refusal {
                _ = try await authority.identify(token: token.text, name: nil)
            }
            #expect(code == .invalidToken)
        }
    }

    @Test func `a decision for one run ends with it and does not apply to others`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let (one, first) = try await authority.beginRun(of: "app")
        let (_, second) = try await authority.beginRun(of: "app")
        try await authority.decide(.allowOnce, on: cpu, by: "app", run: one)
        #expect(await state(authority, first) == nil)
        #expect(await state(authority, second) == .undecided)
        try await authority.endRun(one)
        #expect(await state(authority, first) == .invalidToken)
        #expect(await authority.permissions.records().isEmpty)
    }

    @Test func `a decision for one run requires an active run of the app`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        try await authority.admit(app: "other")
        let (foreign, _) = try await authority.beginRun(of: "other")
        let (ended, _) = try await authority.beginRun(of: "app")
        try await authority.endRun(ended)
        for run in [nil, "", "none", foreign, ended] {
            for decision in [Decision.allowOnce, .denyOnce] {
                let code = await refusal {
                    try await authority.decide(decision, on: cpu, by: "app", run: run)
                }
                #expect(code == .notFound, "\(run ?? "no run")")
            }
        }
    }

    @Test(arguments: [
        (Decision.allowOnce, Decision.statisticsOnly, AuthError.Code?.some(.statisticsOnly)),
        (.allowOnce, .deny, .denied),
        (.denyOnce, .allowAlways, nil),
    ])
    func `a lasting decision replaces one for the run`(
        once: Decision, lasting: Decision, expected: AuthError.Code?
    ) async throws {
        var authority = try await fixture.open()
        try await authority.admit(app: "app")
        let (run, token) = try await authority.beginRun(of: "app")
        try await authority.decide(once, on: cpu, by: "app", run: run)
        try await authority.decide(lasting, on: cpu, by: "app")
        #expect(await state(authority, token) == expected)
        let kept = await authority.permissions.records()
        authority = try await fixture.open()
        #expect(await authority.permissions.records() == kept)
    }

    @Test func `narrowing, revoking and resetting affect the next call`() async throws {
        let authority = try await fixture.open()
        let token = try await authority.createClient("curl", isOwner: false, expires: nil)
        try await authority.decide(.allowAlways, on: cpu, by: "curl")
        #expect(await state(authority, token) == nil)
        try await authority.decide(.statisticsOnly, on: cpu, by: "curl")
        #expect(await state(authority, token) == .statisticsOnly)
        #expect(await state(authority, token, .stats) == nil)
        try await authority.decide(.deny, on: cpu, by: "curl")
        #expect(await state(authority, token) == .denied)
        try await authority.reset(cpu, of: "curl")
        #expect(await state(authority, token) == .undecided)
        try await authority.revokeClient("curl")
        #expect(await state(authority, token) == .invalidToken)
    }

    @Test(arguments: [
        ("sensor:cpu:stats", Access.raw), ("sensor:cpu:write", .raw), ("sensor:cpu", .write),
        ("sensor:cpu:stats", .write), ("net", .raw), ("storage", .stats),
    ])
    func `terms cannot exceed the privilege`(
        privilege: String, access: Access
    ) async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let id = try #require(PrivilegeID(privilege))
        let code = await refusal {
            try await authority.decide(.allow(Terms(access: access)), on: id, by: "app")
        }
        #expect(code == .invalidPrivilege)
        #expect(await authority.permissions.records().isEmpty)
    }

    @Test(arguments: PrivilegeID.others + [PrivilegeID("net:https://a.org") ?? .net])
    func `only expiry and background are valid terms of a privilege without a sensor`(
        privilege: PrivilegeID
    ) async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let wrong = [
            Decision.statisticsOnly, .allow(Terms(access: .stats)), .allow(Terms(access: .write)),
            .allow(Terms(access: .raw, maximumRate: 1)),
            .allow(Terms(access: .raw, precision: 1)),
            .allow(Terms(access: .raw, history: .seconds(60))),
            .allow(Terms(access: .raw, only: InstanceChoice(["cpu"]))),
        ]
        for decision in wrong {
            let code = await refusal {
                try await authority.decide(decision, on: privilege, by: "app")
            }
            #expect(code == .invalidPrivilege, "\(decision)")
        }
        #expect(await authority.permissions.records().isEmpty)
        let end = fixture.clock.now().advanced(byMicroseconds: 1_000_000)
        let terms = Terms(access: .raw, expires: end, background: false)
        try await authority.decide(.allow(terms), on: privilege, by: "app")
        func code(isForeground: Bool) async throws -> AuthError.Code? {
            let run = try await authority.beginRun(of: "app", isForeground: isForeground)
            let token = run.token.text
            return await refusal {
                if let origin = privilege.origin {
                    _ = try await authority.checkApp(token: token, name: nil, reaching: origin)
                } else {
                    _ = try await authority.checkApp(
                        token: token, name: nil, requested: privilege, operation: "test")
                }
            }
        }
        #expect(try await code(isForeground: true) == nil)
        #expect(try await code(isForeground: false) == .notInBackground)
        fixture.clock.advance(by: .seconds(1))
        let after = try await code(isForeground: true)
        #expect(after == .undecided || after == .undeclared)
    }

    @Test func `an update asks only for new and wider privileges`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let narrow = Privilege(.sensor("cpu", .stats), reason: "r")
        let wide = Privilege(.sensor("cpu", .raw), reason: "r")
        let new = Privilege(.sensor("memory", .raw), reason: "r")
        func undecided(_ declared: [Privilege]) async -> [Privilege] {
            await authority.permissions.undecided(declared, by: "app")
        }
        #expect(await undecided([narrow]) == [narrow])
        try await authority.decide(.allowAlways, on: narrow.id, by: "app")
        #expect(await undecided([narrow]).isEmpty)
        #expect(await undecided([wide, new]) == [wide, new])
        try await authority.reset(nil, of: "app")
        try await authority.decide(.statisticsOnly, on: wide.id, by: "app")
        #expect(await undecided([wide, narrow]).isEmpty)
        try await authority.decide(.deny, on: new.id, by: "app")
        #expect(await undecided([wide, new]).isEmpty)
        #expect(await authority.permissions.isDenied(new, to: "app"))
        #expect(await !authority.permissions.isDenied(wide, to: "app"))
    }

    @Test func `a denied kind is denied for each declared instance`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let kind = PrivilegeID.sensor("network", .stats)
        try await authority.decide(.deny, on: kind, by: "app")
        for (sensor, isDenied) in [("network.eth0", true), ("networking", false)] {
            let id = try #require(SensorID(sensor))
            let declared = Privilege(.sensor(id, .raw), reason: "r")
            #expect(await authority.permissions.isDenied(declared, to: "app") == isDenied)
        }
    }

    @Test func `an expired grant is asked for again`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        let end = fixture.clock.now().advanced(byMicroseconds: 1000)
        try await authority.decide(
            .allow(Terms(access: .raw, expires: end)), on: cpu, by: "app")
        let declared = Privilege(.sensor("cpu", .raw), reason: "r")
        #expect(await authority.permissions.undecided([declared], by: "app").isEmpty)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(await authority.permissions.undecided([declared], by: "app") == [declared])
    }
}
