import API
import ArgumentParser
import Foundation
import Host
import Samples
import Text

/// Manages alert rules.
struct AlertsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "Set alerts for sensors that pass a threshold, fall silent or behave unusually.",
        discussion: """
            Examples:
              nervous alerts add busy cpu --window 5m --above 90 --clear 80 --for 2m
              nervous alerts add attic-silent temperature.attic --silence 30m
              nervous alerts                              list the rules with their states
              nervous alerts test busy --last 7d          when it would have fired
              nervous alerts history busy                 when it has fired
              nervous alerts remove busy

            Rules are evaluated while a host runs, such as nervous serve.
            """,
        subcommands: [
            List.self, AlertsAdd.self, Test.self, History.self, Enable.self, Disable.self,
            Send.self, Remove.self,
        ], defaultSubcommand: List.self)

    /// Selects a rule.
    struct Choice: ParsableArguments {
        @OptionGroup var options: GlobalOptions

        @Argument(help: "The name of the rule; see: nervous alerts.", completion: .names(.alert))
        var name: String
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the rules with their states.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.alerts()
                guard !options.json else { return options.console.print(json: reply.json) }
                let items = try reply.value.items
                guard !items.isEmpty else {
                    return options.console.say(
                        "No alert rules. Add one with: nervous alerts add NAME SENSOR …")
                }
                var table = Table("NAME", "STATE", "SINCE", "VALUE", "RULE")
                for item in items { table.add(item.row) }
                options.console.print(table)
                for item in items where item.problem != nil {
                    options.console.say(
                        "\(item.name): \(item.problem?.escapedForDisplay(limit: 200) ?? "")")
                }
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Show when a rule would have fired over recorded samples.",
            discussion: """
                Examples:
                  nervous alerts test busy --last 7d
                  nervous alerts test busy --from 2026-03-01 --to 2026-03-07 --json

                The rule is evaluated as the host does it, at the same times. Nothing is
                notified, called or run.
                """)

        @OptionGroup var choice: Choice
        @OptionGroup var range: TimeRangeOptions

        func validate() throws { try range.check() }

        func run() async throws {
            let options = choice.options
            let bounds = range.parameters
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.testAlert(
                    choice.name, from: bounds.from ?? "-7d", to: bounds.to)
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print(try reply.value.lines.joined(separator: "\n"))
            }
        }
    }

    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "history",
            abstract: "List when a rule has fired and resolved, and what was done; newest first.")

        @OptionGroup var choice: Choice

        @Option(help: "The maximum number of events, up to 1000.")
        var limit = 100

        func validate() throws {
            guard limit >= 1 else { throw ValidationError("--limit must be at least 1.") }
        }

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.alertEvents(of: choice.name, limit: limit)
                guard !options.json else { return options.console.print(json: reply.json) }
                let list = try reply.value
                guard !list.items.isEmpty else {
                    return options.console.say("\(choice.name) has not fired.")
                }
                var table = Table("TIME", "EVENT", "VALUE", "ACTIONS")
                for event in list.items { table.add(event.row) }
                options.console.print(table)
                if list.next != nil { options.console.say("There are more; use --limit.") }
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Evaluate a rule again.")

        @OptionGroup var choice: Choice

        func run() async throws { try await AlertsCommand.change(choice, enabled: true) }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Do not evaluate a rule until it is enabled.")

        @OptionGroup var choice: Choice

        func run() async throws { try await AlertsCommand.change(choice, enabled: false) }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Repeat the webhook calls of a rule that wait or have failed.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.sendAlert(choice.name)
                guard !options.json else { return options.console.print(json: reply.json) }
                let count = try reply.value.count
                options.console.print(
                    count == 0
                        ? "No calls wait."
                        : "\(count) call\(count == 1 ? "" : "s") will be made while a host runs.")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a rule with its history.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                try await session.client.removeAlert(choice.name)
                if options.json {
                    try options.console.print(encoding: ["removed": true])
                } else {
                    options.console.print("Removed \(choice.name).")
                }
            }
        }
    }

    private static func change(_ choice: Choice, enabled: Bool) async throws {
        let options = choice.options
        try await HostSession.with(options.host) { session in
            let reply = try await session.client.changeAlert(
                choice.name, AlertChange(enabled: enabled))
            guard !options.json else { return options.console.print(json: reply.json) }
            options.console.print("\(enabled ? "Enabled" : "Disabled") \(choice.name).")
        }
    }
}

extension AlertDescription {
    /// The row in a table.
    fileprivate var row: [String] {
        var words = state
        if let missing {
            words += state == "no-data" ? " (\(missing.reason))" : ", no data"
        }
        return [
            name, words, Format.time(since), Format.value(value, unit: unit),
            summary.escapedForDisplay(limit: 200),
        ]
    }
}

extension AlertEventDescription {
    /// The row in a table.
    fileprivate var row: [String] {
        let actions = deliveries.map { delivery in
            let reason = delivery.problem.map { ": \($0)" } ?? ""
            return "\(delivery.action) \(delivery.state)\(reason)"
        }
        return [
            Format.time(time), event, value.map { Format.number($0) } ?? "–",
            muted ? "none, it fired too often" : actions.joined(separator: "; "),
        ]
    }
}

extension AlertTestReply {
    /// The outcome as text.
    fileprivate var lines: [String] {
        var lines = events.map { event in
            "\(Format.time(event.time))  \(event.event)"
                + (event.value.map { "  \(Format.value($0, unit: unit))" } ?? "")
        }
        if more { lines.append("There are more events; use a shorter range.") }
        let fired = events.count { $0.event == "fired" }
        lines.append(
            "Fired \(fired) time\(fired == 1 ? "" : "s") in \(evaluations) evaluations, one each"
                + " \(every), from \(Format.time(from)) to \(Format.time(to)).")
        if let minimum, let maximum {
            lines.append(
                "The measure was from \(Format.value(minimum, unit: unit)) to"
                    + " \(Format.value(maximum, unit: unit)).")
        }
        let missing = gaps.reduce(0) { $0 + $1.to - $1.from }
        if !gaps.isEmpty {
            let share = to > from ? missing / (to - from) : 1
            lines.append(
                "There was no data for \(Format.share(share)) of this time"
                    + " (\(Set(gaps.map(\.reason)).sorted().joined(separator: ", "))).")
        }
        return lines
    }
}
