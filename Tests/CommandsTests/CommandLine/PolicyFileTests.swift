import Auth
import Foundation
import TestSupport
import Testing
import Text

@testable import Host

/// Reading `policy.json`, and its effect on commands.
@Suite(.blocking)
struct PolicyFileTests {
    private static func restrict(_ text: String, _ sandbox: Sandbox) throws -> String {
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/policy.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test(arguments: [
        ("", "1:1"), ("[]", "1:1"), (#"{"restrict": []}"#, "1:2"),
        (#"{"restricted": "net"}"#, "1:16"),
        (#"{"restricted": ["net", 5]}"#, "1:24"), (#"{"restricted": ["camera"]}"#, "1:17"),
        ("{\n  \"restricted\": [\n    \"sensor:No Name\"\n  ]\n}", "3:5"),
        (#"{"restricted": [], "restricted": []}"#, "1:20"), (#"{"restricted": []} x"#, "1:20"),
    ])
    func `invalid content is rejected with its position`(
        text: String, place: String
    ) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Policy.restrictions(parsing: Array(text.utf8), from: "policy.json")
        }
        #expect(error?.position.description == place, "\(error?.message ?? "")")
    }

    @Test
    func `both files restrict, and a missing one restricts nothing`()
        throws
    {
        let sandbox = try Sandbox()
        let (one, two) = (sandbox.path("one.json"), sandbox.path("two.json"))
        #expect(try Policy(files: [one, two]) == Policy())
        try #"{"restricted": ["net",],}"#.write(toFile: one, atomically: true, encoding: .utf8)
        try #"{"restricted": ["sensor:camera"]}"#
            .write(toFile: two, atomically: true, encoding: .utf8)
        let policy = try Policy(files: [one, two])
        #expect(policy.restrictions.map(\.privilege) == ["net", "sensor:camera"])
        #expect(policy.restrictions.map(\.file) == [one, two])
        // A folder exists instead of the file.
        #expect(throws: CommandFailure.self) { try Policy(files: [sandbox.root]) }
    }

    @Test
    func `the machine's policy is first, and the path of the owner's follows the environment`() {
        let home = HostPaths(option: nil, environment: ["HOME": "/home/a"])
        #expect(
            home.policies == ["/etc/nervous/policy.json", "/home/a/.config/nervous/policy.json"])
        let other = HostPaths(
            option: nil, environment: ["HOME": "/home/a", "XDG_CONFIG_HOME": "/b"])
        #expect(other.policies == ["/etc/nervous/policy.json", "/b/nervous/policy.json"])
    }

    @Test func `a changed policy is applied without a restart, and a wrong one changes nothing`()
        throws
    {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let token = try sandbox.nervous("token", "create", "curl", "--allow", "sensor:cpu").output
            .trimmingCharacters(in: .newlines)
        func status() throws -> Int? {
            try sandbox.curl(
                "-H", "Authorization: Bearer \(token)",
                host.url("/api/v1/sensors/cpu/stats?fn=count")
            ).status
        }
        #expect(try status() == 200)
        _ = try Self.restrict(#"{"restricted": ["sensor:cpu"]}"#, sandbox)
        #expect(try status() == 200)
        let done = try sandbox.nervous("reload")
        #expect(done.code == 0, "\(done.errors)")
        try waitUntil(otherwise: { "still allowed" }) { try status() == 403 }
        let path = try Self.restrict(#"{"restricted": ["cpu"]}"#, sandbox)
        let wrong = try sandbox.nervous("reload")
        #expect(wrong.code == 78)
        #expect(wrong.errors.contains(path))
        #expect(try status() == 403)
        _ = try Self.restrict(#"{"restricted": []}"#, sandbox)
        host.kill(SIGHUP)
        try waitUntil(otherwise: { "still restricted" }) { try status() == 200 }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        #expect(try sandbox.nervous("reload").code == 69)
    }

    @Test func `an invalid policy prevents the host from starting`() throws {
        let sandbox = try Sandbox()
        let path = try Self.restrict(#"{"restricted": ["camera"]}"#, sandbox)
        for command in [["apps"], ["serve", "--port", "0"]] {
            let wrong = try sandbox.nervous(command)
            #expect(wrong.code == 78)
            #expect(wrong.errors.contains("\(path):1:17: “camera” is not a privilege"))
        }
    }

    @Test func `a policy blocks grants, is reported, and its removal restores them`()
        throws
    {
        let sandbox = try Sandbox()
        let script = """
            nervous.sensor("cpu").stats({ last: "1m" }).then(
              () => console.log("allowed"), (error) => console.log("refused", error.problem));
            """
        let app = try sandbox.app(script)
        #expect(try sandbox.nervous("install", app).code == 0)
        #expect(try sandbox.nervous("permissions", "grant", "demo", "sensor:cpu").code == 0)
        #expect(try sandbox.nervous("run", "demo").output.contains("allowed"))

        let path = try Self.restrict(#"{"restricted": ["sensor:cpu"]}"#, sandbox)
        for flags in [[], ["--allow-all"]] {
            let run = try sandbox.nervous(["run", "demo"] + flags)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output.contains("refused restricted"), "\(run.output)")
            #expect(run.errors.contains("sensor:cpu is not granted to demo"), "\(run.errors)")
            #expect(run.errors.contains(path))
        }
        let list = try sandbox.nervous("permissions").output
        #expect(list.contains("sensor:cpu is blocked by \(path)"))
        #expect(list.contains(/demo +sensor:cpu +restricted .*blocked by/), "\(list)")
        for words in [
            ["permissions", "grant", "demo", "sensor:cpu"],
            ["run", "demo", "--allow", "sensor:cpu"],
        ] {
            let refused = try sandbox.nervous(words)
            #expect(refused.code == 77)
            #expect(refused.errors.contains("\(path) restricts sensor:cpu"), "\(refused.errors)")
        }
        #expect(try sandbox.nervous("uninstall", "demo").code == 0)
        let installed = try sandbox.nervous("install", app).output
        #expect(
            installed.contains("blocked by \(path)"), "\(installed)")
        #expect(!installed.contains("it asks for"))

        _ = try Self.restrict("{}", sandbox)
        #expect(try sandbox.nervous("permissions", "grant", "demo", "sensor:cpu").code == 0)
        _ = try Self.restrict(#"{"restricted": ["sensor:cpu"]}"#, sandbox)
        #expect(try sandbox.nervous("run", "demo").output.contains("refused restricted"))
        try FileManager.default.removeItem(atPath: path)
        #expect(try sandbox.nervous("run", "demo").output.contains("allowed"))
    }

    @Test func `clients get 403, and their permission is denied and restricted`() throws {
        let sandbox = try Sandbox()
        let path = try Self.restrict(#"{"restricted": ["sensor:cpu"]}"#, sandbox)
        let host = try ServingHost(sandbox)
        let token = try sandbox.nervous("token", "create", "curl", "--allow", "sensor:memory")
            .output.trimmingCharacters(in: .newlines)
        let holder = "Authorization: Bearer \(token)"
        let read = try sandbox.curl("-H", holder, host.url("/api/v1/sensors/cpu/latest"))
        #expect(read.status == 403)
        #expect(read.body.contains(#""code":"restricted""#))
        #expect(!read.body.contains(path))
        let state = try sandbox.curl("-H", holder, host.url("/api/v1/permissions/sensor:cpu"))
        #expect(state.status == 200)
        #expect(state.body.contains(#""restricted":true"#))
        #expect(state.body.contains(#""state":"denied""#))
        let other = try sandbox.curl("-H", holder, host.url("/api/v1/permissions/sensor:memory"))
        #expect(!other.body.contains("restricted"))
        let refused = try sandbox.nervous("token", "create", "more", "--allow", "sensor:cpu:stats")
        #expect(refused.code == 77)
        #expect(try !sandbox.nervous("token", "list").output.contains("more"))
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
