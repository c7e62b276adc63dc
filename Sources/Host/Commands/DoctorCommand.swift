import ArgumentParser
import Foundation

/// Looks at what Nervous depends on and tries the sandbox.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Check the sandbox, the programs, the data and the host, and say what would help.",
        discussion: """
            Examples:
              nervous doctor
              nervous doctor data databases
              nervous doctor --json | jq '.findings[] | select(.state == "broken")'

            It starts confined processes that try to get out, reads the data directory, and changes
            nothing. It works with and without a running host.
            Exit code: 0 when all is well, 1 when something is broken.
            """)

    private struct Report: Encodable {
        let ok: Bool
        let findings: [Finding]
    }

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "What to look at: \(DoctorContext.checks.map(\.name).joined(separator: ", ")).",
        completion: .list(DoctorContext.checks.map(\.name)))
    var checks: [String] = []

    func validate() throws {
        let known = DoctorContext.checks.map(\.name)
        for name in checks where !known.contains(name) {
            throw ValidationError(
                "\(name) is none of what there is to check: \(known.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let progress = ProgressLine("Checking", options.console)
        let context = DoctorContext(paths: options.paths, roots: options.roots) {
            progress.show($0, of: $1)
        }
        var findings: [Finding] = []
        for check in DoctorContext.checks where checks.isEmpty || checks.contains(check.name) {
            let found = await check.findings(context)
            progress.end()
            findings += found
            if !options.json { found.forEach(show) }
        }
        let isBroken = findings.contains { $0.state == .broken }
        if options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            options.console.print(
                json: try encoder.encode(Report(ok: !isBroken, findings: findings)))
        } else {
            let count = findings.count { $0.state == .broken }
            options.console.print(
                isBroken ? "\(count) of \(findings.count) are broken." : "All is well.")
        }
        if isBroken { throw ExitCode(CommandFailure.Code.failed.rawValue) }
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
