import Foundation
import TestSupport
import Testing

/// The policy broker of `docs/policy-broker.md`, asked by the program.
@Suite(.blocking)
struct PolicyBrokerTests {
    private static let configuration = #"""
        {"policyBroker": {"socket": "SOCKET", "allow": ["sensor:cpu", "sensor:memory:stats"]}}
        """#

    /// The example of the document, which listens when this returns.
    private static func broker(_ sandbox: Sandbox) throws -> Program {
        let document = try String(
            contentsOfFile: "\(Binary.repository)/docs/policy-broker.md", encoding: .utf8)
        let block = try #require(document.firstMatch(of: /(?s)```python\n(.*?)```/))
        let script = sandbox.path("broker.py")
        try String(block.1).write(toFile: script, atomically: true, encoding: .utf8)
        let socket = sandbox.path("run/broker")
        let program = try Program("/usr/bin/python3", [script, socket], output: .pipe)
        // The file exists before the program listens.
        try waitUntil { try sandbox.nervous("doctor", "config").output.contains("listens at") }
        return program
    }

    private static func configured() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.configure(
            configuration.replacing("SOCKET", with: sandbox.path("run/broker")))
        return sandbox
    }

    private static var manifest: [String: Any] {
        [
            "name": "demo", "version": "1.5",
            "privileges": [
                ["sensor": "cpu", "reason": "to show the load"],
                ["net": ["https://example.org"], "reason": "to report it"],
            ],
        ]
    }
    private static let script = """
        (async () => {
          const asked = [
            { name: "cpu", access: "stats" }, { name: "cpu" },
            { name: "net", origin: "https://example.org" },
          ];
          for (const privilege of asked) {
            const { state } = await nervous.permissions.query(privilege);
            console.log(privilege.name, privilege.access, state);
          }
        })();
        """

    @Test(arguments: [[String](), ["--no-prompt"]])
    func `the broker of the example decides without a terminal`(options: [String]) throws {
        let sandbox = try Self.configured()
        let broker = try Self.broker(sandbox)
        let folder = try sandbox.app(Self.script, manifest: Self.manifest)
        let run = try sandbox.nervous(["run", folder] + options)
        #expect(run.code == 0, "\(run.errors)")
        #expect(
            run.output == """
                cpu stats granted
                cpu undefined denied
                net undefined denied

                """)
        #expect(
            run.errors.contains(
                "sensor:cpu is allowed to demo by your policy broker, statistics only,"
                    + " only in the foreground, this run only."), "\(run.errors)")
        #expect(
            run.errors.contains("net:https://example.org is denied to demo by your policy broker."))
        let log = try sandbox.nervous("log", "--json")
        #expect(log.output.matches(of: /by: broker/).count == 2, "\(log.output)")
        // Nothing lasts.
        #expect(try !sandbox.nervous("permissions", "--json").output.contains("granted"))
        withExtendedLifetime(broker) {}
    }

    @Test func `options take precedence, and what is left is asked`() throws {
        let sandbox = try Self.configured()
        let broker = try Self.broker(sandbox)
        let folder = try sandbox.app(
            Self.script,
            manifest: [
                "name": "demo", "version": "1",
                "privileges": [
                    ["sensor": "cpu", "reason": "test"], ["sensor": "load", "reason": "test"],
                ],
            ])
        let run = try sandbox.nervous("run", folder, "--deny", "sensor:cpu")
        #expect(run.code == 77 && run.errors.contains("demo needs sensor:load, which is undecided"))
        #expect(!run.errors.contains("policy broker"), "\(run.errors)")
        withExtendedLifetime(broker) {}
    }

    @Test func `without the broker the owner is asked, and doctor reports it`() throws {
        let sandbox = try Self.configured()
        let folder = try sandbox.app(Self.script, manifest: Self.manifest)
        let run = try sandbox.nervous("run", folder)
        #expect(run.code == 77 && run.errors.contains("which are undecided"), "\(run.errors)")
        let doctor = try sandbox.nervous("doctor", "config")
        #expect(doctor.output.contains("policyBroker:"), "\(doctor.output)\(doctor.errors)")
        let broker = try Self.broker(sandbox)
        let again = try sandbox.nervous("doctor", "config")
        #expect(again.output.contains("the policy broker listens at"), "\(again.output)")
        withExtendedLifetime(broker) {}
    }
}
