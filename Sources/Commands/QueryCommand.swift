import API
import ArgumentParser
import Auth
import Foundation
import Host
import Samples

/// Reads samples and statistics.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Read samples or statistics of sensors.",
        discussion: """
            Examples:
              nervous query cpu --last 1m
              nervous query cpu --stats mean,stddev,p99 --last 10m --fields busy
              nervous query memory --stats mean --last 1h --every 5m
              nervous query network.eth0 --where 'rxRate>1000' --format csv > traffic.csv
              nervous query cpu memory:used --stats mean,max --last 1h
              nervous query cpu load --stats mean --last 1d --every 1h --digits 4 --json
              nervous query cpu --follow --fields busy
              nervous query cpu memory:used battery --follow --newest

            --follow prints samples as they arrive, until Ctrl-C; --json prints one sample
            per line. On a terminal, a sparkline of a numeric field is below them.
            --follow and --stats accept several sensors. cpu:busy,core0 means only these
            fields of cpu.
            """)

    private static let standardLimit = 20

    enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv
    }

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The sensors, such as cpu or cpu:busy,core0; see: nervous sensors.",
        completion: .names(.sensor))
    var sensors: [String]

    @Option(
        help: ArgumentHelp(
            "Statistics instead of samples, separated by commas.",
            discussion: "count, sum, mean, stddev, variance, min, max, median, p99 and others.",
            valueName: "names"))
    var stats: String?

    @OptionGroup var range: TimeRangeOptions

    @Option(
        help: ArgumentHelp(
            "Statistics of windows of this length; 1d, 1w and 1mo are calendar days, weeks and months.",
            valueName: "duration"))
    var every: String?

    @Option(
        help: ArgumentHelp("Only these fields, separated by commas.", valueName: "names"),
        completion: .names(.fieldList))
    var fields: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only samples that meet this condition, such as 'busy>50 and not (core0<9 or core1<9)'.",
            valueName: "condition"))
    var conditions: [String] = []

    @Option(help: "Only the newest samples, at most this many; 20 by default.")
    var limit: Int?

    @Option(
        help: ArgumentHelp(
            "With --stats: round to this many significant digits, 1 to 17.", valueName: "number"))
    var digits: Int?

    @Flag(help: "Print new samples as they arrive, until Ctrl-C.")
    var follow = false

    @Flag(help: "With --follow: print the newest sample of each sensor first.")
    var newest = false

    @Option(help: "table, json or csv.")
    var format: OutputFormat?

    func validate() throws {
        try range.check()
        if every != nil, stats == nil {
            throw ValidationError("--every requires --stats, such as --stats mean.")
        }
        let selections = stats != nil || !range.isEmpty || !conditions.isEmpty
        guard !follow || !selections && limit == nil else {
            throw ValidationError(
                "--follow prints all new samples: it takes no --stats, --last, --from, --to, --where"
                    + " or --limit.")
        }
        guard limit ?? 1 >= 1 else { throw ValidationError("--limit must be at least 1.") }
        guard digits == nil || stats != nil else {
            throw ValidationError("--digits requires --stats, such as --stats mean.")
        }
        guard (1...17).contains(digits ?? 1) else {
            throw ValidationError("--digits must be from 1 to 17.")
        }
        guard follow || !newest else { throw ValidationError("--newest requires --follow.") }
        try validateSeveral()
    }

    /// Whether the calls for several sensors are used.
    private var isSeveral: Bool {
        sensors.count > 1 || sensors[0].contains(":") || digits != nil || newest
    }

    private func validateSeveral() throws {
        guard isSeveral else { return }
        guard follow || stats != nil else {
            throw ValidationError(
                "Samples of several sensors, and cpu:busy,core0, require --follow or --stats; nervous"
                    + " export writes them to files.")
        }
        guard fields == nil, conditions.isEmpty else {
            throw ValidationError(
                "--fields and --where are for one sensor without --digits and --newest; name fields"
                    + " like cpu:busy,core0.")
        }
    }

    func run() async throws {
        try await HostSession.with(options.host, collects: follow) { session in
            guard !follow else {
                return try await session.follow(options.console) {
                    guard !isSeveral else {
                        return try await SensorsFollower(
                            selections: sensors.map(SensorSelection.init),
                            beginsWithNewest: newest, format: outputFormat,
                            client: session.client, console: options.console
                        ).run()
                    }
                    try await SampleFollower(
                        sensor: sensors[0], fieldNames: fields, format: outputFormat,
                        client: session.client, console: options.console
                    ).run()
                }
            }
            if session.isOwn { try await session.client.collect() }
            if isSeveral {
                try await severalStatistics(session)
            } else if stats == nil {
                try await samples(session)
            } else {
                try await statistics(session)
            }
        }
    }

    private var outputFormat: OutputFormat { format ?? (options.json ? .json : .table) }

    private var selection: [(name: String, value: String?)] {
        let bounds = range.parameters
        return [("from", bounds.from), ("to", bounds.to), ("fields", fields)]
            + conditions.map { ("where", $0) }
    }

    // MARK: - Samples

    private func samples(_ session: HostSession) async throws {
        let sensor = sensors[0]
        let query = selection + [("limit", String(limit ?? Self.standardLimit)), ("order", "desc")]
        let reply = try await session.client.samples(of: sensor, query: query)
        options.console.warnAboutDamage(in: reply.json, of: sensor)
        if outputFormat == .json {
            options.console.print(json: reply.json)
            return
        }
        let description = try await session.client.sensor(sensor).value
        let fields = Self.chosen(fields, of: description)
        let rows = try reply.value.items.reversed()
        if outputFormat == .csv {
            options.console.print(Self.csvHeader(fields))
            for row in rows { options.console.print(Self.csv(row, fields)) }
            return
        }
        guard !rows.isEmpty else {
            options.console.say("No samples in this range. Collect samples with: nervous serve")
            return
        }
        var table = Table(["TIME"] + fields.map(\.name), overflow: .omission)
        for row in rows { table.add(Self.cells(row, fields)) }
        options.console.print(table)
        Self.warn(about: table.omitted(columns: options.console.columns), options.console)
        if description.stale == true, range.to == nil {
            options.console.say("The newest sample is stale: \(Format.age(description.newest)).")
        }
    }

    /// The fields of a sensor that are chosen by their names, separated by commas; all by default.
    static func chosen(
        _ names: String?, of description: SensorDescription
    ) -> [SensorDescription.FieldDescription] {
        let all = description.fields
        guard let names = names?.split(separator: ",").map(String.init) else { return all }
        return names.compactMap { name in all.first { $0.name == name } }
    }

    /// The time and the values of a sample as text.
    static func cells(
        _ row: [String: SampleValue], _ fields: [SensorDescription.FieldDescription]
    ) -> [String] {
        [row["t"]?.number.map(Format.time) ?? "–"]
            + fields.map { row[$0.name]?.text(unit: $0.unit) ?? "–" }
    }

    /// Reports fields for which the terminal is too narrow.
    static func warn(about omitted: [String], _ console: Console) {
        guard !omitted.isEmpty else { return }
        console.say(
            "The terminal is too narrow for: \(omitted.joined(separator: ", ")). Choose with --fields."
        )
    }

    static func csvHeader(_ fields: [SensorDescription.FieldDescription]) -> String {
        (["t"] + fields.map(\.name)).joined(separator: ",")
    }

    static func csv(
        _ row: [String: SampleValue], _ fields: [SensorDescription.FieldDescription]
    ) -> String {
        (["t"] + fields.map(\.name)).map { name in
            switch row[name] {
            case .number(let number): Format.exact(number)
            case .text(let text): "\"\(text.replacing("\"", with: "\"\""))\""
            case nil: ""
            }
        }.joined(separator: ",")
    }

    // MARK: - Statistics

    /// The parameters of statistics besides fields and conditions.
    private var windows: [(name: String, value: String?)] {
        // Days, weeks and months are those of the time zone in which the person works.
        let zone = every.map(CalendarWindows.accepts) == true ? TimeZone.current.identifier : nil
        return [("fn", stats), ("every", every), ("zone", zone)]
    }

    private func severalStatistics(_ session: HostSession) async throws {
        try await SensorsStatistics(
            sensors: sensors, functions: (stats ?? "").split(separator: ",").map(String.init),
            query: selection + windows + [("digits", digits.map(String.init))],
            isWindowed: every != nil, format: outputFormat, client: session.client,
            console: options.console
        ).run()
    }

    private func statistics(_ session: HostSession) async throws {
        let sensor = sensors[0]
        let query = selection + windows
        let reply = try await session.client.statistics(of: sensor, query: query)
        options.console.warnAboutDamage(in: reply.json, of: sensor)
        if outputFormat == .json {
            options.console.print(json: reply.json)
            return
        }
        let answer = try reply.value
        let isWindowed = every != nil
        let header = (isWindowed ? ["from"] : []) + ["field"] + answer.fn + ["coverage"]
        var table = Table(header.map { $0.uppercased() })
        if outputFormat == .csv { options.console.print(header.joined(separator: ",")) }
        for window in answer.items {
            for field in answer.fields {
                let numbers = answer.fn.map { window.values[field.name]?[$0] ?? nil }
                if outputFormat == .csv {
                    let start = isWindowed ? [window.from.map(Format.exact) ?? ""] : []
                    let cells = (numbers + [window.coverage]).map { $0.map(Format.exact) ?? "" }
                    options.console.print((start + [field.name] + cells).joined(separator: ","))
                } else {
                    let start = isWindowed ? [window.from.map(Format.time) ?? ""] : []
                    let cells = zip(answer.fn, numbers).map { name, number in
                        Format.value(number, unit: name == "count" ? nil : field.unit)
                    }
                    table.add(
                        start + [field.name] + cells + [Format.share(window.coverage)])
                }
            }
        }
        if outputFormat == .table { options.console.print(table) }
    }
}

extension SampleValue {
    /// The value with its unit.
    func text(unit: String?) -> String {
        switch self {
        case .number(let number): Format.value(number, unit: unit)
        case .text(let text): text
        }
    }
}
