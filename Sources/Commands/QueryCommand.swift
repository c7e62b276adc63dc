import ArgumentParser
import Auth
import Foundation
import Host
import API
import Samples

/// Reads samples and statistics.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Read a sensor's samples or their statistics.",
        discussion: """
            Examples:
              nervous query cpu --last 1m
              nervous query cpu --stats mean,stddev,p99 --last 10m --fields busy
              nervous query memory --stats mean --last 1h --every 5m
              nervous query network.eth0 --where 'rxRate>1000' --format csv > traffic.csv
            """)

    enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv
    }

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The sensor, such as cpu; see: nervous sensors.")
    var sensor: String

    @Option(
        help: ArgumentHelp(
            "Statistics instead of samples, separated by commas.",
            discussion: "count, sum, mean, stddev, variance, min, max, median, p99 and others.",
            valueName: "names"))
    var stats: String?

    @Option(help: ArgumentHelp("Only the time before now, such as 10m.", valueName: "span"))
    var last: String?

    @Option(help: "From this time: RFC 3339, milliseconds since 1970, or a span such as -1h.")
    var from: String?

    @Option(help: "Up to this time, which is not included.")
    var to: String?

    @Option(help: ArgumentHelp("Statistics of every window of this width.", valueName: "span"))
    var every: String?

    @Option(help: ArgumentHelp("Only these fields, separated by commas.", valueName: "names"))
    var fields: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only samples for which this holds, such as 'busy>50'.", valueName: "condition"))
    var conditions: [String] = []

    @Option(help: "The most samples to print; the newest are kept.")
    var limit = 20

    @Option(help: "table, json or csv.")
    var format: OutputFormat?

    func validate() throws {
        guard last == nil || from == nil else {
            throw ValidationError("--last and --from say the same: give one of them.")
        }
        if let last, Duration(span: last) == nil {
            throw ValidationError("--last takes a span such as 30s, 10m, 1h or 7d.")
        }
        if every != nil, stats == nil {
            throw ValidationError("--every needs --stats, such as --stats mean.")
        }
        guard limit >= 1 else { throw ValidationError("--limit is a number from 1.") }
    }

    func run() async throws {
        try await HostSession.with(options.host) { session in
            if session.isOwn { _ = try await session.client.data(.post, "/api/v1/collection") }
            if stats == nil {
                try await samples(session)
            } else {
                try await statistics(session)
            }
        }
    }

    private var outputFormat: OutputFormat { format ?? (options.json ? .json : .table) }

    private var path: String { "/api/v1/sensors/\(ControlClient.segment(sensor))" }

    private var selection: [(String, String?)] {
        [("from", last.map { "-\($0)" } ?? from), ("to", to), ("fields", fields)]
            + conditions.map { ("where", $0) }
    }

    // MARK: - Samples

    private struct Samples: Decodable {
        let items: [[String: JSONScalar]]
    }

    private func samples(_ session: HostSession) async throws {
        let query = selection + [("limit", String(limit)), ("order", "desc")]
        let data = try await session.client.data(.get, "\(path)/samples", query: query)
        options.console.tellDamage(data, of: sensor)
        if outputFormat == .json {
            options.console.print(json: data)
            return
        }
        let fields = try await chosenFields(session)
        let rows = try JSONDecoder().decode(Samples.self, from: data).items.reversed()
        if outputFormat == .csv {
            options.console.print((["t"] + fields.map(\.name)).joined(separator: ","))
            for row in rows { options.console.print(csv(row, ["t"] + fields.map(\.name))) }
            return
        }
        guard !rows.isEmpty else {
            options.console.say("No samples in this range. Collect some with: nervous serve")
            return
        }
        var table = Table(["TIME"] + fields.map(\.name))
        for row in rows {
            guard case .number(let time) = row["t"] else { continue }
            table.add([Format.time(time)] + fields.map { row[$0.name]?.text(unit: $0.unit) ?? "–" })
        }
        table.lines.forEach(options.console.print)
    }

    private func chosenFields(_ session: HostSession) async throws -> [SensorDescription
        .FieldDescription]
    {
        let all = try await session.client.get(SensorDescription.self, path).fields
        guard let names = fields?.split(separator: ",").map(String.init) else { return all }
        return names.compactMap { name in all.first { $0.name == name } }
    }

    private func csv(_ row: [String: JSONScalar], _ names: [String]) -> String {
        names.map { name in
            switch row[name] {
            case .number(let number): Format.exact(number)
            case .text(let text): "\"\(text.replacing("\"", with: "\"\""))\""
            case nil: ""
            }
        }.joined(separator: ",")
    }

    // MARK: - Statistics

    private func statistics(_ session: HostSession) async throws {
        let query = selection + [("fn", stats), ("every", every)]
        let data = try await session.client.data(.get, "\(path)/stats", query: query)
        options.console.tellDamage(data, of: sensor)
        if outputFormat == .json {
            options.console.print(json: data)
            return
        }
        let answer = try JSONDecoder().decode(StatisticsAnswer.self, from: data)
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
        if outputFormat == .table { table.lines.forEach(options.console.print) }
    }
}

/// A value of a sample in JSON.
enum JSONScalar: Decodable {
    case number(Double)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// `nil` of a text.
    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    func text(unit: String?) -> String {
        switch self {
        case .number(let number): Format.value(number, unit: unit)
        case .text(let text): text
        }
    }
}
