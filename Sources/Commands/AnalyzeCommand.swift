import API
import ArgumentParser
import Auth
import Foundation
import Host
import LAE
import Samples
import Text

/// Analyses fields of sensors.
struct AnalyzeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Analyse fields of sensors: distributions, trends, spectra, clusters.",
        discussion: """
            Analyses and their parameters for --set:
              histogram    bins, min, max        spectrum    segment, window (hann, boxcar)
              entropy      bins                  resample    method (mean, last, linear)
              largest      k                     downsample  points
              smallest     k                     k-means     k, seed, scale
              correlation                        dbscan      epsilon, minimum, scale
              trend, rate                        anomalies   method (auto, global, rolling,
                                                             seasonal, change), threshold,
                                                             limit, window, period

            Examples:
              nervous analyze trend memory.used --last 1h
              nervous analyze histogram cpu.busy --last 1d --set bins=20
              nervous analyze correlation cpu.busy load.load1 --last 1h --every 10s
              nervous analyze spectrum cpu.busy --last 10m --every 1s
              nervous analyze k-means cpu.busy memory.used --every 1m --set k=3
              nervous analyze anomalies cpu.busy --last 7d --set method=seasonal
            """)

    enum JoinMethod: String, ExpressibleByArgument, CaseIterable {
        case nearest, last
    }

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The analysis.", completion: .list(Analysis.names))
    var analysis: String

    @Argument(help: "Fields of sensors, such as cpu.busy.", completion: .names(.field))
    var inputs: [String]

    @OptionGroup var range: TimeRangeOptions

    @Option(
        help: ArgumentHelp(
            "Use means of windows of this length instead of samples.", valueName: "duration"))
    var every: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only samples that meet this condition, such as 'cpu.busy>50 or cpu.core0>90'.",
            valueName: "condition"))
    var conditions: [String] = []

    @Option(
        help: """
            Join samples of other sensors to those of the first: nearest, or last, which takes the last \
            sample that is not later. Requires --within.
            """)
    var join: JoinMethod?

    @Option(
        help: ArgumentHelp(
            "The maximum distance in time of joined samples, such as 1s.", valueName: "duration"))
    var within: String?

    @Option(help: ArgumentHelp("A parameter of the analysis.", valueName: "name=value"))
    var set: [String] = []

    @Option(help: "The maximum number of rows of a list.")
    var limit = 20

    func validate() throws {
        try range.check()
        for (name, text) in [("every", every), ("within", within)] {
            guard let text, Duration(span: text) == nil else { continue }
            throw ValidationError("--\(name) takes a duration such as 30s, 10m, 1h or 7d.")
        }
        guard (join == nil) == (within == nil) else {
            throw ValidationError("--join and --within require each other.")
        }
        guard set.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
            throw ValidationError("--set takes a name and a value, such as --set k=3.")
        }
        guard limit >= 1 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        let answer = try await HostSession.with(options.host) { session in
            if session.isOwn { try await session.client.collect() }
            return try await session.client.analyze(body)
        }
        options.console.warnAboutDamage(in: answer.json)
        if options.json {
            options.console.print(json: answer.json)
            return
        }
        let report = try AnalysisReport(
            answer.json, limit: limit, columns: options.console.columns)
        report.lines.forEach(options.console.print)
        report.remarks.forEach(options.console.say)
    }

    private var body: AnalysisBody {
        var body = AnalysisBody(analysis, of: inputs)
        let bounds = range.parameters
        body.from = bounds.from.map { .text($0) }
        body.to = bounds.to.map { .text($0) }
        body.where = conditions.isEmpty ? nil : conditions
        body.every = every
        if let join, let within { body.join = .init(method: join.rawValue, within: within) }
        let pairs = set.map { text in
            let name = text.prefix { $0 != "=" }
            return (String(name), Self.scalar(String(text.dropFirst(name.count + 1))))
        }
        body.parameters = pairs.isEmpty ? nil : Dictionary(pairs) { _, last in last }
        return body
    }

    /// A parameter as a boolean, a number or a text.
    private static func scalar(_ text: String) -> JSONScalar {
        if let flag = Bool(text) { return .flag(flag) }
        if let number = Double(text), number.isFinite { return .number(number) }
        return .text(text)
    }
}

/// The result of an analysis as tables.
struct AnalysisReport {
    /// The tables.
    let lines: [String]
    /// Remarks about the tables.
    let remarks: [String]

    /// The order of columns; others follow by name.
    private static let order = [
        "t", "x", "y", "from", "to", "frequency", "cluster", "value", "score", "count",
    ]
    private static let times: Set<String> = ["t", "origin"]

    /// - Parameters:
    ///   - data: the JSON of the reply.
    ///   - limit: the maximum number of rows of a list.
    ///   - columns: the maximum number of columns of a table; `nil` for any.
    init(_ data: Data, limit: Int, columns: Int?) throws {
        let answer = try StrictJSON(maximumBytes: 1 << 28).parse(Array(data))
        guard let members = answer["result"]?.object else {
            lines = []
            remarks = ["The range has too few samples for this analysis."]
            return
        }
        let count = answer["count"].map { Self.text($0, of: "count") } ?? "–"
        var lines = ["\(count) rows"]
        var remarks: [String] = []
        var table = Table("NAME", "VALUE")
        for member in members where member.value.array == nil {
            table.add(member.key, Self.text(member.value, of: member.key))
        }
        if !table.isEmpty { lines += table.lines(columns: columns) }
        for member in members {
            guard let rows = member.value.array else { continue }
            lines += Self.table(rows.prefix(limit), columns: columns)
            let rest = rows.count - limit
            if rest > 0 {
                let amount = rest == 1 ? "1 more row" : "\(rest) more rows"
                let verb = rest == 1 ? "is" : "are"
                remarks.append(
                    "\(amount) of \(member.key) \(verb) not shown: use --limit or --json.")
            }
        }
        self.lines = lines
        self.remarks = remarks
    }

    private static func table(
        _ rows: some Collection<JSONValue>, columns: Int?
    ) -> [String] {
        let flat = rows.map(cells)
        var names: [String] = []
        for row in flat {
            for name in row.keys where !names.contains(name) { names.append(name) }
        }
        names.sort { left, right in
            let ranks = [left, right].map { order.firstIndex(of: $0) ?? order.count }
            return ranks[0] == ranks[1] ? left < right : ranks[0] < ranks[1]
        }
        guard !names.isEmpty else { return [] }
        var table = Table(names.map { $0 == "t" ? "TIME" : $0.uppercased() })
        for row in flat { table.add(names.map { row[$0] ?? "–" }) }
        return table.lines(columns: columns)
    }

    /// The members of a row; nested objects are flattened.
    private static func cells(_ row: JSONValue) -> [String: String] {
        var cells: [String: String] = [:]
        for member in row.object ?? [] {
            guard let inner = member.value.object else {
                // A suppressed centre has no coordinates.
                if member.key != "centre" {
                    cells[member.key] = text(member.value, of: member.key)
                }
                continue
            }
            for member in inner { cells[member.key] = text(member.value, of: member.key) }
        }
        return cells
    }

    private static func text(_ value: JSONValue, of name: String) -> String {
        if let number = value.number?.double {
            return times.contains(name) ? Format.time(number) : Self.number(number)
        }
        return value.string ?? "–"
    }

    /// Small and large numbers with an exponent, to keep the significant digits.
    private static func number(_ number: Double) -> String {
        let size = number.magnitude
        guard number != number.rounded(), size < 0.01 || size >= 1e9 else {
            return Format.number(number)
        }
        return String(format: "%.4g", number)
    }
}
