import Foundation
import TestSupport
import Testing

/// The choice among several sensors: at the prompt, by a flag, and when another is added.
@Suite(.blocking)
struct ChoiceTests {
    private static let script = """
        (async () => {
          for (const name of ["temperature", "temperature.indoors", "temperature.outdoors"]) {
            await nervous.sensor(name).latest().then(
              (sample) => console.log(`${name}: ${sample.celsius}`),
              (error) => console.log(`${name}: ${error.problem}`));
          }
          console.log((await nervous.sensors()).map(({ id }) => id).join(" ") || "none");
        })();
        """

    /// An app that declares temperature, on a machine with two sensors.
    private func setUp(_ sandbox: Sandbox) throws -> String {
        for (name, celsius) in [("indoors", "21.5"), ("outdoors", "4.5")] {
            try add("temperature.\(name)", sandbox)
            let file = sandbox.path("\(name).csv")
            try "t,celsius\n1700000000000,\(celsius)\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            let taken = try sandbox.nervous("import", file, "--sensor", "temperature.\(name)")
            #expect(taken.code == 0, "\(taken.errors)")
        }
        let folder = sandbox.path("demo")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files = [
            "package.json": """
            {"name": "demo", "version": "1",
             "privileges": [{"sensor": "temperature", "reason": "test"}]}
            """,
            "app.js": Self.script, "app.html": "<p>demo</p>",
        ]
        for (name, text) in files {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        return folder
    }

    private func add(_ name: String, _ sandbox: Sandbox) throws {
        let made = try sandbox.nervous("sensors", "add", name, "--field", "celsius:Cel")
        #expect(made.code == 0, "\(made.errors)")
    }

    @Test func `a sensor chosen at the prompt stays chosen until another is added`()
        throws
    {
        let sandbox = try Sandbox()
        let first = try sandbox.terminal("run", try setUp(sandbox))
        try first.await("o/a/s/e/n/v/?> ")
        #expect(first.text.contains("every sample of temperature; of 2 here"))
        first.type("a\n")
        try first.await("Enter: no> ")
        #expect(first.text.contains("2. temperature.outdoors, "))
        first.type("2\n")
        #expect(try first.finish() == 0)
        #expect(first.text.contains("temperature.outdoors: always allowed"))
        let mine = ["temperature: 4.5", "temperature.outdoors: 4.5", "\ntemperature.outdoors"]
        for words in mine + ["temperature.indoors: denied"] {
            #expect(first.text.replacing("\r", with: "").contains(words), "\(words)")
        }
        let second = try sandbox.terminal("run", "demo")
        #expect(try second.finish() == 0)
        #expect(!second.text.contains("Nervous asks you"))
        #expect(second.text.contains("temperature: 4.5"))

        try add("temperature.attic", sandbox)
        #expect(try sandbox.nervous("run", "demo").code == 0)
        let third = try sandbox.terminal("run", "demo")
        try third.await("o/a/s/e/n/v/?> ")
        #expect(
            third.text.contains("every sample of temperature.attic  (new here since you chose)"))
        third.type("v\n")
        #expect(try third.finish() == 0)
        #expect(third.text.contains("temperature: 4.5"))
        let fourth = try sandbox.terminal("run", "demo")
        #expect(try fourth.finish() == 0)
        #expect(!fourth.text.contains("Nervous asks you"))
    }

    @Test func `choosing none denies`() throws {
        let sandbox = try Sandbox()
        let terminal = try sandbox.terminal("run", try setUp(sandbox))
        try terminal.await("o/a/s/e/n/v/?> ")
        terminal.type("a\n")
        try terminal.await("Enter: no> ")
        terminal.type("\n")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("temperature: denied"))
        #expect(terminal.text.contains("temperature.indoors: denied"))
    }

    @Test(arguments: [
        ("sensor:temperature=temperature.indoors", "temperature: 21.5"),
        (
            "sensor:temperature=temperature.indoors,temperature.outdoors",
            "temperature: several-sensors\ntemperature.indoors: 21.5\ntemperature.outdoors: 4.5"
        ),
    ])
    func `a flag chooses for one run`(flag: String, words: String) throws {
        let sandbox = try Sandbox()
        let run = try sandbox.nervous("run", try setUp(sandbox), "--allow", flag)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains(words), "\(run.output)")
        #expect(
            try sandbox.nervous("run", "demo", "--no-prompt").output.contains("temperature: und"))
    }

    @Test(arguments: [
        "sensor:temperature=", "sensor:temperature=humidity", "sensor:temperature=a b",
        "sensor:temperature=temperature.indoors,", "storage=temperature.indoors",
    ])
    func `a flag without a choice is rejected`(flag: String) throws {
        let run = try Sandbox().nervous("run", "demo", "--allow", flag)
        #expect(run.code == 64)
        #expect(run.errors.contains("is not a privilege"))
    }
}
