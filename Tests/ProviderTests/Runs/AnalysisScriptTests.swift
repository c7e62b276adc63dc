import AppRuns
import Auth
import JSApps
import Samples
import Testing

/// `nervous.analyze` in a real run of an app.
@Suite(.timeLimit(.minutes(10)))
struct AnalysisScriptTests {
    private static let script = #"""
        const say = (value) => console.log(JSON.stringify(value));
        const refused = (error) => console.log(error.name, error.problem);
        (async () => {
          const { slope } = await nervous.analyze("trend", "gauge.level", { from: new Date(0) });
          say(slope);
          const options = { where: "level<4", parameters: { k: 1 } };
          say((await nervous.analyze("largest", ["gauge.level"], options)).items);
          say(await nervous.analyze("trend", "gauge.level", { to: 0 }));
          await nervous.analyze("trends", "gauge.level").catch(refused);
          await nervous.analyze("trend", "quiet.rate").catch(refused);
          const controller = new AbortController();
          controller.abort();
          await nervous.analyze("trend", "gauge.level", { signal: controller.signal })
            .catch((error) => console.log(error.name));
        })();
        """#

    @Test func `an app gets results, and errors for invalid analyses`() async throws {
        try await ServedHost.with { host in
            try await host.install("demo", script: Self.script)
            try await host.decide(.allowAlways, "sensor:gauge", by: "demo")
            for number in 0..<5 {
                await host.gauge(
                    Double(2 * number), at: Timestamp(microseconds: Int64(number) * 1_000_000))
            }
            let lines = Lines()
            let run = try await host.supervisor.prepare(app: "demo").id
            _ = try await host.supervisor.run(run) { lines.take($0) }
            #expect(
                lines.all == [
                    "2", #"[{"t":1000,"value":2}]"#, "null", "DataError unknown-analysis",
                    "NotAllowedError undeclared", "AbortError",
                ])
        }
    }
}
