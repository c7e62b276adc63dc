import Samples
import Testing

@testable import Auth

/// Grants that apply only in the foreground.
struct ForegroundRunTests {
    private let fixture: AuthorityFixture
    private let cpu = PrivilegeID.sensor("cpu", .raw)

    init() throws {
        fixture = try AuthorityFixture()
    }

    private func check(
        _ authority: Authority, _ token: Token, _ access: Access = .raw
    ) async -> AuthError.Code? {
        let code = await refusal {
            _ = try await authority.checkApp(
                token: token.text, name: nil, requested: AccessRequest("test", of: "cpu", access))
        }
        // The app asks at first use; this is decided, so the owner is not asked.
        #expect(await authority.pendingRequests().isEmpty)
        return code
    }

    private func app(background: Bool) async throws -> Authority {
        let authority = try await fixture.open(timeLimit: .zero)
        try await authority.admitAskingApp()
        try await authority.decide(
            .allow(Terms(access: .raw, background: background)), on: cpu, by: "app")
        return authority
    }

    @Test(arguments: [true, false], [true, false])
    func `a grant without background applies only to foreground runs`(
        background: Bool, isForeground: Bool
    ) async throws {
        let authority = try await app(background: background)
        let (_, token) = try await authority.beginRun(of: "app", isForeground: isForeground)
        for access in [Access.raw, .stats] {
            let code = await check(authority, token, access)
            #expect(code == (background || isForeground ? nil : .notInBackground))
        }
    }

    @Test func `an open page is in the foreground, a program of the owner is not`() async throws {
        let authority = try await app(background: false)
        let code = try await authority.launchCode(for: .app("app"))
        let page = try await authority.redeem(
            launchCode: code, nonce: authority.pageNonce(for: .app("app")),
            for: .app("app"))
        #expect(await check(authority, page) == nil)
        let program = try await authority.createClient("curl", isOwner: false, expires: nil)
        try await authority.decide(
            .allow(Terms(access: .raw, background: false)), on: cpu, by: "curl")
        #expect(await check(authority, program) == .notInBackground)
    }

    @Test func `renewing a background run does not make it a foreground run`() async throws {
        let authority = try await app(background: false)
        let (run, token) = try await authority.beginRun(of: "app", isForeground: false)
        try await authority.renewRun(run)
        #expect(await check(authority, token) == .notInBackground)
    }

    @Test func `a change of the term affects the next call, and the refusal is logged`()
        async throws
    {
        let authority = try await app(background: true)
        let (_, token) = try await authority.beginRun(of: "app", isForeground: false)
        #expect(await check(authority, token) == nil)
        try await authority.decide(
            .allow(Terms(access: .raw, background: false)), on: cpu, by: "app")
        #expect(await check(authority, token) == .notInBackground)
        let line = try await authority.log.entries(AccessLogQuery()).first
        #expect(line?.outcome == .refused)
        #expect(line?.reason?.contains("while you watch") == true)
        let client = try await authority.identify(token: token.text, name: nil)
        #expect(await authority.permissions.permission(of: client, for: "cpu") == .denied)
        try await authority.decide(.allowAlways, on: cpu, by: "app")
        #expect(await check(authority, token) == nil)
    }

    @Test func `a foreground-only grant counts as decided and is not asked again`() async throws {
        let authority = try await app(background: false)
        let declared = Privilege(.sensor("cpu", .raw), reason: "r")
        #expect(await authority.permissions.undecided([declared], by: "app").isEmpty)
        #expect(await !authority.permissions.isDenied(declared, to: "app"))
    }
}
