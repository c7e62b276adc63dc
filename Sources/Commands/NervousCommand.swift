public import ArgumentParser
import Foundation
import Glibc
import Host
import RunnerProtocol
import VM

/// The command line of Nervous.
public struct NervousCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "nervous",
        abstract:
            "Runs other people's JavaScript apps on your sensor data, under your permissions.",
        discussion: """
            Try it:
              nervous sensors             what this machine can sense
              nervous install app.zip     install an app
              nervous run hello-sensors   ask you, then run it here
              nervous new my-app          begin an app of your own
              nervous serve               collect, and answer at http://localhost:8080
              nervous query cpu --stats mean --last 10m

            Everything stays on this machine. An app reads only what you allow, and
            `nervous log` shows what it read.
            """,
        version: Release.version,
        subcommands: [
            NewCommand.self, TestCommand.self, TrialCommand.self, RecordCommand.self,
            RunCommand.self,
            StopCommand.self, InstallCommand.self, UninstallCommand.self,
            AppsCommand.self,
            ServeCommand.self, OpenCommand.self, SensorsCommand.self, QueryCommand.self,
            AnalyzeCommand.self, ExportCommand.self, ImportCommand.self,
            SessionsCommand.self, OutboxCommand.self, StorageCommand.self, ForgetCommand.self,
            PermissionsCommand.self, LogCommand.self, TokenCommand.self, PackCommand.self,
            KeysCommand.self, StatusCommand.self, DoctorCommand.self,
        ])

    public init() {}

    /// Parses the arguments of the process, runs the command, and exits with its code.
    public static func start() async {
        // A reader that went away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            Glibc.exit(code.rawValue)
        } catch {
            guard isOurs(error) else { end(with: error) }
            let failure = CommandFailure(error)
            Console(isJSON: arguments.contains("--json")).report(failure)
            Glibc.exit(failure.code.rawValue)
        }
    }

    /// Prints what the parser has to say, help to standard output and faults in our own form.
    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        guard code != .success else { exit(withError: error) }
        let text = fullMessage(for: error)
        let message = text.hasPrefix("Error: ") ? "error: " + text.dropFirst("Error: ".count) : text
        Console(isJSON: false).say(message)
        Glibc.exit(code.rawValue)
    }

    /// Whether an error came from the work and not from reading the arguments.
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
            discussion: "Also NERVOUS_DATA; otherwise $XDG_DATA_HOME/nervous.", valueName: "dir"))
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

    @Option(help: "The format of the log on standard error: text or json.")
    var logFormat = LogFormat.text

    /// The part that a host depends on.
    var host: HostOptions {
        HostOptions(
            paths: HostPaths(option: data, environment: ProcessInfo.processInfo.environment),
            roots: SystemRoots(proc: procRoot, sys: sysRoot, dev: devRoot), logFormat: logFormat)
    }

    var console: Console { Console(isJSON: json) }
}

extension LogFormat: ExpressibleByArgument {}
