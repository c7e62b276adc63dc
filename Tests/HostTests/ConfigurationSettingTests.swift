import Foundation
import TestSupport
import Testing
import Text

@testable import Host

/// The list of settings, the template and the documentation are complete, and agree with the parser.
@Suite(.blocking)
struct ConfigurationSettingTests {
    /// The folder of the repository.
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path(percentEncoded: false)

    /// Every key that a section takes, as the sources of the parser name them.
    private static func keysOfTheParser() throws -> Set<String> {
        let folder = "\(repository)Sources/Host/Configuration"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        // A permission set is one setting, and so is what the policy broker may allow.
        let others = ["Policy+", "PermissionSet", "BrokerAllowance"]
        let sources = try files.filter { file in !others.contains(where: file.hasPrefix) }.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
        let calls = /(?:take|path|span)\(\s*"(\w+)"/
        return Set(sources.flatMap { $0.matches(of: calls).map { String($0.1) } })
    }

    private static func parsed(_ text: String) throws -> Configuration {
        try Configuration(parsing: Array(text.utf8))
    }

    /// The template without its comments.
    ///
    /// - Parameter withExamples: whether settings without a default have their example.
    private static func template(withExamples: Bool) -> String {
        ConfigurationTemplate.text.split(separator: "\n").compactMap { line -> String? in
            let text = line.trimmingPrefix { $0 == " " }
            guard text.hasPrefix("//") else { return String(line) }
            let rest = text.dropFirst(2)
            return withExamples && (rest.hasPrefix("\"") || rest.hasPrefix("}"))
                ? String(rest) : nil
        }.joined(separator: "\n")
    }

    /// The keys of all objects in a value.
    private static func keys(in value: JSONValue) -> Set<String> {
        (value.object ?? []).reduce(into: []) { keys, member in
            keys.insert(member.key)
            keys.formUnion(self.keys(in: member.value))
        }
    }

    @Test func `every key that the parser takes is a setting of the list`() throws {
        let keys = try Self.keysOfTheParser()
        #expect(keys.count > 30)
        let known = Set(
            ConfigurationSetting.all.flatMap { $0.name.split(separator: ".").map(String.init) })
        #expect(keys == known)
        let names = ConfigurationSetting.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test func `the template without comments changes nothing`() throws {
        #expect(try Self.parsed(Self.template(withExamples: false)) == Configuration())
    }

    @Test func `the template with its examples is valid and has every setting`() throws {
        let text = Self.template(withExamples: true)
        let configuration = try Self.parsed(text)
        let root = try StrictJSON(allowsTrailingCommas: true).parse(Array(text.utf8))
        for setting in ConfigurationSetting.all {
            let value = setting.name.split(separator: ".").reduce(root as JSONValue?) {
                $0?[String($1)]
            }
            #expect(value != nil, "\(setting.name)")
            #expect(ConfigurationTemplate.text.contains("// \(setting.meaning)\n"))
            if setting.name != "budgets.apps" {
                #expect(
                    setting.value(in: configuration)?.inLine == value?.inLine, "\(setting.name)")
            }
        }
        #expect(try Self.keysOfTheParser().isSubset(of: Self.keys(in: root)))
    }

    @Test func `the documentation has every setting and the same defaults`() throws {
        let page = try String(
            contentsOfFile: "\(Self.repository)docs/configuration.md", encoding: .utf8)
        for setting in ConfigurationSetting.all {
            let key = setting.name.split(separator: ".").last ?? ""
            #expect(page.contains("`\(key)`") || page.contains("\"\(key)\""), "\(setting.name)")
        }
        let example = page.firstMatch(of: /```json\n(\{\n  "packages"(?s:.*?))```/)
        let block = try #require(example)
        #expect(try Self.parsed(String(block.1)) == Configuration())
    }

    @Test func `what the file sets is distinguished from defaults`() throws {
        let text = """
            {"packages": {"entries": 5}, "lan": {}, "mqtt": {"host": "broker.home"},
             "budgets": {"memoryMiB": 104, "apps": {"load-watch": {"memoryMiB": 256}}}}
            """
        let settings = EffectiveConfiguration(try Self.parsed(text), from: Array(text.utf8))
            .settings
        func line(_ name: String) -> String? {
            settings.first { $0.name == name }.map { "\($0.value.inLine) \($0.isDefault)" }
        }
        #expect(line("packages.entries") == "5 false")
        #expect(line("packages.depth") == "16 true")
        #expect(line("mqtt.host") == "\"broker.home\" false")
        #expect(line("mqtt.port") == "1883 true")
        #expect(line("mqtt.passwordFile") == "null true")
        #expect(line("lan.port") == "8443 true")
        // It is set, though to the default.
        #expect(line("budgets.memoryMiB") == "104 false")
        #expect(line("budgets.apps") == nil)
        #expect(line("budgets.apps.load-watch.memoryMiB") == "256 false")
        let defaults = EffectiveConfiguration(Configuration(), from: Array("{}".utf8)).settings
        #expect(defaults.map(\.name) == ConfigurationSetting.all.map(\.name))
        #expect(defaults.allSatisfy { $0.isDefault })
        let port = defaults.first { $0.name == "lan.port" }
        #expect(port?.value.isNull == true)
    }

    @Test func `the system service has one policy`() {
        let paths = HostPaths(
            option: nil, environment: ["HOME": "/var/lib/nervous", "XDG_CONFIG_HOME": "/etc"])
        #expect(paths.policies == ["/etc/nervous/policy.json"])
    }
}
