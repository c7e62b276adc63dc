import Samples
import Testing

@testable import Auth

/// After two refusals the owner is not asked again.
struct RefusalTests {
    private let fixture: AuthorityFixture
    private let cpu = PrivilegeID.sensor("cpu", .raw)
    private let declared = Privilege(.sensor("cpu", .raw), reason: "r")

    init() throws {
        fixture = try AuthorityFixture()
    }

    /// Refuses when asked, each time in a separate run.
    private func refuse(_ times: Int, _ authority: Authority) async throws {
        for _ in 0..<times {
            let (run, _) = try await authority.beginRun(of: "app")
            try await authority.decide(.denyOnce, on: cpu, by: "app", run: run, isAnswer: true)
            try await authority.endRun(run)
        }
    }

    private func admitted() async throws -> Authority {
        let authority = try await fixture.open()
        try await authority.admit(app: "app")
        return authority
    }

    @Test
    func `after one refusal the owner is asked again, after two not, also after a restart`()
        async throws
    {
        var authority = try await admitted()
        try await refuse(1, authority)
        #expect(await authority.permissions.undecided([declared], by: "app") == [declared])
        #expect(await !authority.permissions.isDenied(declared, to: "app"))
        authority = try await fixture.open()
        try await refuse(1, authority)
        for _ in 1...2 {
            #expect(await authority.permissions.undecided([declared], by: "app").isEmpty)
            #expect(await authority.permissions.isDenied(declared, to: "app"))
            #expect(await authority.permissions.finalDenial(of: declared.id, "app") != nil)
            #expect(await authority.permissions.denialCounts(of: "app").map(\.count) == [2])
            authority = try await fixture.open()
        }
    }

    @Test
    func `a request of a running app is refused without asking, with the command to reset it`()
        async throws
    {
        let authority = try await fixture.open()
        try await authority.admitAskingApp()
        var asked = 0
        for expected in [1, 2, 2, 2] {
            let (run, token) = try await authority.beginRun(of: "app")
            let owner = await ScriptedOwner([.denyOnce], run: run, of: authority)
            let error = await #expect(throws: AuthError.self) {
                _ = try await authority.checkApp(
                    token: token.text, name: "app",
                    requested: AccessRequest("latest", of: "cpu", .raw))
            }
            asked += owner.requests.count
            #expect(asked == expected)
            #expect(error?.code == .denied)
            let isLast = owner.requests.isEmpty
            #expect(error?.message.contains("twice") == isLast)
            #expect(error?.hint?.contains("nervous permissions reset app") == isLast)
        }
    }

    @Test(arguments: [nil, "sensor:cpu"])
    func `a reset asks again`(privilege: String?) async throws {
        var authority = try await admitted()
        try await refuse(2, authority)
        try await authority.reset(privilege.flatMap { PrivilegeID($0) }, of: "app")
        #expect(await authority.permissions.undecided([declared], by: "app") == [declared])
        authority = try await fixture.open()
        #expect(await authority.permissions.denialCounts().isEmpty)
        try await refuse(1, authority)
        #expect(await authority.permissions.undecided([declared], by: "app") == [declared])
    }

    @Test(arguments: [Decision.allowAlways, .statisticsOnly, .deny, .allow(Terms(access: .raw))])
    func `a lasting decision replaces the refusals`(decision: Decision) async throws {
        let authority = try await admitted()
        try await refuse(2, authority)
        try await authority.decide(decision, on: cpu, by: "app")
        #expect(await authority.permissions.denialCounts().isEmpty)
        #expect(await authority.permissions.isDenied(declared, to: "app") == (decision == .deny))
    }

    @Test func `allowing once at a prompt resets the count, a flag does not`() async throws {
        let authority = try await admitted()
        let (run, token) = try await authority.beginRun(of: "app")
        try await refuse(1, authority)
        try await authority.decide(.denyOnce, on: cpu, by: "app", run: run)
        try await authority.decide(.allowOnce, on: cpu, by: "app", run: run)
        #expect(await authority.permissions.denialCounts().map(\.count) == [1])
        try await authority.decide(.allowOnce, on: cpu, by: "app", run: run, isAnswer: true)
        #expect(await authority.permissions.denialCounts().isEmpty)
        try await refuse(2, authority)
        // An explicit flag of the owner applies to its run.
        _ = try await authority.checkApp(
            token: token.text, name: "app", requested: AccessRequest("latest", of: "cpu", .raw))
    }

    @Test func `refusals belong to one app and one privilege, and are removed with the app`()
        async throws
    {
        let authority = try await admitted()
        try await authority.admit(app: "other")
        try await refuse(2, authority)
        #expect(await authority.permissions.undecided([declared], by: "other") == [declared])
        let memory = Privilege(.sensor("memory", .raw), reason: "r")
        let statistics = Privilege(.sensor("cpu", .stats), reason: "r")
        #expect(
            await authority.permissions.undecided([memory, statistics, declared], by: "app")
                == [memory, statistics])
        try await authority.forget(client: "app")
        try await authority.admit(app: "app")
        #expect(await authority.permissions.undecided([declared], by: "app") == [declared])
        #expect(try await fixture.open().permissions.denialCounts().isEmpty)
    }

    @Test func `refusals do not apply to another app of the same name`() async throws {
        var authority = try await fixture.open()
        let known = DeclaredApp(name: "app", identity: "first", privileges: [declared])
        try await authority.admit(known)
        try await refuse(2, authority)
        #expect(await authority.status(of: known).exhausted == [cpu])
        #expect(await authority.status(of: known).denied == [cpu])
        let other = DeclaredApp(name: "app", identity: "second", privileges: [declared])
        #expect(await authority.status(of: other).undecided == [cpu])
        try await authority.admit(other)
        for _ in 1...2 {
            #expect(await authority.permissions.denialCounts().isEmpty)
            #expect(await authority.status(of: other).undecided == [cpu])
            authority = try await fixture.open()
        }
    }
}
