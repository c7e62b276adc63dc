import ArgumentParser
import Foundation
import Host
import Provider
import Samples

/// Removes what a sensor measured, or what is kept about an app, and says what went.
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove what a sensor measured, or what is kept about an app, without a trace.",
        discussion: """
            Examples:
              nervous forget location                     everything it ever measured
              nervous forget cpu --from -2h               the last two hours
              nervous forget cpu --from 2026-03-01T08:00:00Z --to 2026-03-01T09:00:00Z --yes
              nervous forget --app hello-sensors          decisions, tokens, runs and data of an app

            Samples and the summaries of their hours are removed and overwritten in the file. The
            receipt says how much that was. Lines of the access log stay: they hold no values.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The sensor, such as cpu; see: nervous storage.")
    var sensor: String?

    @Option(help: "An app, in place of a sensor.")
    var app: String?

    // A span before now begins with a hyphen.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "From when: a span before now such as -2h, an RFC 3339 time, or milliseconds since 1970.",
            valueName: "time"))
    var from: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Until when, not included.", valueName: "time"))
    var to: String?

    @Flag(name: [.short, .long], help: "Do not ask.")
    var yes = false

    func validate() throws {
        guard (sensor == nil) != (app == nil) else {
            throw ValidationError("Name a sensor, or an app with --app.")
        }
        guard app == nil || (from == nil && to == nil) else {
            throw ValidationError("--from and --to go with a sensor.")
        }
        if let sensor, SensorID(sensor) == nil {
            throw ValidationError("\(sensor.debugDescription) is not a sensor's name.")
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
        let storage = try await session.client.get(
            StorageDescription.self, StorageCommand.path(nil))
        guard let known = storage.sensors.first(where: { $0.sensor == sensor }) else {
            throw CommandFailure(
                .noInput, "Nothing was ever kept of \(sensor).",
                hint: "List what is kept with: nervous storage", type: "unknown-sensor")
        }
        let stretch = [from.map { "from \($0)" }, to.map { "to \($0)" }].compactMap(\.self)
        try confirm([
            "\(sensor) has \(known.samples) samples and \(known.summaries) summaries of hours,"
                + " \(Format.bytes(Double(known.bytes))).",
            stretch.isEmpty
                ? "All of it will be removed. This cannot be undone."
                : "What is \(stretch.joined(separator: " ")) will be removed, with the whole summary"
                    + " of hours that reach into it. This cannot be undone.",
        ])
        let data = try await session.client.data(
            .delete, "/api/v1/sensors/\(ControlClient.segment(sensor))/samples",
            query: [("from", from), ("to", to)], isPatient: true)
        guard !options.json else { return options.console.print(json: data) }
        let receipt = try JSONDecoder().decode(ForgetDescription.self, from: data)
        receipt.lines.forEach(options.console.print)
    }

    private func forget(app: String, _ session: HostSession) async throws {
        let path = "/api/v1/apps/\(ControlClient.segment(app))"
        let known = try await session.client.get(AppDescription.self, path)
        try confirm([
            "What you decided about \(known.name), its tokens, what it keeps for itself and the"
                + " record of its runs will be removed, and what runs of it is stopped.",
            "The app stays installed, and so do its lines in the access log. This cannot be undone.",
        ])
        let data = try await session.client.data(.delete, path + "/data", isPatient: true)
        guard !options.json else { return options.console.print(json: data) }
        let receipt = try JSONDecoder().decode(AppForgetReceipt.self, from: data)
        receipt.lines.forEach(options.console.print)
    }

    /// Says what will go, and goes on only when the person wants it.
    ///
    /// - Throws: `noPermission` when nobody can be asked, or nobody said yes.
    private func confirm(_ lines: [String]) throws {
        guard !yes else { return }
        try Confirmation(
            lines: lines, question: "Remove it?", refusal: "Nothing was removed",
            hint: "Say --yes to remove it without a question."
        ).ask(options.console)
    }
}

extension ForgetDescription {
    /// The receipt for a person.
    var lines: [String] {
        var lines = [
            "Forgotten: \(sensor) \(stretch)",
            "  when       \(Format.time(time))",
            "  samples    \(samples)",
            "  summaries  \(summaries) of hours, which stood for \(summarised) samples",
            "  bytes      \(bytes)",
        ]
        if hoursBeyond > 0 {
            lines.append(
                "  \(hoursBeyond) of the hours reach beyond that; their summaries went whole, since"
                    + " their samples were gone already.")
        }
        if unreadable > 0 {
            lines.append("  \(unreadable) stretches could not be read, and went whole.")
        }
        lines.append(
            erased
                ? "  The bytes are overwritten or cut off in the file and its log."
                : "  Somebody still reads an earlier state of the file; its bytes go with the next"
                    + " maintenance.")
        lines.append("  What stays: the lines of the access log. They hold no values.")
        return lines
    }

    private var stretch: String {
        if from == nil, to == nil { return "– everything" }
        return [from.map { "from \(Format.time($0))" }, to.map { "to \(Format.time($0))" }]
            .compactMap(\.self).joined(separator: " ")
    }
}

extension AppForgetReceipt {
    /// The receipt for a person.
    var lines: [String] {
        [
            "Forgotten: \(app)",
            "  when       \(Format.time(time))",
            "  decisions  \(decisions)",
            "  runs       \(runs)",
            "  stored     \(Format.bytes(Double(stored)))",
            "  What stays: the app itself, and its lines of the access log.",
            "  It asks again at its next run.",
        ]
    }
}
