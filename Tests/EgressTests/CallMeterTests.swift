import Synchronization
import Testing

@testable import Egress

struct CallMeterTests {
    private final class Clock: Sendable {
        private let value = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { value.withLock { $0 } }
        func advance(_ time: Duration) { value.withLock { $0 += time } }
    }

    private static func wait(_ meter: CallMeter, _ client: String, _ limits: FetchLimits) async
        -> Duration?
    {
        do throws(NetError) {
            try await meter.begin(client, limits)
            return nil
        } catch {
            return error.retryAfter
        }
    }

    @Test func `a client calls so often a minute`() async throws {
        let clock = Clock()
        let meter = CallMeter(now: { clock.now })
        var limits = FetchLimits()
        limits.perMinute = 3
        for _ in 1...3 {
            #expect(await Self.wait(meter, "one", limits) == nil)
            await meter.end("one")
        }
        clock.advance(.seconds(20))
        #expect(await Self.wait(meter, "one", limits) == .seconds(40))
        #expect(await Self.wait(meter, "two", limits) == nil)
        clock.advance(.seconds(40))
        #expect(await Self.wait(meter, "one", limits) == nil)
    }

    @Test func `a client has so many calls under way, and all of them a few more`() async throws {
        let meter = CallMeter()
        let limits = FetchLimits()
        for client in ["one", "two", "three", "four"] {
            for _ in 1...4 { #expect(await Self.wait(meter, client, limits) == nil) }
            #expect(await Self.wait(meter, client, limits) == .seconds(1))
        }
        #expect(await Self.wait(meter, "five", limits) == .seconds(1))
        await meter.end("two")
        #expect(await Self.wait(meter, "five", limits) == nil)
    }
}
