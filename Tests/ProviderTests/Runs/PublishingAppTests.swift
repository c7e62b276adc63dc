import AppRuns
import Auth
import JSApps
import Samples
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PublishingAppTests {
    private static let script = """
        const steps = nervous.sensor("steps");
        const report = async (work) => {
          try {
            console.log(JSON.stringify(await work()));
          } catch (error) {
            console.log(`${error.name} ${error.problem}`);
          }
        };
        (async () => {
          await report(() => steps.publish({ count: 1, mood: "up", t: new Date(5) }));
          await report(() => steps.publish([{ t: 6, count: 2, mood: "up" }], { key: "a" }));
          await report(() => steps.publish([{ t: 6, count: 2, mood: "up" }], { key: "a" }));
          await report(() => steps.publish([{ t: 7, count: 3, mood: "up" }], { key: "a" }));
          await report(() => steps.publish({ count: "x", mood: "up" }));
          await report(() => nervous.sensor("gauge").publish({ level: 1 }));
          await report(() => steps.latest());
        })();
        """

    @Test func `an app publishes with permission, and gets the reason of a refusal`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            try await host.install("demo", script: Self.script)
            try await host.decide(.allowAlways, "sensor:steps:write", by: "demo")
            let (report, lines) = try await host.run(Self.script)
            #expect(
                lines == [
                    #"{"accepted":1,"last":1}"#, #"{"accepted":1,"last":2}"#,
                    #"{"accepted":1,"last":2}"#, "DataError key-reused", "DataError invalid-sample",
                    "NotAllowedError undeclared", "NotAllowedError undeclared",
                ])
            #expect(report.usage.samples == 0)
            #expect(try await host.steps() == "5,1,\"up\"\n6,2,\"up\"\n")
        }
    }
}
