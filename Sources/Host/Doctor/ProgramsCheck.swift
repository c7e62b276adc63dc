import Auth
import Text

/// The programs that this one starts: whether they are there, and of the same version.
struct ProgramsCheck: DoctorCheck {
    let name = "programs"

    func findings(_ context: DoctorContext) async -> [Finding] {
        var findings: [Finding] = []
        for program in CompanionProgram.allCases { findings.append(await finding(program)) }
        return findings
    }

    private func finding(_ program: CompanionProgram) async -> Finding {
        let path: String
        do {
            path = try program.path()
        } catch {
            let failure = CommandFailure(error)
            return broken(failure.message, fix: failure.hint)
        }
        guard let output = await ProgramOutput.of(path, ["--version"]), output.status == 0 else {
            return broken(
                "\(path) does not say which version it is.",
                fix: "Install all programs of one version: make install")
        }
        let version = output.text.split(separator: "\n").first.map(String.init) ?? ""
        guard version == Version.number else {
            let shown = version.escapedForDisplay(limit: 24)
            return broken(
                "\(path) is of version \(shown), and this is \(Version.number).",
                fix: "Install all programs of one version: make install")
        }
        return fine("\(program.rawValue) \(version), \(path)")
    }
}
