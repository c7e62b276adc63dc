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

    private struct Report: Encodable {
        let ok: Bool
        let findings: [Finding]
    }

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
        let isBroken = findings.contains { $0.state == .broken }
        if options.json {
            try options.console.print(encoding: Report(ok: !isBroken, findings: findings))
        } else {
            let count = findings.count { $0.state == .broken }
            options.console.print(
                isBroken ? "\(count) of \(findings.count) checks failed." : "All checks passed.")
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

/// A check of `nervous doctor`, which changes nothing.
protocol DoctorCheck: Sendable {
    /// Its name, one word.
    var name: String { get }

    /// The findings, one for each fact that the owner could act on.
    func findings(_ context: DoctorContext) async -> [Finding]
}

extension DoctorCheck {
    func fine(_ message: String) -> Finding { .fine(name, message) }

    func note(_ message: String, fix: String? = nil) -> Finding { .note(name, message, fix: fix) }

    func broken(_ message: String, fix: String? = nil) -> Finding {
        .broken(name, message, fix: fix)
    }
}

/// The input of the checks.
struct DoctorContext: Sendable {
    let paths: HostPaths
    /// The trees that describe the hardware.
    let roots: SystemRoots
    /// Called after each step of a long check.
    let onStep: @Sendable (_ done: Int, _ total: Int) -> Void

    /// All checks, in the order of the output.
    static let checks: [any DoctorCheck] = [
        KernelCheck(), ProgramsCheck(), HeadlessCheck(), ConfinementCheck(), EscapeCheck(),
        DataDirectoryCheck(), ConfigurationCheck(), SensorsCheck(), LibrariesCheck(),
        DatabaseCheck(), AccessLogCheck(), HostCheck(), DesktopCheck(),
    ]
}

/// A finding of a check.
struct Finding: Encodable, Sendable {
    enum State: String, Encodable, Sendable {
        /// Works.
        case fine
        /// Information.
        case note
        /// Something does not work or does not protect.
        case broken
    }

    let check: String
    let state: State
    /// One sentence.
    let message: String
    /// The remedy.
    var fix: String?
    /// Numbers for scripts.
    var figures: [String: Int]?

    static func fine(_ check: String, _ message: String) -> Finding {
        Finding(check: check, state: .fine, message: message)
    }

    static func note(_ check: String, _ message: String, fix: String? = nil) -> Finding {
        Finding(check: check, state: .note, message: message, fix: fix)
    }

    static func broken(_ check: String, _ message: String, fix: String?) -> Finding {
        Finding(check: check, state: .broken, message: message, fix: fix)
    }
}
