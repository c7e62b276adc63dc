import ArgumentParser
import Foundation
import Host
import VM

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

/// One thing that `nervous doctor` looks at.
///
/// It reads and tries, and changes nothing.
protocol DoctorCheck: Sendable {
    /// What it looks at, in one word.
    var name: String { get }

    /// What there is to say; one entry for each fact that a person could act on.
    func findings(_ context: DoctorContext) async -> [Finding]
}

extension DoctorCheck {
    func fine(_ message: String) -> Finding { .fine(name, message) }

    func note(_ message: String, fix: String? = nil) -> Finding { .note(name, message, fix: fix) }

    func broken(_ message: String, fix: String? = nil) -> Finding {
        .broken(name, message, fix: fix)
    }
}

/// What the checks share.
struct DoctorContext: Sendable {
    let paths: HostPaths
    /// Where the hardware of the machine is told of.
    let roots: SystemRoots
    /// Called when a check that takes long has done one of its steps.
    let onStep: @Sendable (_ done: Int, _ total: Int) -> Void

    /// Every check, in the order in which a person wants to read them.
    static let checks: [any DoctorCheck] = [
        KernelCheck(), ProgramsCheck(), HeadlessCheck(), ConfinementCheck(), EscapeCheck(),
        DataDirectoryCheck(), ConfigurationCheck(), SensorsCheck(), LibrariesCheck(),
        DatabaseCheck(), AccessLogCheck(), HostCheck(), DesktopCheck(),
    ]
}

/// What one check found.
struct Finding: Encodable, Sendable {
    enum State: String, Encodable, Sendable {
        /// As it should be.
        case fine
        /// Worth knowing, and nothing is wrong.
        case note
        /// Something does not work or does not protect.
        case broken
    }

    let check: String
    let state: State
    /// One sentence.
    let message: String
    /// The command that helps.
    var fix: String?
    /// Figures, for machines.
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
