import Ingest
import Samples
import Testing
import VM

@testable import Connectors

/// Behaviour of supervised sources with any connector.
struct SourceTests {
    /// 2026-03-01T12:00:00Z.
    static let start = Timestamp(microseconds: 1_772_366_400_000_000)

    /// Lines of one number.
    static func maker(
        kind: Field.Kind = .number, takesOnlyChanges: Bool = false
    ) throws -> SampleMaker {
        try SampleMaker(
            format: .plain, names: ["v"], rules: [FieldRule(Field("v", kind: kind))],
            takesOnlyChanges: takesOnlyChanges)
    }

    private static func source(
        _ connector: ScriptedConnector, _ clock: InstantClock, highestRate: Double = 1e6
    ) throws -> SupervisedSource {
        SupervisedSource(
            connector, maker: try maker(), highestRate: highestRate,
            time: ScriptedTime(clock: { clock.now }, wait: clock.sleep))
    }

    private static func reach(_ event: String, of connector: ScriptedConnector) async {
        for await next in connector.events where next == event { return }
    }

    @Test func `a source reconnects, with a longer wait after each failure`()
        async throws
    {
        let clock = InstantClock()
        let connector = ScriptedConnector(
            clock,
            [
                [.connected, .line("1"), .fail("It was unplugged.")], [.fail("It is not there.")],
                [.fail("It is not there.")], [.connected, .line("2")],
                [.fail("It is broken.")], [.connected, .line("3")],
            ])
        let source = try Self.source(connector, clock)
        #expect(source.report == SourceReport())
        var samples: [Value] = []
        for try await sample in source.samples() {
            samples += sample.values
            if samples.count == 3 { break }
        }
        #expect(samples == [.number(1), .number(2), .number(3)])
        // A successful connection resets the wait.
        let due: [Double] = [1, 2, 4, 1, 2]
        #expect(clock.waits.count == due.count)
        for (wait, due) in zip(clock.waits, due) {
            #expect((Duration.seconds(due * 0.8)...Duration.seconds(due * 1.2)).contains(wait))
        }
        await Self.reach("done", of: connector)
        let report = try #require(source.report)
        #expect(report.connections == 3)
        #expect(report.received == 3)
        #expect(report.accepted == 3)
    }

    @Test
    func `an unreachable source is tried about once a minute, and its state gives the reason`()
        async throws
    {
        let clock = InstantClock()
        let tries = [[ScriptedConnector.Step]](repeating: [.fail("It is not there.")], count: 20)
        let connector = ScriptedConnector(clock, tries + [[]])
        let source = try Self.source(connector, clock)
        let samples = source.samples()
        await Self.reach("done", of: connector)
        #expect(clock.waits.count == 20)
        #expect(clock.waits.allSatisfy { $0 <= .seconds(72) })
        #expect(clock.waits.suffix(10).allSatisfy { $0 >= .seconds(48) })
        let report = try #require(source.report)
        #expect(report.link == .connecting)
        #expect(report.problem == "It is not there.")
        #expect(report.connections == 0)
        withExtendedLifetime(samples) {}
    }

    @Test func `the state of the connection is reported, and a problem until it is resolved`()
        async throws
    {
        let clock = InstantClock()
        let connector = ScriptedConnector(
            clock, [[.connected, .warn("It is slow.")], [.connected], []])
        let source = try Self.source(connector, clock)
        let samples = source.samples()
        await Self.reach("done", of: connector)
        #expect(source.report?.link == .connecting)
        #expect(source.report?.problem == "the device ended the connection.")
        #expect(source.report?.connections == 2)
        withExtendedLifetime(samples) {}
    }

    @Test func `messages above the highest rate are dropped and counted`() async throws {
        let clock = InstantClock()
        let flood = [ScriptedConnector.Step](repeating: .line("1"), count: 100)
        let connector = ScriptedConnector(
            clock, [[.connected] + flood + [.pass(.milliseconds(500))] + flood])
        let source = try Self.source(connector, clock, highestRate: 10)
        let samples = source.samples()
        await Self.reach("done", of: connector)
        let report = try #require(source.report)
        #expect(report.received == 200)
        #expect(report.accepted == 15)
        #expect(report.dropped.excess == 185)
        withExtendedLifetime(samples) {}
    }

    @Test func `a clock that is set back does not raise the rate limit`() {
        var limit = TokenBucket(rate: 2)
        let later = Self.start.advanced(byMicroseconds: 10_000_000)
        #expect((0..<5).filter { _ in limit.admit(at: later) }.count == 2)
        #expect((0..<5).filter { _ in limit.admit(at: Self.start) }.count == 0)
        let half = Self.start.advanced(byMicroseconds: 500_000)
        #expect((0..<5).filter { _ in limit.admit(at: half) }.count == 1)
    }

    @Test func `unread samples are buffered up to a limit, and the rest counted`() async throws {
        let clock = InstantClock()
        let lines = (0..<5000).map { ScriptedConnector.Step.line("\($0)") }
        let connector = ScriptedConnector(clock, [[.connected] + lines])
        let source = try Self.source(connector, clock)
        let samples = source.samples()
        await Self.reach("done", of: connector)
        #expect(source.report?.accepted == 4096)
        #expect(source.report?.dropped.excess == 904)
        var buffered: [Value] = []
        for try await sample in samples {
            buffered += sample.values
            if buffered.count == 4096 { break }
        }
        #expect(buffered == (0..<4096).map { .number(Double($0)) })
    }

    @Test func `a cancelled source is closed and can be started again`()
        async throws
    {
        let clock = InstantClock()
        let connector = ScriptedConnector(clock, [[.connected, .line("1")]])
        let source = try Self.source(connector, clock)
        for try await _ in source.samples() { break }
        await Self.reach("closed", of: connector)
        #expect(connector.open == 0)
        #expect(connector.begun == 1)
        let again = source.samples()
        await Self.reach("done", of: connector)
        #expect(connector.open == 1)
        #expect(clock.waits.isEmpty)
        withExtendedLifetime(again) {}
    }

    @Test func `every line is counted once, by its outcome`() async throws {
        let clock = InstantClock()
        let connector = ScriptedConnector(
            clock, [[.connected] + ["1", "one", "", "2", "nan"].map { .line($0) }])
        let source = try Self.source(connector, clock)
        let samples = source.samples()
        await Self.reach("done", of: connector)
        let report = try #require(source.report)
        #expect(report.received == 5)
        #expect(report.accepted == 2)
        #expect(report.dropped.malformed == 3)
        #expect(report.received == report.accepted + report.dropped.total)
        withExtendedLifetime(samples) {}
    }
}
