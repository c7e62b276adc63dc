import ArgumentParser
import Auth
import Foundation
import Host
import Text

/// Shows and checks the configuration.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show and check config.json, and list its settings.",
        discussion: """
            Examples:
              nervous config                    the settings in effect
              nervous config template           all settings, with comments
              $EDITOR "$(nervous config path)"  change some
              nervous config check              find errors
              nervous reload                    apply the changes to a running host

            These commands need no host, and change nothing.
            """,
        subcommands: [Show.self, Check.self, Path.self, Template.self],
        defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the settings in effect, and which of them are defaults.",
            discussion: """
                No setting is a secret: passwords are in files of their own, which are not read
                here. A running host uses changed settings only after `nervous reload`.
                """)

        private struct Report: Encodable {
            let file: String
            let settings: [EffectiveConfiguration.Setting]
        }

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Only the settings that the file sets.")
        var changed = false

        func run() async throws {
            let file = options.host.paths.configuration
            let effective = try EffectiveConfiguration(path: file)
            let settings = effective.settings.filter { !changed || !$0.isDefault }
            guard !options.json else {
                return try options.console.print(encoding: Report(file: file, settings: settings))
            }
            guard !settings.isEmpty else {
                return options.console.say("\(file) sets nothing: the defaults are in effect.")
            }
            var table = Table("SETTING", "VALUE", "FROM")
            for setting in settings {
                table.add(
                    setting.name, setting.value.isNull ? "–" : setting.value.inLine,
                    setting.isDefault ? "default" : "config.json")
            }
            options.console.print(table)
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check config.json and the policies, or another file.",
            discussion: """
                These are the files that a host reads when it starts, and that `nervous reload`
                reads again. Errors are reported with line and column.
                Exit code: 0 if all files are valid, 78 if one is not.
                """)

        private struct Report: Encodable {
            struct File: Encodable {
                let path: String
                let state: String
            }

            let ok: Bool
            let files: [File]
        }

        private enum Kind {
            case configuration
            case policy
        }

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Check FILE as a policy.json, not as a config.json.")
        var policy = false

        @Argument(
            help: "The file to check instead of those that are in effect.", completion: .file())
        var file: String?

        func validate() throws {
            guard !policy || file != nil else {
                throw ValidationError("--policy needs a FILE.")
            }
        }

        func run() async throws {
            let paths = options.host.paths
            var files = [(paths.configuration, Kind.configuration)]
            files += paths.policies.map { ($0, Kind.policy) }
            if let file {
                guard FileManager.default.fileExists(atPath: file) else {
                    throw CommandFailure(.noInput, "No file at \(file).")
                }
                files = [(file, policy ? .policy : .configuration)]
            }
            var report: [Report.File] = []
            var failures: [CommandFailure] = []
            for (path, kind) in files {
                do throws(CommandFailure) {
                    try Self.read(path, kind)
                    let exists = FileManager.default.fileExists(atPath: path)
                    report.append(Report.File(path: path, state: exists ? "valid" : "missing"))
                } catch {
                    report.append(Report.File(path: path, state: "invalid"))
                    failures.append(error)
                }
            }
            if options.json {
                try options.console.print(encoding: Report(ok: failures.isEmpty, files: report))
            } else {
                for file in report where file.state != "invalid" {
                    options.console.print(
                        file.state == "valid"
                            ? "\(file.path) is valid."
                            : "\(file.path) does not exist, so it sets nothing.")
                }
            }
            for failure in failures { options.console.report(failure) }
            if !failures.isEmpty { throw ExitCode(CommandFailure.Code.configuration.rawValue) }
        }

        private static func read(_ path: String, _ kind: Kind) throws(CommandFailure) {
            switch kind {
            case .configuration: _ = try Configuration(path: path)
            case .policy: _ = try Policy(files: [path])
            }
        }
    }

    struct Path: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path",
            abstract: "Print the path of config.json, whether it exists or not.")

        private struct Report: Encodable {
            let configuration: String
            let policies: [String]
            let data: String
            let socket: String
        }

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Also the paths of the policies and of the data directory.")
        var all = false

        func run() async throws {
            let paths = options.host.paths
            if options.json {
                let report = Report(
                    configuration: paths.configuration, policies: paths.policies, data: paths.data,
                    socket: paths.controlSocket)
                return try options.console.print(encoding: report)
            }
            options.console.print(paths.configuration)
            for path in all ? paths.policies + [paths.data] : [] { options.console.print(path) }
        }
    }

    struct Template: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "template",
            abstract: "Print all settings with their meaning and their defaults.",
            discussion: """
                The output has comments, which config.json cannot have: copy what you change.
                """)

        private struct Items: Encodable {
            let items: [ConfigurationTemplate.Entry]
        }

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            guard !options.json else {
                return try options.console.print(
                    encoding: Items(items: ConfigurationTemplate.entries))
            }
            options.console.print(
                ConfigurationTemplate.text.trimmingCharacters(in: .newlines))
        }
    }
}
