import AppRuns
import Auth
import Text

/// Tries every way out of the sandbox, each in a runner of its own.
struct EscapeCheck: DoctorCheck {
    let name = "escapes"
    private static let runsAtOnce = 2

    private struct Probe: Sendable {
        let name: String
        /// The `errno` that is the right answer; 0 when the attempt has to be fatal.
        let answer: UInt8
    }

    func findings(_ context: DoctorContext) async -> [Finding] {
        guard let runner = try? CompanionProgram.runner.path() else {
            return [note("Not tried: there is no \(CompanionProgram.runner.rawValue).")]
        }
        let probes = await Self.probes(runner)
        guard !probes.isEmpty else {
            return [
                broken(
                    "\(CompanionProgram.runner.rawValue) knows no way out to try.",
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
            ? fine("\(blocked) of \(probes.count) ways out of the sandbox are closed")
            : broken(
                "\(blocked) of \(probes.count) ways out of the sandbox are closed.",
                fix: "Run no app that you do not trust, and report this.")
        summary.figures = ["blocked": blocked, "total": probes.count]
        return [summary] + failures.map { broken($0) }
    }

    private static func probes(_ runner: String) async -> [Probe] {
        guard let output = await ProgramOutput.of(runner, ["--probes"]), output.status == 0 else {
            return []
        }
        return output.text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            guard parts.count == 3, let answer = UInt8(parts[2]) else { return nil }
            return Probe(name: String(parts[0]), answer: answer)
        }
    }

    /// - Returns: what went wrong; `nil` when the way is closed.
    private static func failure(of probe: Probe, _ runner: String) async -> String? {
        let run = await RunnerCheck.run(runner: runner, probe: probe.name)
        let name = probe.name.escapedForDisplay(limit: 60)
        switch run.outcome {
        case .sandboxViolation where run.layers != nil && probe.answer == 0: return nil
        case .finished(let code) where probe.answer != 0 && code == probe.answer: return nil
        case .finished(let code): return "\(name) is open: the call was let through (\(code))."
        case .failedToStart(let text):
            return "\(name) could not be tried: \(text.escapedForDisplay(limit: 200))"
        default: return "\(name) ended as \(run.outcome), not as a violation of the sandbox."
        }
    }
}
