import AppStorage
import Samples
import TestSupport
import Testing

@testable import Auth

struct IdentifyTests {
    private let fixture: AuthorityFixture
    private let authority: Authority

    init() async throws {
        fixture = try AuthorityFixture()
        authority = try await fixture.open()
        try await authority.admit(app: "app")
        try await authority.admit(app: "other")
    }

    private func identify(_ token: String?, as name: String? = nil) async -> AuthError.Code? {
        await refusal { _ = try await authority.identify(token: token, name: name) }
    }

    @Test func `only a valid token, used by its own client, identifies the caller`() async throws {
        let token = try await authority.beginRun(of: "app").token.text
        #expect(await identify(token) == nil)
        #expect(await identify(token, as: "app") == nil)
        #expect(await identify(nil) == .missingToken)
        #expect(await identify(String(token.dropLast())) == .invalidToken)
        #expect(await identify(Token().text) == .invalidToken)
        #expect(await identify(token, as: "other") == .nameMismatch)
        #expect(await identify(authority.ownerToken.text, as: "app") == .nameMismatch)
    }

    @Test func `each mismatch is one entry in the log and one notice`() async throws {
        let token = try await authority.beginRun(of: "app").token.text
        _ = await identify(nil)
        _ = await identify(Token().text)
        _ = await identify(token, as: "other")
        let lines = try await authority.log.entries(AccessLogQuery(onlyRefused: true))
        #expect(lines.map(\.client) == ["app", nil, nil])
        let (notices, watcher) = await authority.noticeBoard.watch(after: 0)
        await authority.noticeBoard.unwatch(watcher)
        let messages: [String] = await notices.reduce(into: []) { messages, notice in
            if case .refusal(let message, _) = notice.content { messages.append(message) }
        }
        #expect(messages == lines.reversed().map(\.reason))
        for line in lines { #expect(line.reason?.contains(token) == false) }
    }

    /// The number of notices so far.
    private func posted() async -> Int {
        let (notices, watcher) = await authority.noticeBoard.watch(after: 0)
        await authority.noticeBoard.unwatch(watcher)
        return await notices.reduce(0) { count, _ in count + 1 }
    }

    @Test
    func `calls without a token cause ten notices a minute, and all are in the log`()
        async throws
    {
        for _ in 0..<50 {
            _ = await refusal { _ = try await authority.identify(token: nil, name: nil) }
        }
        #expect(await posted() == NoticeBoard.perMinute + 1)
        fixture.clock.advance(by: .seconds(60))
        _ = await refusal { _ = try await authority.identify(token: nil, name: nil) }
        #expect(await posted() == NoticeBoard.perMinute + 2)
        let lines = try await authority.log.entries(AccessLogQuery(kind: .notice))
        #expect(lines.reduce(0) { $0 + $1.calls } == 51)
    }

    @Test func `only owners' tokens are accepted as the owner's`() async throws {
        let app = try await authority.beginRun(of: "app").token
        let client = try await authority.createClient("curl", isOwner: false, expires: nil)
        let owner = try await authority.createClient("desk", isOwner: true, expires: nil)
        func check(_ token: Token) async -> AuthError.Code? {
            await refusal {
                try await authority.checkOwner(token: token.text, name: nil, operation: "apps")
            }
        }
        #expect(await check(app) == .ownerOnly)
        #expect(await check(client) == .ownerOnly)
        #expect(await check(owner) == nil)
        #expect(await check(authority.ownerToken) == nil)
        let lines = try await authority.log.entries(AccessLogQuery(onlyRefused: true))
        #expect(lines.map(\.client) == ["curl", "app"])
    }

    @Test func `a token expires exactly at its time`() async throws {
        let end = fixture.clock.now().advanced(byMicroseconds: 1_000_000)
        let token = try await authority.createClient("curl", isOwner: false, expires: end)
        fixture.clock.advance(by: .microseconds(999_999))
        #expect(await identify(token.text) == nil)
        fixture.clock.advance(by: .microseconds(1))
        #expect(await identify(token.text) == .invalidToken)
    }

    @Test func `the token of a run is valid for an hour unless renewed`() async throws {
        let (run, token) = try await authority.beginRun(of: "app")
        for _ in 1...3 {
            fixture.clock.advance(by: .seconds(3599))
            #expect(await identify(token.text) == nil)
            try await authority.renewRun(run)
        }
        fixture.clock.advance(by: .seconds(3600))
        #expect(await identify(token.text) == .invalidToken)
        #expect(await refusal { try await authority.renewRun("gone") } == .notFound)
    }

    private func redeem(
        _ code: String, page: String, _ name: String?
    ) async -> AuthError.Code? {
        await refusal {
            _ = try await authority.redeem(
                launchCode: code, nonce: page, for: name.map(LaunchedPage.app))
        }
    }

    @Test func `a launch code is valid once, for 60 seconds and for its app`() async throws {
        func redeem(_ code: String, _ name: String?) async -> AuthError.Code? {
            await self.redeem(code, page: authority.pageNonce(for: .app("app")), name)
        }
        let used = try await authority.launchCode(for: .app("app"))
        #expect(await redeem(used, "app") == nil)
        #expect(await redeem(used, "app") == .invalidToken)
        let foreign = try await authority.launchCode(for: .app("app"))
        #expect(await redeem(foreign, "other") == .invalidToken)
        #expect(await redeem(foreign, "app") == .invalidToken)
        #expect(
            await redeem(try await authority.launchCode(for: .app("app")), nil) == .invalidToken)
        let old = try await authority.launchCode(for: .app("app"))
        fixture.clock.advance(by: .seconds(60))
        #expect(await redeem(old, "app") == .invalidToken)
        #expect(
            await refusal { _ = try await authority.launchCode(for: .app("none")) } == .notFound)
    }

    @Test func `a launch code is redeemed only with the nonce of a page of its app`() async throws {
        func redeem(with page: String) async throws -> AuthError.Code? {
            await self.redeem(try await authority.launchCode(for: .app("app")), page: page, "app")
        }
        let used = await authority.pageNonce(for: .app("app"))
        #expect(try await redeem(with: used) == nil)
        #expect(try await redeem(with: used) == .invalidToken)
        #expect(try await redeem(with: authority.pageNonce(for: .app("other"))) == .invalidToken)
        for page in ["", "x", Token().text, authority.ownerToken.text] {
            #expect(try await redeem(with: page) == .invalidToken)
        }
        // Neither the code itself nor another code is accepted as the nonce.
        let code = try await authority.launchCode(for: .app("app"))
        #expect(await self.redeem(code, page: code, "app") == .invalidToken)
        #expect(try await redeem(with: authority.launchCode(for: .app("app"))) == .invalidToken)
        let old = await authority.pageNonce(for: .app("app"))
        fixture.clock.advance(by: .seconds(60))
        #expect(try await redeem(with: old) == .invalidToken)
    }

    @Test func `a launch code is pending for 60 seconds or until the first attempt to redeem it`()
        async throws
    {
        #expect(await !authority.hasLaunchCode(for: .app("app")))
        let code = try await authority.launchCode(for: .app("app"))
        #expect(await authority.hasLaunchCode(for: .app("app")))
        #expect(await !authority.hasLaunchCode(for: .app("other")))
        #expect(await redeem(code, page: "x", "app") == .invalidToken)
        #expect(await !authority.hasLaunchCode(for: .app("app")))
        _ = try await authority.launchCode(for: .app("app"))
        fixture.clock.advance(by: .seconds(60))
        #expect(await !authority.hasLaunchCode(for: .app("app")))
    }

    @Test func `a launch code and a nonce become invalid when their app is removed`() async throws {
        let code = try await authority.launchCode(for: .app("app"))
        let nonce = await authority.pageNonce(for: .app("app"))
        try await authority.forget(client: "app")
        try await authority.admit(app: "app")
        #expect(
            await redeem(code, page: authority.pageNonce(for: .app("app")), "app") == .invalidToken)
        let next = try await authority.launchCode(for: .app("app"))
        #expect(await redeem(next, page: nonce, "app") == .invalidToken)
    }

    @Test func `a name belongs to one client`() async throws {
        _ = try await authority.createClient("curl", isOwner: false, expires: nil)
        func create(_ name: String) async -> AuthError.Code? {
            await refusal {
                _ = try await authority.createClient(name, isOwner: true, expires: nil)
            }
        }
        #expect(await create("curl") == .nameTaken)
        #expect(await create("app") == .nameTaken)
        #expect(await create("owner") == .nameTaken)
        #expect(await refusal { try await authority.admit(app: "curl") } == .nameTaken)
        #expect(await refusal { try await authority.admit(app: "app") } == nil)
        #expect(await refusal { try await authority.revokeClient("app") } == .notFound)
    }
}
