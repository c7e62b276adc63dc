import API
import ArgumentParser
import Auth
import Foundation
import Glibc
import Host

/// Applies changes of the configuration and the policy to the running host.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Apply changes of config.json and policy.json to the running host.",
        discussion: """
            Both files are checked first; if one has an error, nothing changes. The policy
            takes effect at the next call of an app, changed budgets of apps at their next
            run, and a changed budget of the access log within about a second. The host's
            log names changed settings that need a restart.
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let paths = options.host.paths
        _ = try Configuration(path: paths.configuration)
        _ = try Policy(files: paths.policies)
        let none = CommandFailure(
            .unavailable, "No serving host.",
            hint: "A host reads both files when it starts: nervous serve", type: "not-serving")
        guard try HostSession.isListening(paths.controlSocket) else { throw none }
        let status = try await HostSession.with(options.host) { session in
            session.isOwn ? nil : try await session.client.status().value
        }
        // A host without a port ends with its command.
        guard let status, status.port != nil else { throw none }
        guard kill(status.pid, SIGHUP) == 0 else {
            throw CommandFailure(
                .unavailable, "Process \(status.pid), the host, cannot be signalled.",
                type: "not-serving")
        }
        if options.json {
            try options.console.print(encoding: ["pid": status.pid])
        } else {
            options.console.print("The host, process \(status.pid), reads both files again.")
        }
    }
}
