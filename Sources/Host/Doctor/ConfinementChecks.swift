package import API
import AppRuns
import Auth
import Foundation
import JSApps
import Text

/// The layers that confine an app on this machine.
package struct ConfinementCheck: DoctorCheck {
    package let name = "confinement"

    /// The layers and their meaning; all but `mdwe` are required.
    private static let meanings = [
        ("process", "own session, no core dumps, ends with the host"),
        ("limits", "files, descriptors, locked memory"),
        ("no_new_privs", "no program gains privileges"),
        ("capabilities", "none, also for root"),
        ("landlock", "no file, no TCP, no signals to others"),
        ("memory", "limited to the budget of an app"),
        ("seccomp", "about 35 system calls, any other ends the process"),
    ]

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        guard let runner = try? CompanionProgram.runner.path() else {
            return [note("Not checked: \(CompanionProgram.runner.rawValue) is missing.")]
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
                : note(
                    "mdwe is missing, which requires Linux 6.3; seccomp provides the same protection."
                ))
        return findings + processorFindings(layers)
    }

    /// What keeps apps from reading the memory of others through the processor.
    private func processorFindings(_ layers: [String]) -> [Finding] {
        // "0" if no core has two threads, or if the second ones are off.
        let threads = try? String(
            contentsOfFile: "/sys/devices/system/cpu/smt/active", encoding: .utf8)
        let hasThreads = threads?.hasPrefix("1") ?? false
        return [
            layers.contains("speculation")
                ? fine("speculation: past stores and of indirect branches is off in apps")
                : note(
                    "speculation cannot be turned off for single programs by this kernel: an app may be able to"
                        + " read memory that it shares with the zygote, which contains no data.",
                    fix: "See: grep . /sys/devices/system/cpu/vulnerabilities/*"),
            layers.contains("core")
                ? fine("core: no other program runs on the same core as an app at the same time")
                : hasThreads
                    ? note(
                        "core scheduling is missing: an app can share a core with other programs, whose work it may be"
                            + " able to observe.",
                        fix: "Use a kernel with CONFIG_SCHED_CORE, or turn hyper-threads off:"
                            + " echo off | sudo tee /sys/devices/system/cpu/smt/control")
                    : fine("core: not needed, since each core has one thread"),
        ]
    }

    private static let remedy =
        "Check the kernel: cat /sys/kernel/security/lsm; zgrep -E 'LANDLOCK|SECCOMP' /proc/config.gz"

    private static func reason(_ outcome: RunOutcome) -> String {
        switch outcome {
        case .failedToStart(let text):
            "Apps cannot be confined: \(text.escapedForDisplay(limit: 300))"
        case .sandboxViolation: "The runner itself violates its confinement."
        case .crashed(let signal): "The runner was killed by signal \(signal)."
        default: "The runner did not end normally."
        }
    }
}

/// Tries to escape from the sandbox in every known way, each in a separate runner.
package struct EscapeCheck: DoctorCheck {
    package let name = "escapes"
    private static let runsAtOnce = 2

    private struct Probe: Sendable {
        let name: String
        /// The expected `errno`; 0 if the attempt must be fatal.
        let expected: UInt8
    }

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        guard let runner = try? CompanionProgram.runner.path() else {
            return [note("Not checked: \(CompanionProgram.runner.rawValue) is missing.")]
        }
        let probes = await Self.probes(runner)
        guard !probes.isEmpty else {
            return [
                broken(
                    "\(CompanionProgram.runner.rawValue) lists no escape attempts.",
                    fix: "Install all programs of one version: make install")
            ]
        }
        let failures = await withTaskGroup(of: String?.self) { group in
            var (waiting, failures, done) = (probes[...], [String](), 0)
            for probe in waiting.prefix(Self.runsAtOnce) {
                group.addTask { await Self.failure(of: probe, runner) }
            }
            waiting = waiting.dropFirst(Self.runsAtOnce)
            while let failure = await group.next() {
                if let failure { failures.append(failure) }
                done += 1
                context.onStep(done, probes.count)
                guard let probe = waiting.popFirst() else { continue }
                group.addTask { await Self.failure(of: probe, runner) }
            }
            return failures.sorted()
        }
        let blocked = probes.count - failures.count
        var summary =
            failures.isEmpty
            ? fine("\(blocked) of \(probes.count) escape attempts are blocked")
            : broken(
                "\(blocked) of \(probes.count) escape attempts are blocked.",
                fix: "Do not run untrusted apps, and report this.")
        summary.figures = ["blocked": blocked, "total": probes.count]
        return [summary] + failures.map { broken($0) }
    }

    private static func probes(_ runner: String) async -> [Probe] {
        guard let output = await ProgramOutput.of(runner, ["--probes"]), output.status == 0 else {
            return []
        }
        return output.text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            guard parts.count == 3, let expected = UInt8(parts[2]) else { return nil }
            return Probe(name: String(parts[0]), expected: expected)
        }
    }

    /// - Returns: the failure; `nil` if the attempt is blocked.
    private static func failure(of probe: Probe, _ runner: String) async -> String? {
        let run = await RunnerCheck.run(runner: runner, probe: probe.name)
        let name = probe.name.escapedForDisplay(limit: 60)
        switch run.outcome {
        case .sandboxViolation where run.layers != nil && probe.expected == 0: return nil
        case .finished(let code) where probe.expected != 0 && code == probe.expected: return nil
        case .finished(let code): return "\(name) is possible: the call succeeded (\(code))."
        case .failedToStart(let text):
            return "\(name) could not be tested: \(text.escapedForDisplay(limit: 200))"
        default: return "\(name) ended as \(run.outcome), not as a sandbox violation."
        }
    }
}
