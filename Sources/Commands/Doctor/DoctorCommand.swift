import API
import ArgumentParser
import Foundation
import Host
import VM

/// Checks the environment of Nervous, and tests the sandbox.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Check the sandbox, the programs, the data and the host, and suggest remedies.",
        discussion: """
            Examples:
              nervous doctor
              nervous doctor data databases
              nervous doctor --json | jq '.findings[] | select(.state == "broken")'

            It starts confined processes that try to escape, and reads the data directory,
            without changing anything. It works with and without a running host.
            Exit code: 0 if everything works, 1 if something is broken.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The checks to run: \(DoctorContext.checks.map(\.name).joined(separator: ", ")).",
        completion: .list(DoctorContext.checks.map(\.name)))
    var checks: [String] = []

    func validate() throws {
        let known = DoctorContext.checks.map(\.name)
        for name in checks where !known.contains(name) {
            throw ValidationError(
                "Unknown check \(name): choose from \(known.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let progress = ProgressLine("Checking", options.console)
        let context = DoctorContext(paths: options.host.paths, roots: options.host.roots) {
            progress.show($0, of: $1)
        }
        var findings: [Finding] = []
        for check in DoctorContext.checks where checks.isEmpty || checks.contains(check.name) {
            let found = await check.findings(context)
            progress.end()
            findings += found
            if !options.json { found.forEach(show) }
        }
        let report = DoctorReport(findings)
        if options.json {
            try options.console.print(encoding: report)
        } else {
            let count = findings.count { $0.state == .broken }
            options.console.print(
                report.ok ? "All checks passed." : "\(count) of \(findings.count) checks failed.")
        }
        if !report.ok { throw ExitCode(CommandFailure.Code.failed.rawValue) }
    }

    private func show(_ finding: Finding) {
        let mark =
            switch finding.state {
            case .fine: "ok    "
            case .note: "note  "
            case .broken: "BROKEN"
            }
        let check = finding.check.padding(toLength: 12, withPad: " ", startingAt: 0)
        options.console.print("\(mark)  \(check)  \(finding.message)")
        if let fix = finding.fix { options.console.print("        \(check)  → \(fix)") }
    }
}

extension DoctorContext {
    /// All checks, in the order of the output.
    static let checks: [any DoctorCheck] = [
        KernelCheck(), ProgramsCheck(), HeadlessCheck(), ConfinementCheck(), EscapeCheck(),
        DataDirectoryCheck(), LockCheck(), ConfigurationCheck(), SensorsCheck(), LibrariesCheck(),
        DatabaseCheck(), AccessLogCheck(), HostCheck(), DesktopCheck(),
    ]
}
