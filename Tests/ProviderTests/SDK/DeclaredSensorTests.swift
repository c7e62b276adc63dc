import Auth
import JSApps
import Samples
import Testing

/// Sensors that the owner declares.
@Suite(.timeLimit(.minutes(10)))
struct DeclaredSensorTests {
    @Test
    func
        `one app publishes to a declared sensor and another reads it, each only with permission`()
        async throws
    {
        try await ServedHost.with { host in
            let reading = """
                (async () => {
                  const sensor = nervous.sensor("geiger");
                  await sensor.latest().then(({ cpm }) => say(cpm), ({ problem }) => say(problem));
                  await sensor.publish({ cpm: 1 }).catch(({ problem }) => say(problem));
                })();
                """
            let reads = #"[{"sensor": "geiger", "reason": "Shows the dose"}]"#
            #expect(
                try await host.play(
                    "nervous.sensor('geiger').describe().catch(({ problem }) => say(problem))",
                    privileges: reads, as: "reader") == ["unknown-sensor"])
            try await host.declareSensor("geiger", numbers: "cpm")
            let fed = try await host.play(
                "nervous.sensor('geiger').publish({ cpm: 42 }).then(({ accepted }) => say(accepted))",
                privileges: #"[{"sensor": "geiger", "access": "write", "reason": "Counts"}]"#,
                as: "counter", decisions: ["sensor:geiger:write": .allowAlways])
            #expect(fed == ["1"])
            let before = try await host.play(reading, privileges: reads, as: "reader")
            #expect(before == ["undecided", "undeclared"])
            let after = try await host.play(
                reading, privileges: reads, as: "reader",
                decisions: ["sensor:geiger": .allowAlways])
            #expect(after == ["42", "undeclared"])
        }
    }
}
