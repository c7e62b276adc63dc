public import ArgumentParser
import Foundation
import Glibc
import Host
import RunnerProtocol
import VM

/// The command line of Nervous.
///
/// ```swift
/// await NervousCommand.start()
/// ```
public struct NervousCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "nervous",
        abstract:
            "Run JavaScript apps on your sensor data, with the permissions you grant.",
        discussion: """
            Try it:
              nervous demo                see what it does, with temporary data
              nervous sensors             list the sensors of this machine
              nervous install app.zip     install an app
              nervous run hello-sensors   run it in this terminal, asking for permissions
              nervous new my-app          create an app of your own
              nervous serve               collect samples, and serve http://localhost:8080
              nervous open                see everything in the browser
              nervous query cpu --stats mean --last 10m

            Your data stays on this machine unless you send it. An app reads only what you
            allow, and `nervous log` shows what it has read.
            """,
        version: Release.version,
        // All commands below have a `commandName`: to derive it from a type, the parser searches the
        // conformances of the program at each start.
        groupedSubcommands: [
            CommandGroup(
                name: "Apps",
                subcommands: [
                    InstallCommand.self, UninstallCommand.self, AppsCommand.self,
                    CatalogueCommand.self, RunCommand.self, StopCommand.self, OpenCommand.self,
                    DemoCommand.self,
                ]),
            CommandGroup(
                name: "Sensors and samples",
                subcommands: [
                    SensorsCommand.self, QueryCommand.self, AnalyzeCommand.self,
                    ExportCommand.self, ImportCommand.self, MetricsCommand.self,
                    StorageCommand.self, ForgetCommand.self,
                ]),
            CommandGroup(name: "Alerts", subcommands: [AlertsCommand.self]),
            CommandGroup(
                name: "Sessions",
                subcommands: [SessionsCommand.self, HealthCommand.self, OutboxCommand.self]),
            CommandGroup(
                name: "Permissions",
                subcommands: [
                    PermissionsCommand.self, LogCommand.self, TokenCommand.self, MCPCommand.self,
                    LockCommand.self, UnlockCommand.self, SecretsCommand.self,
                ]),
            CommandGroup(
                name: "Development",
                subcommands: [
                    NewCommand.self, TestCommand.self, TrialCommand.self, RecordCommand.self,
                    PackCommand.self, KeysCommand.self, BatchCommand.self,
                ]),
            CommandGroup(
                name: "Host",
                subcommands: [
                    ServeCommand.self, ReloadCommand.self, ConfigCommand.self, StatusCommand.self,
                    DoctorCommand.self, BackupCommand.self, RestoreCommand.self,
                    SupportBundleCommand.self,
                ]),
        ])

    public init() {}

    /// Parses the arguments of the process, runs the command, and exits with its code.
    public static func start() async {
        // Writing to a closed pipe is an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try await asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            Glibc.exit(code.rawValue)
        } catch {
            guard isOurs(error) else { end(with: error, arguments) }
            let failure = CommandFailure(error)
            Console(isJSON: arguments.contains("--json")).report(failure)
            Glibc.exit(failure.code.rawValue)
        }
    }

    /// Prints the parser's help to standard output, and its errors in our own format.
    private static func end(with error: any Error, _ arguments: [String]) -> Never {
        let code = exitCode(for: error)
        guard code != .success else {
            guard let shell = CompletionScript.shell(requestedBy: arguments) else {
                exit(withError: error)
            }
            print(CompletionScript.adapted(fullMessage(for: error), to: shell))
            Glibc.exit(code.rawValue)
        }
        // The shell would show the message in the middle of the command line that the person types.
        guard arguments.first != CompletionScript.request else { Glibc.exit(code.rawValue) }
        var (message, text) = (Self.message(for: error), fullMessage(for: error))
        // The type of the error is internal to ArgumentParser, so its message is compared. If a command does
        // not exist, ArgumentParser may report an option after it as unknown.
        if ["unexpected argument", "unknown option"].contains(where: message.lowercased().contains),
            let suggestion = CommandSuggestion(
                for: arguments, refusedWith: message, of: Self.self)
        {
            let usage = usageString(for: suggestion.parent)
            let command = usage.prefix { $0 != "<" && $0 != "[" }
            message = suggestion.message
            text = """
                Error: \(message)
                Usage: \(usage)
                  See '\(command)--help' for more information.
                """
        }
        if arguments.contains("--json") {
            Console(isJSON: true).report(usageFailure(message, text))
        } else {
            let isMarked = text.hasPrefix("Error: ")
            Console(isJSON: false).say(
                isMarked ? "error: " + text.dropFirst("Error: ".count) : text)
        }
        Glibc.exit(code.rawValue)
    }

    /// The error of a command line that is not valid, with the usage as the hint.
    static func usageFailure(_ message: String, _ fullText: String) -> CommandFailure {
        // Without any argument the parser prints the whole help.
        let usage = fullText.split(separator: "\n").first { $0.lowercased().hasPrefix("usage: ") }
        return CommandFailure(
            .usage, message, hint: usage.map { "Usage: " + $0.dropFirst("Usage: ".count) })
    }

    /// Whether an error was thrown by a command, not by the parser of the arguments.
    private static func isOurs(_ error: any Error) -> Bool {
        exitCode(for: error) != .validationFailure && exitCode(for: error) != .success
            || error is CommandFailure
    }
}

/// The options of all commands.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The data directory.",
            discussion: "Default: $NERVOUS_DATA, else $XDG_DATA_HOME/nervous.", valueName: "dir"))
    var data: String?

    @Flag(help: "Output JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Read this tree instead of /proc.", valueName: "dir", visibility: .hidden))
    var procRoot = "/proc"

    @Option(
        help: ArgumentHelp(
            "Read this tree instead of /sys.", valueName: "dir", visibility: .hidden))
    var sysRoot = "/sys"

    @Option(
        help: ArgumentHelp(
            "Open the devices in this folder instead of /dev.", valueName: "dir",
            visibility: .hidden))
    var devRoot = "/dev"

    @Option(
        help: ArgumentHelp(
            "The format of the log on standard error: text or json.", visibility: .hidden))
    var logFormat = LogFormat.text

    /// The options that a host depends on.
    var host: HostOptions {
        HostOptions(
            paths: HostPaths(option: data, environment: ProcessInfo.processInfo.environment),
            roots: SystemRoots(proc: procRoot, sys: sysRoot, dev: devRoot), logFormat: logFormat)
    }

    var console: Console { Console(isJSON: json) }
}

extension LogFormat: ExpressibleByArgument {}
