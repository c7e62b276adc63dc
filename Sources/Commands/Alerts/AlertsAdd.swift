import API
import ArgumentParser
import Foundation
import Host
import Text

/// Adds an alert rule.
struct AlertsAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a rule, or replace one.",
        discussion: """
            Examples:
              nervous alerts add busy cpu --window 5m --above 90 --clear 80 --for 2m
              nervous alerts add cold temperature.attic --stats min --window 1h --below 3
              nervous alerts add odd network.eth0 --window 5m --baseline 1d
              nervous alerts add attic-silent temperature.attic --silence 30m
              nervous alerts add full filesystem --window 10m --above 95 \\
                  --webhook https://home.example.org/alerts --token-file ~/.alerts-token

            Without --notify, --webhook and --run, you are notified. The rule is evaluated
            240 times while its window passes, but at most every 5 seconds.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "A name of your choice: lower-case letters, digits and hyphens.")
    var name: String

    @Argument(help: "The sensor, such as cpu; see: nervous sensors.", completion: .names(.sensor))
    var sensor: String

    @Option(help: ArgumentHelp("The field; the main field by default.", valueName: "name"))
    var field: String?

    @Option(
        help: ArgumentHelp("The statistic, such as max or p95; mean by default.", valueName: "name")
    )
    var stats: String?

    @Option(
        help: ArgumentHelp(
            "The length of the window before each evaluation.", valueName: "duration"))
    var window: String?

    @Option(
        help: ArgumentHelp(
            "Compare each window with those of this time before it; --above is then a score, 3.5 by default.",
            valueName: "duration"))
    var baseline: String?

    @Option(
        help: ArgumentHelp("Fire after this time without samples.", valueName: "duration"))
    var silence: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Fire when the measure is above this.", valueName: "number"))
    var above: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Fire when the measure is below this.", valueName: "number"))
    var below: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Resolve only when the measure is back at this; the threshold by default.",
            valueName: "number"))
    var clear: Double?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Fire only after the condition held this long.", valueName: "duration"))
    var hold: String?

    @Option(
        help: ArgumentHelp(
            "Resolve only after the condition did not hold this long.", valueName: "duration"))
    var clearFor: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only samples that meet this condition, such as 'busy>50'.", valueName: "condition"))
    var conditions: [String] = []

    /// What a window without data means.
    enum Missing: String, ExpressibleByArgument, CaseIterable {
        case keep, fire, clear
    }

    @Option(help: "What missing data mean: keep the state, fire, or clear; keep by default.")
    var missing: Missing?

    @Option(
        help: ArgumentHelp(
            "The share of the window that samples must cover, 0 to 1; 0.5 by default.",
            valueName: "share"))
    var coverage: Double?

    @Option(help: ArgumentHelp("A title for notices.", valueName: "text"))
    var title: String?

    @Flag(help: "Notify you; the default without --webhook and --run.")
    var notify = false

    @Option(help: ArgumentHelp("Call this address with POST.", valueName: "url"))
    var webhook: String?

    @Option(
        help: "A file with the bearer token for --webhook.", completion: .file())
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Start this app in the background when the rule fires.", valueName: "app"),
        completion: .names(.app))
    var run: String?

    @Flag(help: "Replace a rule of this name.")
    var replace = false

    func validate() throws {
        guard tokenFile == nil || webhook != nil else {
            throw ValidationError("--token-file needs --webhook.")
        }
    }

    func run() async throws {
        try await HostSession.with(options.host) { session in
            let reply =
                replace
                ? try await session.client.putAlert(name, definition)
                : try await session.client.addAlert(name, definition)
            guard !options.json else { return options.console.print(json: reply.json) }
            let rule = try reply.value
            options.console.print("\(rule.name): \(rule.summary.escapedForDisplay(limit: 400))")
            options.console.say(
                "See when it would have fired: nervous alerts test \(rule.name) --last 7d")
        }
    }

    private var definition: AlertDefinition {
        var rule = AlertDefinition(sensor: sensor)
        (rule.field, rule.statistic, rule.window) = (field, stats, window)
        (rule.baseline, rule.silence) = (baseline, silence)
        (rule.above, rule.below, rule.clear) = (above, below, clear)
        (rule.hold, rule.clearFor) = (hold, clearFor)
        rule.conditions = conditions.isEmpty ? nil : conditions
        (rule.missing, rule.coverage, rule.title) = (missing?.rawValue, coverage, title)
        rule.notify = notify ? true : nil
        rule.webhook = webhook.map {
            AlertDefinition.Webhook(
                url: $0, tokenFile: tokenFile.map { URL(filePath: $0).path(percentEncoded: false) })
        }
        rule.run = run
        return rule
    }
}
