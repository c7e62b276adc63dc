import Foundation
import TestSupport
import Testing

/// `nervous trial`: which privileges an app needs.
@Suite(.blocking)
struct TrialTests {
    private static let script = """
        (async () => {
          const cpu = nervous.sensor("cpu");
          await cpu.stats({ last: "10m", fields: "busy" });
          await nervous.sensor("memory").stats({ last: "1h" });
          await nervous.sensor("memory").latest();
          await nervous.analyze("trend", "load.load1", { last: "30m" });
          await nervous.sensor("taps").publish({ count: 1 }).catch(() => {});
          let seen = 0;
          for await (const sample of nervous.sensor("accelerometer").stream()) {
            if (++seen === 100) break;
          }
        })();
        """

    private static let before = """
        {
          "name": "demo",
          "version": "1.0.0",
          "privileges": [ { "sensor": "cpu", "reason": "A [reason] with \\"brackets\\"" },
            { "sensor": "battery", "reason": "Never used" }
          ],
          "license": "MIT"
        }

        """

    private func folder(_ sandbox: Sandbox, _ script: String = script) throws -> String {
        let folder = try sandbox.app(script)
        try Self.before.write(
            toFile: "\(folder)/package.json", atomically: true, encoding: .utf8)
        return folder
    }

    private static func answer(_ trial: Invocation) throws -> [String: Any] {
        #expect(trial.code == 0, "\(trial.errors)")
        return try #require(
            JSONSerialization.jsonObject(with: Data(trial.output.utf8)) as? [String: Any])
    }

    @Test func `the minimal privileges of an app are found`() throws {
        let sandbox = try Sandbox()
        let trial = try sandbox.nervous("trial", try folder(sandbox), "--json")
        let answer = try Self.answer(trial)
        let needs = try #require(answer["needs"] as? [[String: Any]])
        #expect(
            needs.compactMap { $0["privilege"] as? String } == [
                "sensor:accelerometer", "sensor:cpu:stats", "sensor:load:stats", "sensor:memory",
                "sensor:taps:write",
            ])
        #expect(needs.map { $0["refused"] as? Bool } == [false, false, false, false, true])
        #expect(needs[0]["samples"] as? Int == 100)
        #expect(needs[1]["history"] as? Double == 600_000)
        #expect(answer["unused"] as? [String] == ["sensor:cpu", "sensor:battery"])
        // The output is reproducible, and the owner's data directory was not created.
        #expect(try sandbox.nervous("trial", sandbox.path("demo"), "--json").output == trial.output)
        #expect(!FileManager.default.fileExists(atPath: sandbox.data))
    }

    @Test func `an app that uses the only instance of a kind needs the kind`() throws {
        let sandbox = try Sandbox()
        let trial = try sandbox.nervous(
            "trial", try folder(sandbox), "--json", "--sensor", "accelerometer.phone")
        let needs = try #require(try Self.answer(trial)["needs"] as? [[String: Any]])
        #expect(needs.first?["privilege"] as? String == "sensor:accelerometer")
        #expect(needs.first?["samples"] as? Int == 100)
    }

    @Test func `other privileges are found as well, and no server is called`() throws {
        let sandbox = try Sandbox()
        let script = """
            (async () => {
              await nervous.storage.set("goal", 9000);
              await nervous.notify("Goal reached");
              await nervous.net.fetch("https://api.example.org/weather").catch(() => {});
            })();
            """
        let folder = try folder(sandbox, script)
        let trial = try sandbox.nervous("trial", folder, "--json")
        let answer = try Self.answer(trial)
        let needs = try #require(answer["needs"] as? [[String: Any]])
        #expect(
            needs.compactMap { $0["privilege"] as? String } == [
                "net:https://api.example.org", "notify", "storage",
            ])
        #expect(needs.map { $0["refused"] as? Bool } == [true, false, false])
        let written = try sandbox.nervous("trial", folder)
        #expect(written.output.contains(#"{ "net": ["https://api.example.org"], "reason": "" }"#))
    }

    @Test func `the list is written to the manifest, and reasons are kept`() throws {
        let sandbox = try Sandbox()
        let folder = try folder(sandbox)
        let trial = try sandbox.nervous("trial", folder, "--write")
        #expect(trial.code == 0, "\(trial.errors)")
        let after = try String(contentsOfFile: "\(folder)/package.json", encoding: .utf8)
        #expect(
            after == """
                {
                  "name": "demo",
                  "version": "1.0.0",
                  "privileges": [
                    { "sensor": "accelerometer", "access": "raw", "reason": "" },
                    { "sensor": "cpu", "access": "stats", "reason": "A [reason] with \\"brackets\\"" },
                    { "sensor": "load", "access": "stats", "reason": "" },
                    { "sensor": "memory", "access": "raw", "reason": "" },
                    { "sensor": "taps", "access": "write", "reason": "" }
                  ],
                  "license": "MIT"
                }

                """)
        #expect(trial.errors.contains("Add a reason for sensor:accelerometer, sensor:load:stats"))
        // A package without reasons cannot be installed.
        let install = try sandbox.nervous("install", folder)
        #expect(install.code == 65)
        #expect(install.errors.contains("package.json:5:61: reason must be a text and not empty"))
    }

    @Test func `a manifest without privileges gets them`() throws {
        let sandbox = try Sandbox()
        let folder = try sandbox.app(
            "nervous.sensor('cpu').latest()", manifest: ["name": "demo", "version": "1"])
        #expect(try sandbox.nervous("trial", folder, "--write").code == 0)
        let text = try String(contentsOfFile: "\(folder)/package.json", encoding: .utf8)
        let manifest = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let list = manifest?["privileges"] as? [[String: String]]
        #expect(list == [["sensor": "cpu", "access": "raw", "reason": ""]])
        #expect(manifest?["name"] as? String == "demo")
    }

    @Test func `trial accepts an installed app`() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.nervous("install", folder(sandbox)).code == 0)
        let trial = try sandbox.nervous("trial", "demo", "--for", "10s", "--scenario", "walk")
        #expect(trial.code == 0, "\(trial.errors)")
        #expect(trial.output.contains("sensor:accelerometer"))
        #expect(trial.output.contains("Declared but not used: sensor:cpu, sensor:battery"))
        #expect(try sandbox.nervous("apps").output.contains("demo"))
        #expect(try sandbox.nervous("trial", "demo", "--write").code == 64)
        #expect(try sandbox.nervous("trial", "other").code == 66)
    }

    @Test func `an app that uses nothing needs no privileges, and a failing one is reported`()
        throws
    {
        let sandbox = try Sandbox()
        let nothing = try sandbox.nervous("trial", try folder(sandbox, "console.log(1)"))
        #expect(nothing.code == 0)
        #expect(nothing.output.contains("The app used no privilege in 1m"))
        #expect(nothing.output.contains("\"privileges\": []"))
        let fails = try sandbox.nervous("trial", try folder(sandbox, "\nundefined.x"))
        #expect(fails.code == 1)
        #expect(fails.errors.contains("uncaught: app.js:2:10"))
    }
}
