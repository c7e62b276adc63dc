import Foundation
import TestSupport
import Testing

/// `nervous health`, and the health store of apps under test.
@Suite(.blocking)
struct HealthTests {
    private static var manifest: [String: Any] {
        [
            "name": "demo", "version": "1",
            "privileges": [
                ["health": ["workout", "steps", "body-mass"], "access": "write", "reason": "r"],
                ["health": ["workout", "steps", "height"], "reason": "r"],
            ],
        ]
    }
    private static let script = """
        (async () => {
          const end = Date.now(), start = end - 60_000;
          await nervous.health.saveWorkout({
            activity: "running", start, end, samples: [{ type: "steps", value: 90 },
              { type: "steps", value: 12, start, end: start }],
          });
          await nervous.health.save({ type: "body-mass", value: 74.5 });
          console.log("saved");
        })().catch((error) => console.log(error.problem, error.message));
        """
    private static let granted = [
        "--allow", "health:workout:write", "--allow", "health:steps:write", "--allow",
        "health:body-mass:write", "--allow", "health:workout", "--allow", "health:steps",
        "--allow", "health:height",
    ]

    private func lines(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    @Test func `what an app saves can be listed, shown, exported and deleted`() throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app(Self.script, manifest: Self.manifest)
        let run = try sandbox.nervous(["run", folder] + Self.granted)
        #expect(run.output == "saved\n", "\(run.errors)")
        #expect(
            try sandbox.nervous("health", "set", "height", "178", "--unit", "cm").output
                == "height: 1.78 m\n")
        let list = try sandbox.nervous("health").output
        for word in ["body-mass", "steps", "workout", "demo"] { #expect(list.contains(word)) }
        let workouts = try sandbox.nervous("health", "show", "workout").output
        #expect(workouts.contains("| running | 1 min 0 secs"), "\(workouts)")
        #expect(workouts.contains("0 m | 0 floors"))
        let mass = try sandbox.nervous("health", "show", "body-mass", "--unit", "g").output
        #expect(mass.contains("74500 g"), "\(mass)")
        #expect(try sandbox.nervous("health", "show", "height").output == "1.78 m\n")
        let exported = try lines(try sandbox.nervous("health", "export").output)
        // A sample of the workout is in its line only.
        #expect(exported.count == 3)
        let workout = try #require(exported.first { $0["activity"] != nil })
        #expect((workout["samples"] as? [Any])?.count == 2)
        let file = sandbox.path("health.ndjson")
        #expect(try sandbox.nervous("health", "export", "-o", file).code == 0)
        #expect(try lines(String(contentsOfFile: file, encoding: .utf8)).count == 3)
        #expect(try sandbox.nervous("health", "export", "-o", file).code == 73)
        let id = try #require(workout["id"] as? String)
        #expect(try sandbox.nervous("health", "delete", id).code == 77)
        #expect(
            try sandbox.nervous("health", "delete", id, "--yes").output == "Deleted 1 object.\n")
        #expect(
            try sandbox.nervous("health", "delete", "--app", "demo", "--yes", "--json").output
                == "{\"deleted\":1}\n")
        #expect(try sandbox.nervous("health", "show", "height").code == 0)
        #expect(try sandbox.nervous("health", "delete", "--all", "--yes").code == 0)
        #expect(try sandbox.nervous("health", "show", "height").code == 66)
        let log = try sandbox.nervous("log").output
        #expect(log.contains("1 objects of demo"), "\(log)")
    }

    @Test(arguments: [
        (["show", "pulse"], 66, "nervous health types"), (["set", "sex", "f"], 64, "one of"),
        (["set", "height", "tall"], 64, "is not a number"), (["delete"], 64, "--type"),
        (["show", "body-mass", "--unit", "m"], 64, "Its units are"),
        (["delete", "--all", "--type", "steps"], 64, "--all"),
        (["export", "--type", "pulse"], 66, "nervous health types"),
    ])
    func `a mistake is answered with what is right`(words: [String], code: Int32, text: String)
        throws
    {
        let sandbox = try Sandbox()
        let call = try sandbox.nervous(["health"] + words)
        #expect(call.code == code, "\(call.errors)")
        #expect(call.errors.contains(text), "\(call.errors)")
    }

    @Test func `the prompt names the type and what it reveals`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal(
            "run", try sandbox.app(Self.script, manifest: Self.manifest))
        for _ in 1...6 {
            try terminal.await("o/a/n/v/?> ")
            terminal.type("a\n")
        }
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("to save health data: workouts"), "\(terminal.text)")
        #expect(terminal.text.contains("to read your health data: height"))
        #expect(terminal.text.contains("saved"))
    }

    @Test func `a test has a store of its own, with data of others`() throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app(Self.script, manifest: Self.manifest)
        let tests = """
            const workouts = () => nervous.health.workouts({ zone: "UTC" });
            test("the store is empty at first", async () => {
              assert.deepEqual(await workouts(), []);
            });
            test("the app saves a workout", async () => {
              await app.run("1s");
              const [saved] = await workouts();
              assert.equal(saved.own, true);
              assert.equal(saved.totals.steps, 102);
              const { samples } = await nervous.health.workout(saved.id);
              assert.equal(samples.length, 2);
            });
            test("what others saved is not the app's", async () => {
              const end = clock.now(), start = end - 1000;
              await health.addWorkout({ activity: "rowing", start, end,
                samples: [{ type: "steps", value: 5 }] });
              await health.add([{ type: "steps", value: 7 }, { type: "steps", value: 8 }]);
              await health.set("height", 1.8);
              const [other] = await workouts();
              assert.equal(other.own, false);
              assert.equal(other.app, undefined);
              assert.equal((await nervous.health.samples("steps")).length, 3);
              assert.equal(await nervous.health.characteristic("height"), 1.8);
              await health.unset("height");
              assert.equal(await nervous.health.characteristic("height"), undefined);
              await assert.rejects(nervous.health.remove(other.id), { problem: "not-found" });
              await permissions.deny("health:steps");
              assert.deepEqual(await nervous.health.samples("steps"), []);
              await assert.rejects(health.add({ type: "steps", value: 1, unit: "m" }), /not a unit/);
            });
            """
        try tests.write(toFile: "\(folder)/app.test.js", atomically: true, encoding: .utf8)
        let call = try sandbox.nervous("test", folder)
        #expect(call.code == 0, "\(call.output)\(call.errors)")
        #expect(call.output.contains("the store is empty at first"))
    }

    @Test func `a trial writes the types that an app needs`() throws {
        let sandbox = try Sandbox()
        let script = """
            (async () => {
              await nervous.health.samples("heart-rate");
              await nervous.health.save({ type: "steps", value: 1 });
            })();
            """
        let folder = try sandbox.app(
            script, manifest: ["name": "demo", "version": "1", "privileges": [Any]()])
        let trial = try sandbox.nervous("trial", folder)
        #expect(trial.output.contains(#""health": "steps", "access": "write""#), "\(trial.output)")
        #expect(trial.output.contains(#""health": "heart-rate", "access": "read""#))
    }
}
