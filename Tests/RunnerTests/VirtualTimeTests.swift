import RunnerProtocol
import TestSupport
import Testing

/// Runs in virtual time, which the host sets.
@Suite(.blocking)
struct VirtualTimeTests {
    /// 2026-01-05T08:00:00Z.
    private static let start: UInt64 = 1_767_600_000_000_000

    private func run(_ source: String, seed: UInt64 = 1) throws -> RunOfApp {
        try RunOfApp(inVirtualTimeFrom: Self.start, seed: seed, source)
    }

    @Test func `weeks of timers pass without waiting`() throws {
        let run = try run(
            """
            let hours = 0;
            const id = setInterval(() => {
                if (++hours % 168 === 0) console.log(new Date().toISOString(), performance.now());
                if (hours === 3 * 168) clearInterval(id);
            }, 3600e3);
            """)
        #expect(
            run.lines == [
                "2026-01-12T08:00:00.000Z 604800000", "2026-01-19T08:00:00.000Z 1209600000",
                "2026-01-26T08:00:00.000Z 1814400000",
            ])
        #expect(run.end == .exit(0))
    }

    @Test func `work takes no virtual time`() throws {
        let run = try run(
            """
            const before = performance.now();
            for (let i = 0; i < 1e6; i++);
            console.log(performance.now() - before, Date.now() === performance.timeOrigin);
            """)
        #expect(run.lines == ["0 true"])
    }

    @Test func `timers fire by time and then by order`() throws {
        let run = try run(
            """
            const say = (word) => () => console.log(word, performance.now());
            setTimeout(say("c"), 20); setTimeout(say("a"), 10); setTimeout(say("b"), 10);
            setTimeout(() => { say("d")(); setTimeout(say("f"), 0); }, 20);
            setTimeout(say("e"), 20);
            """)
        #expect(run.lines == ["a 10", "b 10", "c 20", "d 20", "e 20", "f 20"])
    }

    @Test func `Date works as usual`() throws {
        let run = try run(
            """
            const checks = [
                new Date() instanceof Date, new Date().constructor === Date,
                Object.prototype.toString.call(new Date()) === "[object Date]",
                +new Date() === Date.now(), +new Date(5) === 5, +new Date(2020, 1) < Date.now(),
                typeof Date() === "string" && Date() === String(new Date()),
                Date.UTC(1970, 0) === 0, Date.parse("1970-01-01T00:00:00Z") === 0,
                Date.length === 7, Date.name === "Date", structuredClone(new Date(7)).getTime() === 7,
                (class Later extends Date { later() { return +this + 1; } },
                    new (class Later extends Date { later() { return +this + 1; } })().later())
                    === Date.now() + 1,
            ];
            console.log(checks.map(Number).join(""), new Date().toISOString());
            """)
        #expect(run.lines == ["1111111111111 2026-01-05T08:00:00.000Z"])
    }

    @Test func `random numbers follow from the seed`() throws {
        let source = """
            const bytes = crypto.getRandomValues(new Uint8Array(8));
            const numbers = Array.from({ length: 1000 }, Math.random);
            const isUnit = numbers.every((number) => number >= 0 && number < 1);
            const mean = numbers.reduce((sum, number) => sum + number) / 1000;
            console.log(bytes.join(), numbers[0], crypto.randomUUID());
            console.log(isUnit, Math.abs(mean - 0.5) < 0.05, new Set(numbers).size);
            """
        let (one, again, other) = (try run(source), try run(source), try run(source, seed: 2))
        #expect(one.lines == again.lines)
        #expect(one.lines[0] != other.lines[0])
        #expect([one, other].allSatisfy { $0.lines[1] == "true true 1000" })
    }

    @Test func `a timer that is due waits until it may fire`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        let script = "setTimeout(() => console.log(performance.now()), 5)"
        try runner.send(
            .time(start: Self.start, seed: 1), .load(name: "app.js", source: script), .loaded)
        #expect(try runner.next() == .idle(received: 3, next: 5_000_000))
        try runner.send(.advance(to: 9_000_000, fires: false))
        #expect(try runner.next() == .idle(received: 4, next: 5_000_000))
        try runner.send(.ping(1))
        #expect(try runner.next() == .pong(1))
        #expect(try runner.next() == .idle(received: 5, next: 5_000_000))
        // Time never runs backwards.
        try runner.send(.advance(to: 7_000_000, fires: true))
        #expect(try runner.next() == .console(level: .log, text: "9"))
        #expect(try runner.next() == .finished(code: 0))
    }

    @Test func `a run ends at its lifetime`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(
            .time(start: Self.start, seed: 1), .lifetime(50),
            .load(name: "app.js", source: "setInterval(() => console.log('tick'), 40)"), .loaded)
        #expect(try runner.next() == .idle(received: 4, next: 40_000_000))
        try runner.send(.advance(to: 40_000_000, fires: true))
        #expect(try runner.next() == .console(level: .log, text: "tick"))
        #expect(try runner.next() == .idle(received: 5, next: 50_000_000))
        try runner.send(.advance(to: 50_000_000, fires: true))
        #expect(try runner.next() == .finished(code: 0))
    }

    @Test func `a run on the machine's clock reports no idleness`() throws {
        let run = try RunOfApp(
            frames: [
                .advance(to: 3_600_000_000_000, fires: true),
                .load(name: "app.js", source: "console.log(performance.now() < 60e3)"), .loaded,
            ]
        ) { _, _ in }
        #expect(run.lines == ["true"])
        #expect(run.frames.allSatisfy { if case .idle = $0 { false } else { true } })
    }
}
