import Foundation
import TestSupport
import Testing

/// `nervous config`: the settings in effect, and errors in files.
@Suite(.blocking)
struct ConfigCommandTests {
    private static func write(_ text: String, _ name: String, _ sandbox: Sandbox) throws -> String {
        let folder = sandbox.path("home/.config/nervous")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private struct Report: Decodable {
        struct File: Decodable {
            let path: String
            let state: String
        }

        struct Setting: Decodable {
            let name: String
            let `default`: Bool
        }

        let ok: Bool?
        let files: [File]?
        let settings: [Setting]?
    }

    private static func report(_ text: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    }

    @Test func `files that do not exist set nothing`() throws {
        let sandbox = try Sandbox()
        let check = try sandbox.nervous("config", "check")
        #expect(check.code == 0 && check.errors.isEmpty, "\(check.errors)")
        #expect(check.output.contains("home/.config/nervous/config.json does not exist"))
        #expect(check.output.contains("/etc/nervous/policy.json"))
        let shown = try sandbox.nervous("config")
        #expect(shown.code == 0)
        #expect(shown.output.contains(/packages\.archiveMiB +20 +default/), "\(shown.output)")
        #expect(shown.output.contains(/mqtt\.host +– +default/))
        #expect(!shown.output.contains(" config.json"))
        let changed = try sandbox.nervous("config", "show", "--changed")
        #expect(changed.output.isEmpty && changed.errors.contains("sets nothing"))
        // No host was started, and nothing was created.
        #expect(!FileManager.default.fileExists(atPath: sandbox.data))
    }

    @Test func `every error of all files is reported with line and column`() throws {
        let sandbox = try Sandbox()
        let configuration = try Self.write("{\n  \"pakages\": {}\n}", "config.json", sandbox)
        let policy = try Self.write(#"{"restricted": ["camera"]}"#, "policy.json", sandbox)
        let check = try sandbox.nervous("config", "check")
        #expect(check.code == 78)
        #expect(check.errors.contains("\(configuration):2:3: “pakages” is not a setting"))
        #expect(check.errors.contains("\(policy):1:17: “camera” is not a privilege"))
        #expect(check.errors.contains("hint: List all settings with: nervous config template"))
        let json = try sandbox.nervous("config", "check", "--json")
        #expect(json.code == 78)
        let report = try Self.report(json.output)
        #expect(report.ok == false)
        #expect(
            report.files?.filter { $0.state == "invalid" }.map(\.path) == [configuration, policy])
        #expect(json.errors.split(separator: "\n").count == 2)
        for line in json.errors.split(separator: "\n") {
            let failure = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
            #expect(["bad-configuration", "bad-policy"].contains(failure["type"] ?? ""))
        }
        #expect(try sandbox.nervous("config", "show").code == 78)
    }

    @Test func `another file can be checked before it is used`() throws {
        let sandbox = try Sandbox()
        _ = try Self.write(#"{"packages": {"entries": 1}}"#, "config.json", sandbox)
        let draft = try Self.write(#"{"packages": {"entries": 5}}"#, "draft.json", sandbox)
        let restrictions = try Self.write(#"{"restricted": ["net"]}"#, "limits.json", sandbox)
        #expect(try sandbox.nervous("config", "check").code == 78)
        #expect(try sandbox.nervous("config", "check", draft).output == "\(draft) is valid.\n")
        #expect(try sandbox.nervous("config", "check", "--policy", restrictions).code == 0)
        #expect(try sandbox.nervous("config", "check", restrictions).code == 78)
        #expect(try sandbox.nervous("config", "check", sandbox.path("none")).code == 66)
        #expect(try sandbox.nervous("config", "check", "--policy").code == 64)
    }

    @Test func `the settings of the file are marked`() throws {
        let sandbox = try Sandbox()
        let secret = sandbox.path("password")
        try Data("correct horse\n".utf8).write(to: URL(filePath: secret))
        _ = try Self.write(
            """
            {"packages": {"entries": 5},
             "mqtt": {"host": "broker.home", "username": "me", "passwordFile": "\(secret)"}}
            """, "config.json", sandbox)
        let shown = try sandbox.nervous("config", "show")
        #expect(shown.output.contains(/packages\.entries +5 +config\.json/), "\(shown.output)")
        #expect(shown.output.contains(/mqtt\.port +1883 +default/))
        let json = try sandbox.nervous("config", "show", "--changed", "--json").output
        #expect(
            try Self.report(json).settings?.map(\.name) == [
                "packages.entries", "mqtt.host", "mqtt.username", "mqtt.passwordFile",
            ])
        #expect(!(shown.output + json).contains("horse"))
    }

    @Test func `the path can be passed to an editor`() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.nervous("config", "path")
        #expect(path.output == sandbox.path("home/.config/nervous/config.json") + "\n")
        let all = try sandbox.nervous("config", "path", "--all").output.split(separator: "\n")
        #expect(all.count == 4)
        #expect(all[1] == "/etc/nervous/policy.json")
    }

    @Test func `the template is printed with comments, which the file cannot have`() throws {
        let sandbox = try Sandbox()
        let template = try sandbox.nervous("config", "template")
        #expect(template.code == 0)
        #expect(template.output.contains("// MiB of an archive, from 1 to 256"))
        #expect(template.output.contains("\"archiveMiB\": 20,"))
        let path = try Self.write(template.output, "config.json", sandbox)
        let check = try sandbox.nervous("config", "check")
        #expect(check.code == 78)
        #expect(check.errors.contains("\(path):1:1: "))
    }
}
