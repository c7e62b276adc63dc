import Foundation
import Samples
import TestSupport
import Testing

@testable import Auth

/// Sessions of the owner's dashboard: how they begin, what they may do, and how they end.
struct DashboardSessionTests {
    private let fixture: AuthorityFixture

    init() throws { fixture = try AuthorityFixture() }

    private func begin(_ authority: Authority) async throws -> String {
        let code = try await authority.launchCode(for: .dashboard)
        return try await authority.redeem(
            launchCode: code, nonce: authority.pageNonce(for: .dashboard), for: .dashboard
        ).text
    }

    private func identify(_ token: String, _ authority: Authority) async -> AuthError.Code? {
        await refusal { _ = try await authority.identify(token: token, name: nil) }
    }

    @Test func `a session begins with a code and a nonce of the dashboard only`() async throws {
        let authority = try await fixture.open()
        try await authority.admit(app: "dashboard-of-mine")
        let app = LaunchedPage.app("dashboard-of-mine")
        func redeem(
            code: LaunchedPage, nonce: LaunchedPage, at place: LaunchedPage?
        ) async throws -> AuthError.Code? {
            let code = try await authority.launchCode(for: code)
            let nonce = await authority.pageNonce(for: nonce)
            return await refusal {
                _ = try await authority.redeem(launchCode: code, nonce: nonce, for: place)
            }
        }
        #expect(try await redeem(code: .dashboard, nonce: .dashboard, at: .dashboard) == nil)
        for (code, nonce, place) in [
            (LaunchedPage.dashboard, LaunchedPage.dashboard, app as LaunchedPage?),
            (.dashboard, .dashboard, nil), (.dashboard, app, .dashboard), (app, app, .dashboard),
            (app, .dashboard, .dashboard), (.dashboard, app, app), (app, app, nil),
        ] {
            let refused = try await redeem(code: code, nonce: nonce, at: place)
            #expect(refused == .invalidToken, "\(code) \(nonce) \(String(describing: place))")
        }
        #expect(await authority.dashboardSessions(for: nil).count == 1)
    }

    @Test func `a code is valid once, for 60 seconds, and not after all sessions were ended`()
        async throws
    {
        let authority = try await fixture.open()
        func redeem(_ code: String) async -> AuthError.Code? {
            await refusal {
                _ = try await authority.redeem(
                    launchCode: code, nonce: authority.pageNonce(for: .dashboard), for: .dashboard)
            }
        }
        let code = try await authority.launchCode(for: .dashboard)
        #expect(await redeem(code) == nil)
        #expect(await redeem(code) == .invalidToken)
        let late = try await authority.launchCode(for: .dashboard)
        fixture.clock.advance(by: .seconds(60))
        #expect(await redeem(late) == .invalidToken)
        let locked = try await authority.launchCode(for: .dashboard)
        #expect(await authority.hasLaunchCode(for: .dashboard))
        await authority.endDashboardSessions()
        #expect(await !authority.hasLaunchCode(for: .dashboard))
        #expect(await redeem(locked) == .invalidToken)
    }

    @Test func `its token is an owner's, has no name and is in no list`() async throws {
        let authority = try await fixture.open()
        // An app and a token of these names are other clients.
        try await authority.admit(app: "load-watch")
        let token = try await begin(authority)
        try await authority.checkOwner(token: token, name: nil, operation: "status")
        #expect(await authority.isOwner(token: token))
        #expect(await authority.isOfDashboard(token: token))
        #expect(await !authority.isOfDashboard(token: authority.ownerToken.text))
        for name in ["dashboard", "owner", "load-watch"] {
            let refused = await refusal {
                _ = try await authority.identify(token: token, name: name)
            }
            #expect(refused == .nameMismatch, "\(name)")
        }
        #expect(await authority.clientTokens().isEmpty)
        #expect(await authority.runs.isEmpty)
        #expect(await refusal { try await authority.revokeClient("dashboard") } == .notFound)
        #expect(await identify(token, authority) == nil)
        let created = await refusal {
            _ = try await authority.createClient("dashboard", isOwner: true, expires: nil)
        }
        #expect(created == .nameTaken)
        // Its calls are the owner's in the log.
        let entries = try await authority.log.entries(AccessLogQuery())
        let made = try #require(entries.first { $0.kind == .tokenCreated })
        #expect(made.client == "dashboard")
        #expect(made.detail == "of an owner")
        #expect(!entries.contains { "\($0)".contains(token) })
    }

    @Test func `a session ends alone, with all others, unused, and with the host`()
        async throws
    {
        let authority = try await fixture.open()
        let tokens = [
            try await begin(authority), try await begin(authority), try await begin(authority),
        ]
        let listed = await authority.dashboardSessions(for: tokens[1])
        #expect(listed.count == 3)
        #expect(listed.count { $0.isCallers } == 1)
        try await authority.endDashboardSession(token: tokens[0])
        #expect(await identify(tokens[0], authority) == .invalidToken)
        for token in [tokens[0], authority.ownerToken.text, "x", nil] {
            let again = await refusal { try await authority.endDashboardSession(token: token) }
            #expect(again == .notFound)
        }
        let day = 24 * 3600
        fixture.clock.advance(by: .seconds(29 * day))
        #expect(await identify(tokens[1], authority) == nil)
        fixture.clock.advance(by: .seconds(29 * day))
        #expect(await identify(tokens[1], authority) == nil)
        #expect(await identify(tokens[2], authority) == .invalidToken)
        #expect(await authority.dashboardSessions(for: nil).count == 1)
        #expect(await authority.endDashboardSessions() == 1)
        #expect(await identify(tokens[1], authority) == .invalidToken)
        let last = try await begin(authority)
        let next = try await fixture.open()
        #expect(await identify(last, next) == .invalidToken)
        #expect(await next.dashboardSessions(for: nil).isEmpty)
    }

    @Test func `of more than 64 sessions the least recently used ends`() async throws {
        let authority = try await fixture.open()
        var tokens: [String] = []
        for _ in 0..<64 {
            fixture.clock.advance(by: .seconds(1))
            tokens.append(try await begin(authority))
        }
        fixture.clock.advance(by: .seconds(1))
        #expect(await identify(tokens[0], authority) == nil)
        fixture.clock.advance(by: .seconds(1))
        let last = try await begin(authority)
        #expect(await authority.dashboardSessions(for: nil).count == 64)
        #expect(await identify(tokens[1], authority) == .invalidToken)
        for token in [tokens[0], tokens[2], last] {
            #expect(await identify(token, authority) == nil)
        }
    }
}
