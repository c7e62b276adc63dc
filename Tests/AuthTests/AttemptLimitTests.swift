import Samples
import TestSupport
import Testing

@testable import Auth

struct AttemptLimitTests {
    private let fixture: AuthorityFixture
    private let authority: Authority

    init() async throws {
        fixture = try AuthorityFixture()
        authority = try await fixture.open()
    }

    private func attempt(_ token: String?) async -> AuthError? {
        do throws(AuthError) {
            _ = try await authority.identify(token: token, name: nil)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the eleventh invalid token within a minute is rate-limited`() async {
        for number in 1...10 {
            #expect(await attempt(Token().text)?.code == .invalidToken, "\(number)")
            fixture.clock.advance(by: .seconds(1))
        }
        let held = await attempt(Token().text)
        #expect(held?.code == .tooManyAttempts)
        #expect(held?.retryAfter == .seconds(50))
        fixture.clock.advance(by: .seconds(49))
        #expect(await attempt("nonsense")?.retryAfter == .seconds(1))
        fixture.clock.advance(by: .seconds(1))
        #expect(await attempt(Token().text)?.code == .invalidToken)
        #expect(await attempt(Token().text)?.code == .tooManyAttempts)
    }

    @Test func `valid tokens are never rate-limited`() async throws {
        let token = try await authority.createClient("curl", isOwner: false, expires: nil)
        for _ in 1...50 { _ = await attempt(Token().text) }
        #expect(await attempt(token.text) == nil)
        #expect(await attempt(authority.ownerToken.text) == nil)
        for _ in 1...50 { #expect(await attempt(token.text) == nil) }
    }

    @Test func `calls without a token are refused and do not count`() async {
        for _ in 1...30 { #expect(await attempt(nil)?.code == .missingToken) }
        #expect(await attempt(Token().text)?.code == .invalidToken)
    }

    @Test func `guessing fills neither the log nor the notices`() async throws {
        for _ in 1...500 { _ = await attempt(Token().text) }
        let refused = try await authority.log.entries(AccessLogQuery(limit: 1000))
        #expect(refused.map(\.calls) == [1, 10])
        #expect(refused.first?.reason?.contains("More than 10") == true)
    }

    @Test func `invalid launch codes count, too`() async throws {
        for _ in 1...10 {
            #expect(
                await refusal {
                    _ = try await authority.redeem(launchCode: "x", nonce: "y", for: .app("app"))
                }
                    == .invalidToken)
        }
        #expect(await attempt(Token().text)?.code == .tooManyAttempts)
    }

    @Test func `setting the clock back does not extend the wait`() async {
        for _ in 1...10 { _ = await attempt(Token().text) }
        fixture.clock.set(to: fixture.clock.now().advanced(by: .seconds(-3600)))
        #expect(await attempt(Token().text)?.code == .invalidToken)
    }
}
