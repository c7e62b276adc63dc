import Auth
import JSApps
import Samples
import Synchronization
import Testing

/// `nervous.sensor(…).stream` and `watch` in real runs of apps.
@Suite(.timeLimit(.minutes(10)))
struct StreamScriptTests {
    private static let last = 120

    @Test func `an interrupted stream reconnects, and no sample is lost or repeated`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        let breaking = Mutex<BreakingConnection?>(nil)
        try await ServedHost.with(connection: { whole in
            let made = BreakingConnection(whole, breaks: 12, bytes: 100...900, seed: seed)
            breaking.withLock { $0 = made }
            return made
        }) { host in
            let lines = try await host.play(
                """
                (async () => {
                  const seen = [];
                  let opened = 0;
                  const onOpen = () => opened++ === 0 && say("open");
                  for await (const { level } of nervous.sensor("gauge").stream({ onOpen })) {
                    seen.push(level);
                    if (level === \(Self.last)) break;
                  }
                  say(seen.join(" "), opened > 1);
                })();
                """, decisions: ["sensor:gauge": .allowAlways],
                hearing: { line, host in
                    guard line == "open" else { return }
                    for level in 1...Self.last { await host.gauge(Double(level)) }
                })
            let all = (1...Self.last).map(String.init).joined(separator: " ")
            #expect(lines == ["open", "\(all) true"], "seed \(seed)")
            #expect(breaking.withLock { $0?.breaksLeft } == 0, "seed \(seed)")
        }
    }

    @Test func `an app is notified of samples that it missed`() async throws {
        // The first stream ends after its opening.
        let opening = """
            : the samples of gauge
            id: 4

            event: open
            data: {"after":4,"sensors":["gauge"]}


            """.utf8.count
        try await ServedHost.with(connection: {
            BreakingConnection($0, breaks: 1, bytes: opening...opening)
        }) { host in
            let now = host.clock.now
            for level in 1...4 { await host.gauge(Double(level), at: now) }
            let lines = try await host.play(
                """
                (async () => {
                  let opened = 0;
                  const options = { onGap: (gap) => say(gap), onOpen: () => say(`open ${++opened}`) };
                  for await (const { level } of nervous.sensor("gauge").stream(options)) {
                    say(level);
                    break;
                  }
                })();
                """,
                decisions: ["sensor:gauge": .allow(Terms(access: .raw, history: .seconds(60)))],
                hearing: { line, host in
                    guard line == "open 1" else { return }
                    // One that is too old, which was not reported, and one that it may read.
                    await host.gauge(5, at: now.advanced(byMicroseconds: -3_600_000_000))
                    await host.gauge(6, at: now)
                })
            #expect(
                lines == ["open 1", "open 2", #"{"after":4,"reason":"history","through":5}"#, "6"])
        }
    }

    @Test func `all watchers of a sensor share one connection, which the last one closes`()
        async throws
    {
        let breaking = Mutex<BreakingConnection?>(nil)
        try await ServedHost.with(connection: { whole in
            let made = BreakingConnection(whole, breaks: 9, bytes: 1_000_000...1_000_000)
            breaking.withLock { $0 = made }
            return made
        }) { host in
            let lines = try await host.play(
                """
                const gauge = nervous.sensor("gauge");
                const ending = new AbortController();
                let opened = 0;
                const onOpen = () => ++opened === 2 && say("open");
                const stopFirst = gauge.watch(({ level }) => {
                  say("first", level);
                  stopFirst();
                  stopFirst();
                }, { onOpen });
                gauge.watch(({ level }) => {
                  say("second", level);
                  if (level === 2) ending.abort();
                }, { signal: ending.signal, onOpen });
                gauge.watch(() => say("never"), { signal: AbortSignal.abort() });
                try { gauge.watch(5); } catch (error) { say(error.name); }
                """, decisions: ["sensor:gauge": .allowAlways],
                hearing: { line, host in
                    if line == "open" { for level in 1...3 { await host.gauge(Double(level)) } }
                })
            #expect(lines == ["TypeError", "open", "first 1", "second 1", "second 2"])
            #expect(breaking.withLock { $0?.breaksLeft } == 8)
        }
    }

    @Test func `a watch ends with an error when permission ends`() async throws {
        try await ServedHost.with { host in
            let lines = try await host.play(
                """
                const take = () => {
                  deny("sensor:gauge");
                  say("denied");
                };
                nervous.sensor("gauge").watch(take, {
                  onOpen: () => say("open"),
                  onError: ({ name, problem, privilege, fix, settings }) => {
                    say(name, problem, privilege);
                    say(fix);
                    say(settings.replace(/[0-9]+/, "PORT"));
                  },
                });
                """, decisions: ["sensor:gauge": .allowAlways],
                hearing: { line, host in
                    if ["open", "denied"].contains(line) { await host.gauge(1) }
                })
            #expect(
                lines == [
                    "open", "denied",
                    "NotAllowedError denied sensor:gauge",
                    "Ask the owner to allow sensor:gauge.",
                    "http://localhost:PORT/apps/demo",
                ])
        }
    }

    @Test func `many streams share one connection`() async throws {
        let breaking = Mutex<BreakingConnection?>(nil)
        let letters = "abcdefghij".map(String.init)
        try await ServedHost.with(connection: { whole in
            let made = BreakingConnection(whole, breaks: 9, bytes: 1_000_000...1_000_000)
            breaking.withLock { $0 = made }
            return made
        }) { host in
            for letter in letters { try await host.declareSensor("walk.\(letter)", numbers: "x") }
            let lines = try await host.play(
                """
                const ending = new AbortController();
                const seen = [];
                let opened = 0;
                const options = { signal: ending.signal, onOpen: () => ++opened === 10 && say("open") };
                for (const letter of "abcdefghij") {
                  (async () => {
                    for await (const sample of nervous.sensor(`walk.${letter}`).stream(options)) {
                      seen.push(`${letter}${Object.keys(sample)}`);
                      if (seen.length < 10) continue;
                      say(seen.join(" "));
                      ending.abort();
                    }
                  })();
                }
                """, privileges: #"["walk"]"#, decisions: ["sensor:walk": .allowAlways],
                hearing: { line, host in
                    guard line == "open" else { return }
                    for letter in letters {
                        try? await host.feedSensor(#"{"x": 1}"#, to: "walk.\(letter)")
                    }
                })
            #expect(lines == ["open", letters.map { "\($0)t,x" }.joined(separator: " ")])
            #expect(breaking.withLock { $0?.breaksLeft } == 8)
        }
    }

    @Test func `a slow stream does not delay the others, and loses nothing`() async throws {
        let rows = "[" + (1...1300).map { #"{"x": \#($0)}"# }.joined(separator: ",") + "]"
        try await ServedHost.with { host in
            for letter in ["a", "b"] {
                try await host.declareSensor("walk.\(letter)", numbers: "x")
            }
            let lines = try await host.play(
                """
                (async () => {
                  let release;
                  const released = new Promise((resolve) => (release = resolve));
                  const stop = nervous.sensor("walk.b").watch(() => {
                    say("b");
                    stop();
                    release();
                  }, { onOpen: () => say("open") });
                  const seen = [];
                  for await (const { x } of nervous.sensor("walk.a").stream()) {
                    seen.push(x);
                    if (seen.length === 1) say("first");
                    await released;
                    if (x === 1300) break;
                  }
                  say(seen.length, seen.every((x, index) => x === index + 1));
                })();
                """, privileges: #"["walk"]"#, decisions: ["sensor:walk": .allowAlways],
                hearing: { line, host in
                    guard line == "open" else { return }
                    try? await host.feedSensor(rows, to: "walk.a")
                    try? await host.feedSensor(#"{"x": 1}"#, to: "walk.b")
                })
            #expect(lines == ["open", "first", "b", "1300 true"])
        }
    }

    @Test func `a sensor that is added or refused does not interrupt the others`() async throws {
        try await ServedHost.with { host in
            for letter in ["a", "b"] {
                try await host.declareSensor("walk.\(letter)", numbers: "x")
            }
            await host.gauge(1)
            let lines = try await host.play(
                """
                const seen = [];
                const ending = new AbortController();
                const { signal } = ending;
                nervous.sensor("walk.a").watch(({ x }) => {
                  seen.push(x);
                  if (x === 2) add();
                  if (x < 4) return;
                  say(seen.join(" "));
                  ending.abort();
                }, { signal, onOpen: () => say("open") });
                function add() {
                  const onError = ({ name, problem }) => say(name, problem);
                  nervous.sensor("walk.b").watch(({ x }) => say("b", x), {
                    signal, onOpen: () => say("more"),
                  });
                  nervous.sensor("gauge").watch(() => say("never"), { onError });
                  nervous.sensor("walk,gauge").watch(() => say("never"), { onError });
                }
                """, privileges: #"["walk", "gauge"]"#,
                decisions: ["sensor:walk": .allowAlways, "sensor:gauge": .deny],
                hearing: { line, host in
                    func feed(_ sensor: String, _ values: Int...) async {
                        for value in values {
                            try? await host.feedSensor(#"{"x": \#(value)}"#, to: sensor)
                        }
                    }
                    // Those of the second sensor before it was added are not for the app.
                    if line == "open" {
                        await feed("walk.b", 5)
                        await feed("walk.a", 1, 2)
                    }
                    if line == "NotAllowedError denied" {
                        await feed("walk.b", 7)
                        await feed("walk.a", 3, 4)
                    }
                })
            #expect(
                lines == [
                    "open", "NotFoundError not-found", "more", "NotAllowedError denied", "b 7",
                    "1 2 3 4",
                ])
        }
    }
}
