import GRDB
import Samples
import Testing

@testable import Auth

/// Decisions apply to one app, and not to another app of the same name.
struct IdentityTests {
    private let fixture: AuthorityFixture
    private let cpu = Privilege(.sensor("cpu", .raw), reason: "r")
    private let cpuStats = Privilege(.sensor("cpu", .stats), reason: "r")
    private let memory = Privilege(.sensor("memory", .raw), reason: "r")

    init() throws {
        fixture = try AuthorityFixture()
    }

    private func app(
        _ identity: String, _ privileges: [Privilege], name: String = "app"
    ) -> DeclaredApp {
        DeclaredApp(name: name, identity: identity, privileges: privileges)
    }

    private func state(_ authority: Authority, _ token: Token) async -> AuthError.Code? {
        await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: nil, requested: AccessRequest("test", of: "cpu", .raw))
        }
    }

    @Test func `another identity inherits no decision, token, run or launch code`() async throws {
        var authority = try await fixture.open()
        let old = app("one", [cpu, memory])
        try await authority.admit(old)
        try await authority.decide(.allowAlways, on: cpu.id, by: "app")
        try await authority.decide(.deny, on: memory.id, by: "app")
        let (run, token) = try await authority.beginRun(of: "app")
        let code = try await authority.launchCode(for: .app("app"))
        let nonce = await authority.pageNonce(for: .app("app"))
        #expect(await state(authority, token) == nil)

        let new = app("two", [cpu, memory])
        #expect(await authority.status(of: new).undecided == [cpu.id, memory.id])
        try await authority.admit(new)
        #expect(await authority.permissions.records(of: "app").isEmpty)
        #expect(await state(authority, token) == .invalidToken)
        #expect(await refusal { try await authority.renewRun(run) } == .notFound)
        let launch = await refusal {
            _ = try await authority.redeem(launchCode: code, nonce: nonce, for: .app("app"))
        }
        #expect(launch == .invalidToken)
        let (_, next) = try await authority.beginRun(of: "app")
        #expect(await state(authority, next) == .undecided)

        authority = try await fixture.open()
        #expect(await authority.permissions.records(of: "app").isEmpty)
        // Nor does the first app regain its own.
        try await authority.admit(old)
        #expect(await authority.status(of: old).undecided == [cpu.id, memory.id])
    }

    @Test
    func `a client identified before its app was replaced sees no decision about the new one`()
        async throws
    {
        let authority = try await fixture.open()
        try await authority.admit(app("one", [cpu]))
        try await authority.decide(.allowAlways, on: cpu.id, by: "app")
        let token = try await authority.beginRun(of: "app").token
        let client = try await authority.identify(token: token.text, name: nil)
        #expect(try await authority.records(for: client).map(\.privilege) == [cpu.id])
        try await authority.admit(app("two", [memory]))
        try await authority.decide(.allowAlways, on: memory.id, by: "app")
        #expect(
            await refusal { _ = try await authority.records(for: client) } == .invalidToken)
    }

    @Test func `another name inherits nothing`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app("one", [cpu]))
        try await authority.decide(.allowAlways, on: cpu.id, by: "app")
        let renamed = app("two", [cpu], name: "app-2")
        try await authority.admit(renamed)
        #expect(await authority.status(of: renamed).undecided == [cpu.id])
        #expect(await authority.permissions.records(of: "app").count == 1)
    }

    @Test func `decisions of an identity that a crash left behind do not apply`() async throws {
        var authority = try await fixture.open()
        try await authority.admit(app("one", [cpu]))
        try await authority.decide(.allowAlways, on: cpu.id, by: "app")
        // The files of the new app are in place, but the host died before it recorded them.
        authority = try await fixture.open()
        let new = app("two", [cpu])
        #expect(await authority.status(of: new).undecided == [cpu.id])
        try await authority.admit(new)
        let (_, token) = try await authority.beginRun(of: "app")
        #expect(await state(authority, token) == .undecided)
    }

    @Test func `rows of another identity are ignored`() async throws {
        var authority = try await fixture.open()
        try await authority.admit(app("one", [cpu]))
        try await authority.decide(.allowAlways, on: cpu.id, by: "app")
        try await AuthDatabase(path: fixture.path).queue.write { database in
            try database.execute(sql: "UPDATE permission SET identity = 'two'")
        }
        authority = try await fixture.open()
        #expect(await authority.permissions.records().isEmpty)
    }

    @Test func `an update keeps decisions and asks for new and wider privileges`() async throws {
        var authority = try await fixture.open()
        try await authority.admit(app("one", [cpuStats]))
        try await authority.decide(.allowAlways, on: cpuStats.id, by: "app")
        let update = app("one", [cpu, memory])
        let expected = await authority.status(of: update)
        #expect(expected.undecided == [cpu.id, memory.id])
        try await authority.admit(update)
        authority = try await fixture.open()
        #expect(await authority.status(of: update).undecided == [cpu.id, memory.id])
        let (_, token) = try await authority.beginRun(of: "app")
        // Until the owner has answered, it may do what it could before and no more.
        #expect(await state(authority, token) == .statisticsOnly)
    }

    @Test(arguments: [Decision.allowAlways, .statisticsOnly, .deny])
    func `an update that declares less asks nothing`(decision: Decision) async throws {
        let authority = try await fixture.open()
        try await authority.admit(app("one", [cpu]))
        try await authority.decide(decision, on: cpu.id, by: "app")
        let update = app("one", [cpuStats])
        try await authority.admit(update)
        let standing = await authority.status(of: update)
        #expect(standing.undecided.isEmpty)
        #expect(standing.denied == (decision == .deny ? [cpuStats.id] : []))
    }

    @Test func `a dropped privilege is asked for again when a later version declares it`()
        async throws
    {
        let authority = try await fixture.open()
        try await authority.admit(app("one", [cpu, memory]))
        try await authority.decide(.allowAlways, on: cpu.id, by: "app")
        try await authority.decide(.allowAlways, on: memory.id, by: "app")
        try await authority.admit(app("one", [cpuStats]))
        #expect(await authority.permissions.records(of: "app").map(\.privilege) == [cpuStats.id])
        let third = app("one", [cpu, memory])
        try await authority.admit(third)
        #expect(await authority.status(of: third).undecided == [cpu.id, memory.id])
    }

    @Test func `a difference that a crash prevented from being applied is applied later`()
        async throws
    {
        var authority = try await fixture.open()
        try await authority.admit(app("one", [cpu, memory]))
        try await authority.decide(.allowAlways, on: memory.id, by: "app")
        authority = try await fixture.open()
        let update = app("one", [cpu])
        let standing = await authority.status(of: update)
        #expect(standing.change?.items.map(\.kind) == [.unchanged, .removed])
        try await authority.admit(update)
        #expect(await authority.permissions.records(of: "app").isEmpty)
        authority = try await fixture.open()
        #expect(await authority.permissions.records(of: "app").isEmpty)
    }

    @Test func `an answer given in a run of a replaced app is discarded`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app("one", [cpu]))
        let (run, _) = try await authority.beginRun(of: "app")
        try await authority.admit(app("two", [cpu]))
        let code = await refusal {
            try await authority.decide(.allowAlways, on: cpu.id, by: "app", run: run)
        }
        #expect(code == .notFound)
        #expect(await authority.permissions.records(of: "app").isEmpty)
    }

    @Test func `an answer to a request of a replaced app is discarded`() async throws {
        let authority = try await fixture.open()
        try await authority.admitAskingApp(identity: "one")
        let (run, token) = try await authority.beginRun(of: "app")
        async let answer = state(authority, token)
        try await authority.untilAsked()
        try await authority.admit(app("two", [cpu]))
        #expect(await answer == .invalidToken)
        let late = await refusal {
            try await authority.decide(
                .allowAlways, on: cpu.id, by: "app", run: run, isAnswer: true)
        }
        #expect(late == .notFound)
        #expect(await authority.permissions.records(of: "app").isEmpty)
    }

    @Test func `decisions of an earlier version apply to the apps that it installed`() async throws
    {
        var authority = try await fixture.open()
        try await authority.admit(app: "app")
        try await authority.decide(.allowAlways, on: memory.id, by: "app")
        try await authority.decide(.allowAlways, on: cpu.id, by: "app")
        authority = try await fixture.open()
        let same = app("", [cpu, memory])
        #expect(await authority.status(of: same).undecided.isEmpty)
        // The library knows the declaration of the previous version.
        try await authority.admit(app("", [cpu]), before: [cpu, memory])
        #expect(await authority.permissions.records(of: "app").map(\.privilege) == [cpu.id])
        try await authority.admit(app("one", [cpu]))
        #expect(await authority.permissions.records(of: "app").isEmpty)
    }

    @Test func `an app cannot take the name of a client`() async throws {
        let authority = try await fixture.open()
        _ = try await authority.createClient("app", isOwner: false, expires: nil)
        #expect(await refusal { try await authority.admit(app("one", [cpu])) } == .nameTaken)
    }
}
