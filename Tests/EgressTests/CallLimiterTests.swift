import TestSupport
import Testing

@testable import Egress

struct CallLimiterTests {
    private static func wait(
        _ limiter: CallLimiter, _ client: String, _ limits: CallLimits
    ) async -> Duration? {
        do throws(EgressError) {
            _ = try await limiter.begin(client, limits)
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
            await limiter.end(try await limiter.begin("one", limits))
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
        var last: UInt64 = 0
        for client in ["one", "two", "three", "four"] {
            for _ in 1...4 { last = try await limiter.begin(client, limits) }
            #expect(await Self.wait(limiter, client, limits) == .seconds(1))
        }
        #expect(await Self.wait(limiter, "five", limits) == .seconds(1))
        await limiter.end(last)
        #expect(await Self.wait(limiter, "five", limits) == nil)
    }

    @Test func `a stream counts as a stream and no longer as a call`() async throws {
        let limiter = CallLimiter()
        let limits = CallLimits(concurrent: 1)
        var streams: [UInt64] = []
        for _ in 1...CallLimits.streams {
            let id = try await limiter.begin("one", limits)
            try await limiter.turn(id, into: .events)
            streams.append(id)
        }
        let call = try await limiter.begin("one", limits)
        let error = await #expect(throws: EgressError.self) {
            try await limiter.turn(call, into: .events)
        }
        #expect(error?.code == .tooManyCalls)
        // It is a call still, and WebSockets have a limit of their own.
        #expect(await Self.wait(limiter, "one", limits) == .seconds(1))
        try await limiter.turn(call, into: .webSocket)
        let next = try await limiter.begin("one", limits)
        await limiter.end(streams[0])
        try await limiter.turn(next, into: .events)
    }

    @Test func `a failed call no longer counts as concurrent`() async throws {
        struct Failure: Error {}
        let limiter = CallLimiter()
        let limits = CallLimits(concurrent: 1)
        for _ in 1...2 {
            await #expect(throws: Failure.self) {
                try await limiter.withCall(of: "one", limits) { _ in throw Failure() }
            }
        }
    }
}
