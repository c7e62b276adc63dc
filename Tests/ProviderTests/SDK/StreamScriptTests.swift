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
            let made = BreakingConnection(whole, breaks: 12, bytes: 40...700, seed: seed)
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
        let opening = ": the samples of gauge\nid: 4\n\n".utf8.count
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
                    "Allow it with: nervous permissions grant demo sensor:gauge",
                    "http://localhost:PORT/settings/demo",
                ])
        }
    }
}
