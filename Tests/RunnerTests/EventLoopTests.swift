import RunnerProtocol
import TestSupport
import Testing

@Suite(.blocking)
struct EventLoopTests {
    @Test func `a run with nothing left to do ends with 0`() throws {
        let run = try RunOfApp("1 + 1")
        #expect(run.frames == [.finished(code: 0)])
        #expect(run.end == .exit(0))
    }

    @Test func `microtasks run before timers, timers by time and then by order`() throws {
        let run = try RunOfApp(
            """
            setTimeout(() => console.log("late"), 20);
            setTimeout((a, b) => console.log("first", a, b), 0, "a", "b");
            setTimeout(() => console.log("second"), 0);
            setTimeout(() => console.log("never"), 0.5) && clearTimeout(4);
            queueMicrotask(() => console.log("micro"));
            Promise.resolve().then(() => console.log("then"));
            console.log("sync");
            """)
        #expect(run.lines == ["sync", "micro", "then", "first a b", "second", "late"])
        #expect(run.end == .exit(0))
    }

    @Test func `an interval repeats until it is cleared`() throws {
        let run = try RunOfApp(
            """
            let count = 0;
            const id = setInterval(() => {
                console.log("tick");
                if (++count === 3) clearInterval(id);
            }, 1);
            """)
        #expect(run.lines == ["tick", "tick", "tick"])
        #expect(run.end == .exit(0))
    }

    @Test func `a timer of an abort signal does not keep the run alive`() throws {
        let run = try RunOfApp("AbortSignal.timeout(600000)")
        #expect(run.end == .exit(0))
    }

    @Test(arguments: [("", 0), ("7", 7), ("255", 255), ("256", 1), ("'x'", 1)])
    func `close ends the run immediately`(code: String, status: Int32) throws {
        let run = try RunOfApp("setTimeout(() => {}, 1e6); close(\(code)); console.log('after')")
        #expect(run.frames == [.finished(code: UInt8(status))])
        #expect(run.end == .exit(status))
    }

    @Test func `scripts run in order and share their globals`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(
            .load(name: "nervous:environment", source: "location = 'http://app.localhost:81/x/'"),
            .load(name: "a.js", source: "const shared = 1; var other = 2"),
            .load(
                name: "app.js", source: "console.log(shared, other, new URL('y', location).href)"),
            .loaded)
        let frames = try runner.rest()
        #expect(
            frames == [
                .console(level: .log, text: "1 2 http://app.localhost:81/x/y"), .finished(code: 0),
            ])
    }

    @Test func `a ping is answered while the app waits`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(.load(name: "app.js", source: "setTimeout(() => {}, 1e6)"), .ping(42))
        #expect(try runner.next() == .pong(42))
    }

    @Test func `the process ends when the host disconnects`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        runner.hangUp()
        #expect(try runner.end() == .exit(74))
    }

    @Test func `an invalid frame of the host ends the process`() throws {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(bytes: [1, 0, 0, 0, 99])
        #expect(try runner.end() == .exit(76))
    }

    @Test func `a runner that is started with arguments exits with 64`() throws {
        let runner = try RunnerProcess(arguments: ["app.js"])
        #expect(try runner.next() == nil)
        #expect(try runner.end() == .exit(64))
    }
}
