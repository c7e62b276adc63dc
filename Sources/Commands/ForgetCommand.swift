import API
import ArgumentParser
import Foundation
import Host
import Samples

/// Forgets samples of a sensor, or the data about an app.
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Delete and overwrite samples of a sensor, or the data about an app.",
        discussion: """
            Examples:
              nervous forget location                     all its samples
              nervous forget cpu --last 2h                the last two hours
              nervous forget cpu --from 2026-03-01T08:00:00Z --to 2026-03-01T09:00:00Z
              nervous forget accelerometer --derived      also steps and activities
              nervous forget --app hello-sensors          the data about an app

            Samples and their hourly summaries are deleted and overwritten in the file,
            and uploads that contain them are discarded from the outbox. A receipt lists
            what was removed and what is kept, such as the access log. The access log
            contains no samples.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The sensor, such as cpu; see: nervous storage.", completion: .names(.sensor))
    var sensor: String?

    @Option(help: "Forget the data about this app.", completion: .names(.app))
    var app: String?

    @OptionGroup var range: TimeRangeOptions

    @Flag(
        help: ArgumentHelp(
            "Also forget samples of sensors computed from it, such as steps, and delete imported"
                + " sessions with a route in the range."))
    var derived = false

    @Flag(name: [.short, .long], help: "Do not ask for confirmation.")
    var yes = false

    func validate() throws {
        guard (sensor == nil) != (app == nil) else {
            throw ValidationError("Name a sensor, or an app with --app.")
        }
        guard app == nil || range.isEmpty else {
            throw ValidationError("--from, --to and --last require a sensor.")
        }
        try range.check()
        guard range.last == nil || range.to == nil else {
            throw ValidationError("--last and --to cannot be combined.")
        }
        guard app == nil || !derived else {
            throw ValidationError("--derived requires a sensor.")
        }
        if let sensor, SensorID(sensor) == nil {
            throw ValidationError("\(sensor.debugDescription) is not a valid sensor name.")
        }
    }

    func run() async throws {
        try await HostSession.with(options.host) { session in
            if let sensor {
                try await forget(sensor: sensor, session)
            } else if let app {
                try await forget(app: app, session)
            }
        }
    }

    private func forget(sensor: String, _ session: HostSession) async throws {
        let storage = try await session.client.storage().value
        guard let known = storage.sensors.first(where: { $0.sensor == sensor }) else {
            throw CommandFailure(
                .noInput, "No samples of \(sensor) are stored.",
                hint: "List the stored sensors with: nervous storage", type: "unknown-sensor")
        }
        let bounds = [
            range.last.map { "of the last \($0)" }, range.from.map { "from \($0)" },
            range.to.map { "to \($0)" },
        ].compactMap(\.self)
        try confirm(
            [
                "\(sensor) has \(known.samples) samples and \(known.summaries) hourly summaries,"
                    + " \(Format.bytes(Double(known.bytes))).",
                bounds.isEmpty
                    ? "All of them will be deleted. This cannot be undone."
                    : "Everything \(bounds.joined(separator: " ")) will be deleted, including whole hourly"
                        + " summaries that overlap the range. This cannot be undone.",
            ] + (derived ? [Self.derivedNotice(sensor)] : []))
        let parameters = range.parameters
        let receipt = try await session.client.forgetSamples(
            of: sensor, from: parameters.from, to: parameters.to, includesDerived: derived)
        guard !options.json else { return options.console.print(json: receipt.json) }
        try receipt.value.lines.forEach(options.console.print)
    }

    private static func derivedNotice(_ sensor: String) -> String {
        "Samples of sensors that are computed from \(sensor), and imported sessions with a route in this"
            + " time range, will be deleted too."
    }

    private func forget(app: String, _ session: HostSession) async throws {
        let known = try await session.client.app(app).value
        try confirm([
            "Your decisions about \(known.name), its tokens, its stored data and the records of its"
                + " runs will be deleted, and its current runs stopped.",
            "The app stays installed, and its entries in the access log are kept. This cannot be undone.",
        ])
        let receipt = try await session.client.forgetData(of: app)
        guard !options.json else { return options.console.print(json: receipt.json) }
        try receipt.value.lines.forEach(options.console.print)
    }

    /// Asks for confirmation, unless `--yes` is given.
    ///
    /// - Throws: `noPermission` without a terminal, or if the answer is not yes.
    private func confirm(_ lines: [String]) throws {
        guard !yes else { return }
        try Confirmation(
            lines: lines, question: "Delete it?", refusal: "Nothing was deleted",
            hint: "Use --yes to delete it without confirmation."
        ).ask(options.console)
    }
}

extension ForgetDescription {
    /// The receipt as text.
    var lines: [String] {
        var lines = [
            "Forgotten: \(sensor) \(rangeText)",
            "  when       \(Format.time(time))",
            "  samples    \(samples)",
            "  summaries  \(summaries) hourly, of \(summarised) pruned samples",
            "  bytes      \(bytes)",
        ]
        if partialHours > 0 {
            lines.append(
                "  \(partialHours) of the hours reach beyond the range; their summaries were deleted"
                    + " whole, since their samples no longer exist.")
        }
        if unreadable > 0 {
            lines.append("  \(unreadable) chunks were unreadable and deleted whole.")
        }
        lines.append(
            erased
                ? "  The bytes are overwritten or truncated in the file and its log."
                : "  A reader still uses an earlier state of the file; its bytes are overwritten by the"
                    + " next maintenance.")
        if uploads > 0 {
            lines.append(
                "  \(uploads) \(uploads == 1 ? "upload" : "uploads") with these samples"
                    + " \(uploads == 1 ? "was" : "were") discarded from the outbox.")
        }
        for found in derived ?? [] {
            lines.append(
                "  Also: \(found.samples) samples and \(found.summaries) summaries of \(found.sensor),"
                    + " which is computed from \(sensor)."
                    + (found.erased ? "" : " Their bytes are overwritten by the next maintenance."))
        }
        lines += (sessions ?? []).map { "  Also: the imported session \($0)." }
        lines.append("  Kept: the entries of the access log. They contain no values.")
        lines += kept.compactMap(keptLine)
        return lines
    }

    /// What is kept, with the command that removes it.
    private func keptLine(_ item: String) -> String? {
        if item.hasPrefix("sensor:") {
            let id = item.dropFirst("sensor:".count)
            return
                "  Kept: the samples of \(id), which are computed from those of \(sensor). To delete"
                + " them: nervous forget \(id), or use --derived"
        }
        guard item.hasPrefix("session:") else { return nil }
        let id = item.dropFirst("session:".count)
        return
            "  Kept: the imported route of session \(id). To delete it: nervous sessions delete \(id)"
    }

    private var rangeText: String {
        if from == nil, to == nil { return "– everything" }
        return [from.map { "from \(Format.time($0))" }, to.map { "to \(Format.time($0))" }]
            .compactMap(\.self).joined(separator: " ")
    }
}

extension AppForgetReceipt {
    /// The receipt as text.
    var lines: [String] {
        [
            "Forgotten: \(app)",
            "  when       \(Format.time(time))",
            "  decisions  \(decisions)",
            "  runs       \(runs)",
            "  stored     \(Format.bytes(Double(stored)))",
            "  Kept: the app itself, and its entries in the access log.",
            "  The app asks for permissions again at its next run.",
        ]
    }
}
