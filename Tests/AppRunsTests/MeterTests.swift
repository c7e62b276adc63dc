import Foundation
import Samples
import Testing

@testable import AppRuns

/// Limits and counters, with given times.
struct MeterTests {
    @Test func `calls within any minute are bounded`() {
        let start = ContinuousClock.now
        var budget = RunBudget()
        budget.callsPerMinute = 3
        var meter = UsageMeter(budget)
        let within = [0, 30, 59, 59, 60, 61].map { meter.addCalls(1, at: start + .seconds($0)) }
        #expect(within == [true, true, true, false, true, false])
        #expect(meter.usage.calls == 6)
    }

    @Test func `bytes on the console within any minute are bounded`() {
        let start = ContinuousClock.now
        var budget = RunBudget()
        budget.logPerMinute = 100
        var meter = UsageMeter(budget)
        // Each line counts 32 bytes in addition to its text.
        let steps = [(68, 0), (0, 59), (68, 60), (0, 61)]
        let within = steps.map { meter.addLine($0, at: start + .seconds($1)) }
        #expect(within == [true, false, true, false])
        #expect(meter.usage.logged == 136)
    }

    @Test func `processor time is limited within any minute, not since the start`() {
        let start = ContinuousClock.now
        var meter = ProcessorMeter(limit: .seconds(5))
        // A minute after the first four seconds, only later usage counts.
        let steps = [(100, 0), (104, 10), (106, 20), (107, 71)]
        let seen = steps.map { cpu, time in
            let isWithin = meter.add(.seconds(cpu), at: start + .seconds(time))
            return isWithin ? meter.remaining : nil
        }
        #expect(seen == [.seconds(5), .seconds(1), nil, .seconds(2)])
    }

    @Test(arguments: ["demo", "a (b) c", ")", "x) R 1 2 3 (y", ""])
    func `statistics are read for any process name`(name: String) throws {
        let rest = "S 1 2 3 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 2 0 12345 99999999 1000 18446744"
        let statistics = try #require(ProcessStatistics("42 (\(name)) \(rest)"))
        #expect(statistics.cpu == .seconds(3))
        #expect(statistics.resident == 1000 * sysconf(Int32(_SC_PAGESIZE)))
    }

    @Test(arguments: [
        "", "1 (x) S 1 2", "no parenthesis", "1 (x) S a b c d e f g h i j k l m n o p q r s t u v",
    ])
    func `invalid statistics are rejected`(text: String) {
        #expect(ProcessStatistics(text) == nil)
    }

    @Test func `statistics exist for a running process only`() throws {
        let own = try #require(ProcessStatistics(of: getpid()))
        #expect(own.resident > 1 << 20)
        #expect(ProcessStatistics(of: .max) == nil)
    }

    @Test func `restart delays double until the policy gives up`() {
        var policy = RestartPolicy()
        policy.failures = 4
        let now = ContinuousClock.now
        var failures: [ContinuousClock.Instant] = []
        var waits: [Duration?] = []
        for number in 0..<4 {
            failures.append(now + .seconds(number))
            waits.append(policy.wait(after: failures))
        }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), nil])
        // Failures before the window are ignored.
        failures.append(now + policy.window + .seconds(10))
        #expect(policy.wait(after: failures) == .seconds(1))
    }

    @Test func `no delay exceeds the maximum`() {
        var policy = RestartPolicy()
        policy.failures = 1000
        let failures = [ContinuousClock.Instant](repeating: .now, count: 200)
        #expect(policy.wait(after: failures) == policy.longest)
    }

    @Test func `the newest events are kept, bounded in number and bytes`() {
        var recent = RecentEvents()
        for number in Int64(0)..<1000 {
            recent.add(
                .console(level: .log, text: "\(number)"), at: Timestamp(microseconds: number))
        }
        #expect(recent.events.count == 200)
        #expect(recent.events.last?.event == .console(level: .log, text: "999"))
        #expect(recent.events.last?.time == Timestamp(microseconds: 999))
        let large = String(repeating: "x", count: 30 << 10)
        for _ in 0..<10 { recent.add(.console(level: .log, text: large), at: .now()) }
        #expect(recent.events.count == 2)
        recent.add(.uncaught(message: large + large + large, location: nil, stack: ""), at: .now())
        #expect(recent.events.count == 1)
    }

    @Test func `a normal end of a run keeps the zygote, any other end replaces it`() {
        let kept: [RunOutcome] = [
            .finished(code: 1), .stopped, .exceeded(.turn), .exceeded(.cpu), .failedToStart(""),
        ]
        let renewed: [RunOutcome] = [
            .crashed(signal: 11), .sandboxViolation, .protocolViolation(""), .unresponsive,
            .exceeded(.memory),
        ]
        #expect(kept.filter { !$0.isOrdinary } == [])
        #expect(renewed.filter(\.isOrdinary) == [])
    }
}
