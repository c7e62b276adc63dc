import API
import AppLab
import AppRuns
import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import Samples
import Simulation
import Text

/// Runs an app on simulated sensors and reports the privileges that it needs.
struct TrialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial",
        abstract: "Run an app on simulated sensors, and print the minimal privileges it needs.",
        discussion: """
            The app runs in virtual time. It gets all privileges except those for calls to
            servers and those that the policy blocks. It sees none of your data.
            Privileges that it uses only in other circumstances are not detected: try
            several scenarios.

            Examples:
              nervous trial ./my-app
              nervous trial ./my-app --for 1h --scenario walk
              nervous trial ./my-app --sensor accelerometer.phone
              nervous trial ./my-app --write     (to its package.json; reasons are kept)
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "An installed app, or the path of an app's folder, such as ./my-app.",
        completion: .names(.app))
    var app: String

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The virtual time of the run.", valueName: "duration"))
    var duration = "1m"

    @OptionGroup var simulation: SimulationOptions

    @Flag(help: "Write the privileges to the folder's package.json.")
    var write = false

    func validate() throws {
        guard let span = Duration(span: duration),
            (.seconds(1)...(.seconds(40 * 86_400))).contains(span)
        else { throw ValidationError("--for takes a duration from 1s to 40d.") }
        guard !write || PackageArgument.isPath(app) else {
            throw ValidationError("--write requires a folder, such as ./\(app).")
        }
    }

    func run() async throws {
        var settings = try simulation.settings
        settings.limit = Duration(span: duration) ?? settings.limit
        let shown = settings
        let (declared, trial) = try await AppTester.with(
            app, isFolder: PackageArgument.isPath(app), options.host
        ) { tester in
            (tester.app.manifest.privileges, try await tester.trial(shown))
        }
        let findings = TrialFindings(
            trial.entries, declared: declared, instances: settings.instances,
            elapsed: trial.elapsed)
        let draft = try PrivilegeDraft(findings, declared: declared)
        if write { try save(draft) }
        if options.json {
            try options.console.print(encoding: findings)
        } else {
            try show(findings, draft)
        }
        for error in trial.result.errors.prefix(3) {
            let place = error.place.map { "\($0.escapedForDisplay(limit: 120)): " } ?? ""
            options.console.say("uncaught: \(place)\(error.message.escapedForDisplay(limit: 500))")
        }
        if let ending = trial.run.ending, ending.exitCode != 0 {
            throw CommandFailure(
                .failed,
                "The app ended with \(ending.exitCode), so the list may be incomplete.",
                hint: "Fix the app, and try again.", type: ending.name)
        }
    }

    private func show(_ findings: TrialFindings, _ draft: PrivilegeDraft) throws {
        let console = options.console
        var table = Table("PRIVILEGE", "CALLS", "SAMPLES", "PER SECOND", "HISTORY", "OPERATIONS")
        for need in findings.needs {
            let back = need.history.map { Duration.milliseconds($0).span } ?? "–"
            table.add(
                need.privilege, "\(need.calls)", "\(need.samples)",
                need.rate.map { Format.number($0) } ?? "–", back,
                need.operations.joined(separator: ", ") + (need.refused ? " (refused)" : ""))
        }
        if findings.needs.isEmpty {
            let (scenario, seed) = (try simulation.kind.rawValue, simulation.seed)
            console.print("The app used no privilege in \(duration) (\(scenario), seed \(seed)).")
        } else {
            console.print(table)
        }
        console.print("")
        if write {
            console.print("Wrote the privileges to package.json.")
        } else {
            console.print("\"privileges\": " + draft.lines.joined(separator: "\n"))
        }
        if !findings.unused.isEmpty {
            console.print("Declared but not used: \(findings.unused.joined(separator: ", "))")
        }
        if !draft.withoutReason.isEmpty {
            console.say(
                "Add a reason for \(draft.withoutReason.joined(separator: ", ")): without it the package"
                    + " cannot be installed.")
        }
    }

    private func save(_ draft: PrivilegeDraft) throws {
        let path = URL(filePath: app).appending(component: "package.json")
        guard let manifest = try? Data(contentsOf: path) else {
            throw CommandFailure(
                .noInput, "The folder has no readable package.json.",
                hint: "Omit --write.")
        }
        try Data(try draft.replacing(in: Array(manifest))).write(to: path, options: .atomic)
    }
}
