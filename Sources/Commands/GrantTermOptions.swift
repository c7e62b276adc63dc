import ArgumentParser
import Host
import Samples

/// The limits of a grant, or of a narrowed token.
struct GrantTermOptions: ParsableArguments {
    /// The limits, parsed.
    struct Limits {
        /// Samples per second.
        let rate: Double?
        /// In the field's unit.
        let precision: Double?
        let history: Duration?
        let expires: Timestamp?
    }

    @Flag(help: "Only statistics, no samples.")
    var statsOnly = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of samples per second, such as 1.", valueName: "hertz"))
    var rate: String?

    @Option(
        help: ArgumentHelp(
            "Round numbers to multiples of this step, such as 0.1.", valueName: "step"))
    var precision: String?

    @Option(
        help: ArgumentHelp(
            "How far back samples may be read, such as 10m.", valueName: "duration"))
    var history: String?

    @Option(
        name: [.customLong("expires"), .customLong("for")],
        help: ArgumentHelp(
            "When it ends: after a duration such as 10m or 7d, or on a day such as 2027-01-31.",
            valueName: "end"))
    var expires: String?

    /// Whether one of the limits other than `--stats-only` is given.
    var hasLimits: Bool { [rate, precision, history, expires].contains { $0 != nil } }

    /// - Throws: `CommandFailure` with code `usage`.
    func limits(at now: Timestamp) throws(CommandFailure) -> Limits {
        let input = TermsInput(now: now)
        do throws(TermsInput.Fault) {
            return Limits(
                rate: try input.rate(rate ?? ""), precision: try input.precision(precision ?? ""),
                history: try input.history(history ?? ""),
                expires: try input.expires(expires ?? ""))
        } catch {
            throw CommandFailure(.usage, error.message)
        }
    }
}

/// The permission sets of `config.json` that a command uses.
struct PermissionSetOptions: ParsableArguments {
    @Option(
        name: [.customShort("P"), .customLong("permission-set")],
        help: ArgumentHelp(
            "Allow and deny what a permission set of config.json lists; may be repeated.",
            valueName: "name"))
    var permissionSets: [String] = []

    /// The privileges of all sets together.
    ///
    /// - Throws: `CommandFailure` for an unknown name.
    func permissions(_ host: HostOptions) throws(CommandFailure) -> PermissionSet {
        try Configuration(path: host.paths.configuration).permissions(inSets: permissionSets)
    }
}
