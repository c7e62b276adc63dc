import Samples
import Scheduling
import Testing

struct RateLimiterTests {
    private let start = Timestamp(microseconds: 1_000_000_000)

    private func at(_ seconds: Double) -> Timestamp {
        start.advanced(by: .microseconds(Int64(seconds * 1e6)))
    }

    @Test func `the limit is admitted immediately, and the next unit must wait`() {
        var limiter = RateLimiter<Timestamp>(3, per: .seconds(60))
        for _ in 0..<3 { #expect(limiter.admit(at: at(0)) == nil) }
        #expect(limiter.admit(at: at(20)) == .seconds(40))
        #expect(limiter.admit(at: at(59.999)) == .milliseconds(1))
        #expect(limiter.admit(at: at(60)) == nil)
    }

    @Test func `a refused attempt does not lengthen the wait`() {
        var limiter = RateLimiter<Timestamp>(1, per: .seconds(10))
        #expect(limiter.admit(at: at(0)) == nil)
        for second in 1..<10 {
            #expect(limiter.admit(at: at(Double(second))) == .seconds(10 - second))
        }
        #expect(limiter.admit(at: at(10)) == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `no window ever has more than the limit`(seed: UInt64) {
        var state = seed &* 6_364_136_223_846_793_005 &+ 1
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var limiter = RateLimiter<Timestamp>(7, per: .seconds(5))
        var now = start
        var admitted: [(Timestamp, Int)] = []
        for _ in 0..<2_000 {
            now = now.advanced(by: .milliseconds(Int64(random(900))))
            let units = Int(1 + random(3))
            if limiter.admit(units, at: now) == nil { admitted.append((now, units)) }
            let recent = admitted.filter { $0.0.advanced(by: .seconds(5)) > now }
            #expect(recent.reduce(0) { $0 + $1.1 } <= 7, "seed \(seed)")
        }
    }

    @Test func `a clock that is set back does not block`() {
        var limiter = RateLimiter<Timestamp>(1, per: .seconds(60))
        #expect(limiter.admit(at: at(3_600)) == nil)
        #expect(limiter.isIdle(at: at(0)))
        #expect(limiter.admit(at: at(0)) == nil)
        #expect(limiter.admit(at: at(1)) == .seconds(59))
    }

    @Test func `reservations beyond the limit are a window apart`() {
        var limiter = RateLimiter<Timestamp>(2, per: .seconds(60))
        let waits = (0..<6).map { _ in limiter.reserve(at: at(0)) }
        #expect(waits == [0, 0, 60, 60, 120, 120].map { .seconds($0) })
        #expect(limiter.reserve(at: at(130)) == .seconds(50))
    }

    @Test func `more than the limit is never admitted at once`() {
        var limiter = RateLimiter<Timestamp>(5, per: .seconds(1))
        #expect(limiter.admit(6, at: at(0)) == .seconds(1))
        #expect(limiter.admit(5, at: at(0)) == nil)
    }
}
