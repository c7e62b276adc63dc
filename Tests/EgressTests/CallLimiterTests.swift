import TestSupport
import Testing

@testable import Egress

struct CallLimiterTests {
    private static func wait(
        _ limiter: CallLimiter, _ client: String, _ limits: CallLimits
    ) async -> Duration? {
        do throws(EgressError) {
            try await limiter.begin(client, limits)
            return nil
        } catch {
            return error.retryAfter
        }
    }

    @Test func `calls of a client per minute are limited`() async throws {
        let time = ManualTime()
        let limiter = CallLimiter(time: time)
        let limits = CallLimits(perMinute: 3)
        for _ in 1...3 {
            #expect(await Self.wait(limiter, "one", limits) == nil)
            await limiter.end("one")
        }
        time.advance(by: .seconds(20))
        #expect(await Self.wait(limiter, "one", limits) == .seconds(40))
        #expect(await Self.wait(limiter, "two", limits) == nil)
        time.advance(by: .seconds(40))
        #expect(await Self.wait(limiter, "one", limits) == nil)
    }

    @Test func `concurrent calls of a client and of all clients are limited`() async throws {
        let limiter = CallLimiter()
        let limits = CallLimits()
        for client in ["one", "two", "three", "four"] {
            for _ in 1...4 { #expect(await Self.wait(limiter, client, limits) == nil) }
            #expect(await Self.wait(limiter, client, limits) == .seconds(1))
        }
        #expect(await Self.wait(limiter, "five", limits) == .seconds(1))
        await limiter.end("two")
        #expect(await Self.wait(limiter, "five", limits) == nil)
    }

    @Test func `a failed call no longer counts as concurrent`() async throws {
        struct Failure: Error {}
        let limiter = CallLimiter()
        let limits = CallLimits(concurrent: 1)
        for _ in 1...2 {
            await #expect(throws: Failure.self) {
                try await limiter.withCall(of: "one", limits) { throw Failure() }
            }
        }
    }
}
