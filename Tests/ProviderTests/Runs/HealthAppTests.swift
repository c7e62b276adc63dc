import AppRuns
import Auth
import Foundation
import Testing

/// Real apps in real processes that use the health store.
@Suite(.timeLimit(.minutes(10)))
struct HealthAppTests {
    private static let privileges = """
        [{"health": ["workout", "steps", "heart-rate", "date-of-birth", "blood-pressure-systolic",
            "blood-pressure-diastolic"], "reason": "r"},
         {"health": ["workout", "steps", "heart-rate", "blood-pressure-systolic",
            "blood-pressure-diastolic"], "access": "write", "reason": "r"}]
        """

    /// Runs a script as an app with these privileges; all are granted, except the denied ones.
    private static func run(
        _ script: String, denied: Set<String> = [], _ host: ServedHost
    ) async throws -> [String] {
        let bytes = try TestPackage.bytes(
            "demo", privileges: privileges, script: script, in: host.folder)
        let answer = try await host.send(
            Call("POST", "/api/v1/apps", token: host.owner, body: bytes))
        #expect(answer.status == 201, "\(answer.text)")
        for declared in await host.authority.declared(by: "demo") {
            let isDenied = denied.contains(declared.description)
            try await host.authority.decide(
                isDenied ? .deny : .allowAlways, on: declared, by: "demo")
        }
        let lines = Lines()
        let run = try await host.supervisor.prepare(app: "demo").id
        _ = try await host.supervisor.run(run) { lines.take($0) }
        return lines.all
    }

    @Test func `an app saves and reads samples, workouts and correlations`() async throws {
        let script = """
            const { health } = nervous;
            const end = Date.now() - 1000, start = new Date(end - 60_000);
            (async () => {
              const [saved] = await health.save({ type: "heart-rate", value: 1, unit: "/s", start: end });
              console.log(saved.value, saved.unit, saved.own, saved.app, saved.start === end);
              const workout = await health.saveWorkout({
                activity: "running", start, end, key: "a", metadata: { indoor: true },
                samples: [{ type: "steps", value: 90 }, { type: "heart-rate", value: 99, start }],
              });
              const again = await health.saveWorkout({
                activity: "running", start, end, key: "a", metadata: { indoor: true },
                samples: [{ type: "steps", value: 90 }, { type: "heart-rate", value: 99, start }],
              });
              console.log(workout.id === again.id, workout.samples.length, workout.totals.steps);
              const [listed] = await health.workouts();
              console.log(listed.text.detail, listed.duration, listed.metadata.indoor, listed.samples);
              const beats = await health.samples("heart-rate", { order: "asc", unit: "Hz" });
              console.log(beats.map(({ value }) => value).join(), beats[0].workout === workout.id);
              await health.saveCorrelation({ type: "blood-pressure", samples: [
                { type: "blood-pressure-systolic", value: 121 },
                { type: "blood-pressure-diastolic", value: 79 } ] });
              const [pair] = await health.correlations("blood-pressure");
              console.log(pair.samples.map(({ value }) => value).sort().join());
              await health.remove(workout.id);
              console.log((await health.workouts()).length, (await health.samples("steps")).length);
              console.log(await health.characteristic("date-of-birth"));
              console.log((await health.types()).find(({ id }) => id === "body-mass").units[0]);
            })().catch((error) => console.log(error.name, error.problem, error.message));
            """
        try await ServedHost.with { host in
            let lines = try await Self.run(script, host)
            #expect(
                lines == [
                    "60 /min true demo true", "true 2 90", "0 m | 0 floors 60000 true undefined",
                    "1.65,1 true", "121,79", "0 0", "undefined",
                    "kg",
                ])
        }
    }

    @Test func `more than a page of samples is one list`() async throws {
        let script = """
            const { health } = nervous;
            (async () => {
              const one = (value) => ({ type: "steps", value, start: Date.now() - value });
              await health.save(Array.from({ length: 150 }, (_, index) => one(index)));
              console.log((await health.samples("steps")).length);
              console.log((await health.samples("steps", { limit: 120 })).length);
              const all = await health.samples("steps", { limit: 20_000, order: "asc" });
              console.log(all.length, all[0].value, all[149].value);
            })().catch((error) => console.log(error.name, error.problem, error.message));
            """
        try await ServedHost.with { host in
            let lines = try await Self.run(script, host)
            #expect(lines == ["100", "120", "150 149 0"])
        }
    }

    @Test func `errors have W3C names, a problem and the missing privilege`() async throws {
        let script = """
            const { health, permissions } = nervous;
            const report = async (work) => {
              try { console.log(JSON.stringify(await work())); }
              catch (error) { console.log(error.name, error.problem, error.privilege); }
            };
            (async () => {
              await report(() => health.samples("body-mass"));
              await report(() => health.samples("pulse"));
              await report(() => health.samples("heart-rate"));
              await report(() => health.save({ type: "steps", value: 1 }));
              await report(() => health.save({ type: "heart-rate", value: 60, unit: "kg" }));
              await report(() => health.save({ type: "heart-rate", value: "fast" }));
              await report(() => health.remove("x"));
              await report(() => permissions.query({ name: "health", type: "heart-rate" }));
              await report(() => permissions.query({ name: "health", type: "steps", access: "write" }));
              await report(() => permissions.request({ name: "health", type: "body-mass" }));
            })();
            """
        try await ServedHost.with { host in
            let lines = try await Self.run(
                script, denied: ["health:heart-rate", "health:steps:write"], host)
            #expect(
                lines == [
                    "NotAllowedError undeclared health:body-mass",
                    "NotFoundError unknown-health-type undefined", "[]",
                    "NotAllowedError denied health:steps:write",
                    "DataError unit-mismatch undefined",
                    "DataError invalid-health-data undefined", "NotFoundError not-found undefined",
                    #"{"name":"health","type":"heart-rate","state":"granted"}"#,
                    #"{"name":"health","access":"write","type":"steps","state":"denied"}"#,
                    "NotAllowedError undeclared health:body-mass",
                ])
        }
    }

    @Test func `each label of the activity sensor is an activity and a distance (B31, mistake 9)`()
        async throws
    {
        let script = """
            for (const label of ["walking", "running", "cycling", "driving", "stationary", "unknown"]) {
              const { activity, distance } = nervous.health.activityOf(label);
              console.log(label, activity, distance);
            }
            """
        try await ServedHost.with { host in
            let lines = try await Self.run(script, host)
            #expect(
                lines == [
                    "walking walking distance-walking-running",
                    "running running distance-walking-running", "cycling cycling distance-cycling",
                    "driving driving undefined", "stationary other undefined",
                    "unknown walking distance-walking-running",
                ])
        }
    }
}
