import ArgumentParser
import Samples

/// The bounds of a time range.
struct TimeBoundOptions: ParsableArguments {
    // A duration before now begins with a hyphen.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            From this time: a day such as 2024-06-01, a time in RFC 3339, or a duration before now such \
            as -1h.
            """, valueName: "time"))
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Before this time; if it is a day, until the end of that day.", valueName: "time"))
    var to: String?

    /// The bounds as parameters of the API.
    var parameters: (from: String?, to: String?) {
        let time = TimeInput()
        return (time.parameter(from), time.parameter(to, isEnd: true))
    }
}

/// The time range of the samples that a command reads or deletes.
struct TimeRangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only samples that are no older than this, such as 10m.", valueName: "duration"))
    var last: String?

    @OptionGroup var bounds: TimeBoundOptions

    var from: String? { bounds.from }
    var to: String? { bounds.to }

    /// Checks the options; each command calls it in `validate`.
    ///
    /// If the validation of an option group fails, the argument parser looks for `-h`, and finds it in
    /// `--from -2h`.
    func check() throws {
        guard last == nil || from == nil else {
            throw ValidationError("--last and --from cannot be combined.")
        }
        if let last, Duration(span: last) == nil {
            throw ValidationError("--last takes a duration such as 30s, 10m, 1h, 7d or 1w.")
        }
    }

    /// Whether no bound is given.
    var isEmpty: Bool { last == nil && from == nil && to == nil }

    /// The beginning as it was given; a duration before now begins with a hyphen.
    var start: String? { last.map { "-\($0)" } ?? from }

    /// The bounds as parameters of the API; the host converts durations when it answers.
    var parameters: (from: String?, to: String?) {
        let time = TimeInput()
        return (time.parameter(start), time.parameter(to, isEnd: true))
    }

    /// The bounds at this moment, for several calls about the same range.
    var fixed: (from: String?, to: String) {
        let time = TimeInput()
        let age = start.flatMap { $0.hasPrefix("-") ? String($0.dropFirst()) : nil }
        return (
            age.flatMap(time.before)?.description ?? time.parameter(start),
            time.parameter(to, isEnd: true) ?? time.now.description
        )
    }
}
