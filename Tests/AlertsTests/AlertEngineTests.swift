import API
import Samples
import Scheduling
import TestSupport
import Testing

@testable import Alerts

struct AlertEngineTests {
    private static let down = AlertDeliveryError("The server is down.", isPermanent: false)

    private static func hooked(_ change: (inout AlertDefinition) -> Void = { _ in }) throws
        -> AlertRule
    {
        try AlertRule.make { definition in
            definition.webhook = .init(url: "http://127.0.0.1:9/hook", tokenFile: "/run/token")
            (definition.coverage, definition.notify) = (0, true)
            change(&definition)
        }
    }

    /// A random curve about the threshold.
    private static func fill(_ source: MemorySource, seconds: Int, seed: UInt64) {
        var random = SplitMix(state: seed)
        var level = 10.0
        for second in 0..<seconds {
            level = min(max(level + .random(in: -1...1, using: &random), 5), 15)
            source.add(level, at: .noon.after(seconds: Double(second)))
        }
    }

    // MARK: - Rules

    @Test func `rules are stored, replaced, disabled and removed`() async throws {
        let fixture = try EngineFixture()
        var engine = try await fixture.open()
        #expect(try await engine.put(.make("one"), replacing: false))
        #expect(try await engine.put(.make("two") { $0.title = "Two" }, replacing: true))
        let taken = await #expect(throws: AlertsError.self) {
            _ = try await engine.put(.make("one"), replacing: false)
        }
        #expect(taken?.code == .nameTaken)
        #expect(try await !engine.put(.make("one") { $0.above = 20 }, replacing: true))
        try await engine.setEnabled(false, "two")
        engine = try await fixture.open()
        let statuses = try await engine.statuses()
        #expect(statuses.map(\.rule.name) == ["one", "two"])
        #expect(statuses.map(\.isEnabled) == [true, false])
        #expect(statuses[0].rule.threshold.limit == 20)
        #expect(statuses[1].rule.definition.title == "Two")
        try await engine.remove("one")
        let missing = await #expect(throws: AlertsError.self) { try await engine.remove("one") }
        #expect(missing?.code == .notFound)
        #expect(try await fixture.open().statuses().map(\.rule.name) == ["two"])
    }

    @Test func `a disabled rule is not evaluated, and begins anew when it is enabled`()
        async throws
    {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(.make { $0.coverage = 0 }, replacing: false)
        Self.fill(fixture.source, seconds: 0, seed: 1)
        for second in 0..<600 { fixture.source.add(20, at: .noon.after(seconds: Double(second))) }
        await fixture.run(engine, seconds: 20)
        try await engine.setEnabled(false, "rule")
        #expect(try await engine.status(of: "rule").state.phase == .ok)
        await fixture.run(engine, seconds: 60)
        #expect(try await engine.history().count == 1)
        try await engine.setEnabled(true, "rule")
        await fixture.run(engine, seconds: 20)
        #expect(try await engine.history().map(\.kind) == [.fired, .fired])
    }

    @Test(arguments: FileDamage.allCases)
    func `a damaged file is reported, and not replaced`(damage: FileDamage) async throws {
        let fixture = try EngineFixture()
        _ = try await fixture.open()
        try damage.apply(to: fixture.path)
        let engine = await AlertEngine(
            path: fixture.path, source: fixture.source, channels: fixture.channels)
        let error = await #expect(throws: AlertsError.self) { _ = try await engine.statuses() }
        #expect(error?.code == .storeFailed)
        #expect(error?.hint?.contains("alerts.sqlite.damaged") == true)
    }

    // MARK: - Restarts

    /// The events of a host that is never restarted are those of one that is killed at random times, and each
    /// is told once.
    @Test(arguments: UInt64(1)...12)
    func `restarts neither lose nor repeat anything`(seed: UInt64) async throws {
        let rule = try Self.hooked { ($0.clear, $0.hold, $0.clearFor) = (9, "10s", "5s") }
        let (steady, shaken) = (try EngineFixture(), try EngineFixture())
        for fixture in [steady, shaken] { Self.fill(fixture.source, seconds: 4000, seed: seed) }
        let reference = try await steady.open()
        _ = try await reference.put(rule, replacing: false)
        await steady.run(reference, seconds: 4000)

        var random = SplitMix(state: seed &+ 100)
        var engine = try await shaken.open()
        _ = try await engine.put(rule, replacing: false)
        var passed = 0
        while passed < 4000 {
            let ticks = min(Int.random(in: 1...60, using: &random), (4000 - passed) / 5)
            for _ in 0..<ticks {
                shaken.time.advance(by: .seconds(5))
                await engine.evaluate()
                // Killed between the change of a state and its deliveries.
                if Int.random(in: 0..<4, using: &random) > 0 { await engine.deliver() }
            }
            passed += ticks * 5
            // Some time passes until the next host is started.
            let pause = min(Int.random(in: 0...20, using: &random), (4000 - passed) / 5)
            shaken.time.advance(by: .seconds(pause * 5))
            passed += pause * 5
            engine = try await shaken.open()
            await engine.evaluate()
        }
        await engine.deliver()
        let (expected, found) = (try await reference.history(), try await engine.history())
        #expect(expected.count > 10)
        #expect(found.map(\.time) == expected.map(\.time))
        #expect(found.map(\.kind) == expected.map(\.kind))
        // One notice and one call for each event, in their order.
        #expect(shaken.channels.notices == steady.channels.notices)
        #expect(shaken.channels.notices.count == expected.filter { !$0.isMuted }.count)
        #expect(shaken.channels.calls.map(\.body) == steady.channels.calls.map(\.body))
        #expect(Set(shaken.channels.calls.map(\.id)).count == shaken.channels.calls.count)
    }

    @Test func `a notice that was being shown when the host was killed is not shown again`()
        async throws
    {
        let fixture = try EngineFixture()
        let hanging = NotedChannels()
        hanging.hang()
        let engine = try await fixture.open(hanging)
        _ = try await engine.put(.make { $0.coverage = 0 }, replacing: false)
        fixture.source.add(20, at: .noon)
        fixture.time.advance(by: .seconds(5))
        await engine.evaluate()
        let delivering = Task { await engine.deliver() }
        try await until { !hanging.notices.isEmpty }
        let next = try await fixture.open()
        await next.deliver()
        #expect(fixture.channels.notices.isEmpty)
        let event = try await next.history().first
        #expect(event?.deliveries.map(\.state) == [.unknown])
        delivering.cancel()
        await delivering.value
    }

    @Test func `an evaluation that failed is made up for`() async throws {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(.make { ($0.coverage, $0.hold) = (0, "60s") }, replacing: false)
        for second in 0..<300 { fixture.source.add(20, at: .noon.after(seconds: Double(second))) }
        await fixture.run(engine, seconds: 30)
        fixture.source.fail(true)
        await fixture.run(engine, seconds: 60)
        #expect(try await engine.history().isEmpty)
        fixture.source.fail(false)
        await fixture.run(engine, seconds: 5)
        #expect(try await engine.history().map(\.time) == [.noon.after(seconds: 65)])
    }

    // MARK: - Time

    @Test func `the engine evaluates on ticks of the clock, and saves its states at the end`()
        async throws
    {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(.make { $0.coverage = 0 }, replacing: false)
        fixture.source.add(20, at: .noon.after(seconds: 7))
        let running = Task { await engine.run() }
        // The evaluations and the deliveries.
        await fixture.time.waitForSleepers(2)
        await fixture.time.run(for: .seconds(60))
        running.cancel()
        await running.value
        #expect(try await engine.history().map(\.time) == [.noon.after(seconds: 10)])
        let next = try await fixture.open()
        #expect(try await next.status(of: "rule").state.evaluated == .noon.after(seconds: 60))
        #expect(try await next.status(of: "rule").state.missing?.reason == .noSamples)
        #expect(fixture.channels.notices.map(\.title) == ["rule fires"])
    }

    @Test(arguments: [-7200.0, 7200])
    func `a clock that jumps ends what a condition held, and fires no silence`(
        jump: Double
    ) async throws {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(.silence("60s"), replacing: false)
        _ = try await engine.put(
            .make { ($0.coverage, $0.hold, $0.window) = (0, "60s", "2h") }, replacing: false)
        fixture.source.add(20, at: .noon)
        let running = Task { await engine.run() }
        await fixture.time.waitForSleepers(2)
        await fixture.time.run(for: .seconds(30))
        #expect(try await engine.status(of: "rule").state.phase == .pending)
        fixture.time.set(to: fixture.time.now().after(seconds: jump))
        fixture.source.add(20, at: fixture.time.now())
        // The sleeping tasks were due at times of the old clock; they wake as the machine's would.
        await fixture.time.run(for: .seconds(max(0, -jump) + 50))
        #expect(try await engine.history("silent").isEmpty)
        #expect(try await engine.history("rule").isEmpty)
        running.cancel()
        await running.value
        let evaluated = try await engine.status(of: "rule").state.evaluated
        #expect(try #require(evaluated) <= fixture.time.now())
    }

    // MARK: - Deliveries

    @Test func `a server that is down is called again with growing intervals, then in order`()
        async throws
    {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(Self.hooked { $0.notify = false }, replacing: false)
        fixture.channels.answer(Array(repeating: Self.down, count: 5))
        fixture.source.add(20, at: .noon)
        fixture.source.add(1, at: .noon.after(seconds: 31))
        await fixture.run(engine, seconds: 40)
        // At once, and after 5, 10 and 20 s.
        #expect(fixture.channels.calls.count == 4)
        let status = try await engine.status(of: "rule")
        #expect(status.waiting == 2)
        #expect(status.problem == "The server is down.")
        await fixture.run(engine, seconds: 400)
        let calls = fixture.channels.calls
        #expect(calls.count == 7)
        #expect(Set(calls.prefix(6).map(\.id)).count == 1)
        #expect(calls.prefix(6).allSatisfy { $0.body.contains(#""event":"fired""#) })
        #expect(calls[6].body.contains(#""event":"resolved""#))
        #expect(calls[6].id != calls[0].id)
        #expect(calls.allSatisfy { $0.tokenFile == "/run/token" })
        let events = try await engine.history()
        #expect(events.flatMap(\.deliveries).map(\.state) == [.done, .done])
        #expect(events[0].deliveries.first?.attempts == 6)
        #expect(try await engine.status(of: "rule").problem == nil)
    }

    @Test func `the interval between attempts grows to an hour, with jitter`() {
        var delivery = AlertDelivery(
            id: "1", rule: "rule", kind: .webhook, payload: "{}", created: .noon)
        var waits: [Double] = []
        for _ in 0..<14 {
            delivery.fail(Self.down, at: .noon, jitter: 1)
            guard let next = delivery.next else { break }
            waits.append(Double(next.microseconds - Timestamp.noon.microseconds) / 1e6)
        }
        #expect(
            waits == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600, 3600])
        delivery.attempts = 0
        delivery.fail(Self.down, at: .noon, jitter: 0)
        #expect(delivery.next == .noon.after(seconds: 2.5))
        #expect(!delivery.isDue(at: .noon))
        // The clock was set back by more than the longest interval.
        #expect(delivery.isDue(at: .noon.after(seconds: -3700)))
        delivery.fail(Self.down, at: .noon.after(seconds: 86_400), jitter: 0)
        #expect(delivery.state == .failed)
    }

    @Test func `a call that the server refuses is not repeated until the owner asks`()
        async throws
    {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(Self.hooked { $0.notify = false }, replacing: false)
        fixture.channels.answer([AlertDeliveryError("It refused.", isPermanent: true)])
        fixture.source.add(20, at: .noon)
        await fixture.run(engine, seconds: 20)
        #expect(fixture.channels.calls.count == 1)
        #expect(try await engine.status(of: "rule").problem == "It refused.")
        #expect(try await engine.retry("rule") == 1)
        await engine.deliver()
        #expect(fixture.channels.calls.count == 2)
        #expect(Set(fixture.channels.calls.map(\.id)).count == 1)
    }

    @Test func `an app is started when a rule fires, not when it resolves, and once`()
        async throws
    {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(
            .make { ($0.coverage, $0.run) = (0, "cleaner") }, replacing: false)
        fixture.channels.answer([AlertDeliveryError("It is not installed.", isPermanent: true)])
        fixture.source.add(20, at: .noon)
        fixture.source.add(1, at: .noon.after(seconds: 31))
        await fixture.run(engine, seconds: 120)
        #expect(fixture.channels.runs == ["cleaner"])
        let events = try await engine.history()
        #expect(events.map(\.kind) == [.fired, .resolved])
        #expect(events[0].deliveries.map(\.state) == [.failed])
        #expect(events[1].deliveries.isEmpty)
    }

    @Test func `deliveries and events of a rule are bounded`() async throws {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        let rule = try Self.hooked { ($0.notify, $0.window) = (false, "5s") }
        _ = try await engine.put(rule, replacing: false)
        // It fires and resolves each ten seconds for two hours; 10 firings an hour are told.
        let refusals = Array(repeating: Self.down, count: 10_000)
        fixture.channels.answer(refusals)
        for index in 0..<1440 {
            fixture.source.add(
                index.isMultiple(of: 2) ? 20 : 1, at: .noon.after(seconds: Double(index) * 5))
        }
        await fixture.run(engine, seconds: 7200)
        let events = try await engine.history()
        #expect(events.count == AlertDatabase.eventLimit)
        #expect(try await engine.status(of: "rule").waiting <= AlertDatabase.waitingLimit)
        #expect(events.contains { $0.isMuted })
        #expect(events.filter(\.isMuted).allSatisfy { $0.deliveries.isEmpty })
    }

    @Test func `a notice says what happened, and is short`() async throws {
        let fixture = try EngineFixture()
        let engine = try await fixture.open()
        _ = try await engine.put(
            .make { ($0.coverage, $0.title) = (0, "Boiler") }, replacing: false)
        fixture.source.add(20.123456, at: .noon)
        fixture.source.add(1, at: .noon.after(seconds: 31))
        await fixture.run(engine, seconds: 60)
        #expect(
            fixture.channels.notices.map { "\($0.title): \($0.body)" } == [
                "Boiler fires: mean of meter.level over 30s is above 10.0; now 20.12 Cel.",
                "Boiler has resolved: mean of meter.level over 30s is above 10.0; now 1 Cel.",
            ])
    }
}
