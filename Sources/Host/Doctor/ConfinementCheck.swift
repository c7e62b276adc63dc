import AppRuns
import Auth
import Text

/// The layers around an app, as the runner gets them here.
struct ConfinementCheck: DoctorCheck {
    let name = "confinement"

    /// What the runner names and what it means; all but `mdwe` are required, or it does not start.
    private static let meanings = [
        ("process", "a session of its own, no core dumps, ends with the host"),
        ("limits", "files, descriptors, locked memory"),
        ("no_new_privs", "no program gains privileges"),
        ("capabilities", "none, also for root"),
        ("landlock", "no file, no TCP, no signals to others"),
        ("memory", "grows no further than the budget of an app"),
        ("seccomp", "some 35 system calls, any other ends the process"),
    ]

    func findings(_ context: DoctorContext) async -> [Finding] {
        guard let runner = try? CompanionProgram.runner.path() else {
            return [note("Not tried: there is no \(CompanionProgram.runner.rawValue).")]
        }
        let run = await RunnerCheck.run(runner: runner)
        guard let layers = run.layers, case .finished(code: 0) = run.outcome else {
            return [broken(Self.reason(run.outcome), fix: Self.remedy)]
        }
        var findings = Self.meanings.map { layer, meaning in
            guard let found = layers.first(where: { $0.split(separator: " ").first == layer[...] })
            else { return broken("\(layer) is missing: \(meaning).", fix: Self.remedy) }
            return fine("\(found): \(meaning)")
        }
        let hasMDWE = layers.contains("mdwe")
        findings.append(
            hasMDWE
                ? fine("mdwe: memory that was writable never becomes executable")
                : note("mdwe is missing, which Linux has from 6.3 on; seccomp sees to the same."))
        return findings
    }

    private static let remedy =
        "See what the kernel has: cat /sys/kernel/security/lsm; zgrep -E 'LANDLOCK|SECCOMP' /proc/config.gz"

    private static func reason(_ outcome: RunOutcome) -> String {
        switch outcome {
        case .failedToStart(let text):
            "Apps cannot be confined: \(text.escapedForDisplay(limit: 300))"
        case .sandboxViolation: "The runner itself does what its confinement forbids."
        case .crashed(let signal): "The runner was ended by signal \(signal)."
        default: "The runner did not end as it should."
        }
    }
}
