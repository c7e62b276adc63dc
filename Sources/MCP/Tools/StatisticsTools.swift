import API
import Text

/// Arguments and results that the tools for statistics share.
private enum StatisticsParts {
    static let standard = ["count", "mean", "stddev", "min", "max", "median"]

    static let functions = Schema.list(
        of: Schema.text(), most: 32,
        "Statistics: count, sum, mean, variance, stddev, pvariance, pstddev, min, max, range, rms, first, last,"
            + " median, and percentiles such as p95; count, mean, stddev, min, max and median if missing. first"
            + " and last need permission for samples.")

    /// The members that all statistics have.
    static func members(
        _ reply: JSONValue, _ sensor: JSONValue?, name: String
    ) -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = [
            ("sensor", UntrustedText.identifier(reply["sensor"]?.string ?? name)),
            ("fields", Shown.fields(of: reply)), ("fn", reply["fn"] ?? JSONValue(.array([]))),
            ("freshness", Shown.freshness(of: sensor)),
        ]
        members += Shown.members(["damaged"], of: reply)
        return members
    }

    static func functions(_ arguments: ToolArguments) throws(ToolFailure) -> String {
        (try arguments.texts("fn", limit: 32) ?? standard).joined(separator: ",")
    }
}

/// Statistics of one time range.
struct StatisticsTool: Tool {
    let name = "statistics"
    let title = "Statistics"
    let description = """
        Statistics of the numeric fields of a sensor over one time range, the last hour unless from says otherwise, \
        with the coverage of the range. With permission for statistics only, ranges are widened to whole minutes or \
        more, and percentiles are approximate.
        """
    let arguments: Schema.Properties = [
        "sensor": Schema.sensor, "fn": StatisticsParts.functions, "from": Schema.from,
        "to": Schema.to, "fields": Schema.fieldNames, "where": Schema.conditions,
    ]
    let required = ["sensor"]
    let result: Schema.Properties = [
        "sensor": Schema.text(), "fields": Schema.fields,
        "fn": Schema.list(of: Schema.text(), "The names of the statistics in `window`."),
        "window": Schema.window, "freshness": Schema.freshness, "damaged": Schema.damaged,
    ]
    let optional = ["damaged"]

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)] {
        let name = try arguments.required("sensor")
        let query =
            try arguments.range(from: "-1h")
            + [("fn", try StatisticsParts.functions(arguments))]
        let reply = try await host.json { try await $0.statistics(of: name, query: query) }
        let sensor = try await host.description(of: name)
        let empty = JSONValue(["values": JSONValue(.object([]))])
        return StatisticsParts.members(reply, sensor, name: name) + [
            ("window", reply["items"]?.array?.first ?? empty)
        ]
    }
}

/// Statistics of equal windows, or of days, weeks or months.
struct WindowsTool: Tool {
    private static let limit = 1000

    let name = "windows"
    let title = "Statistics by window"
    let description = """
        Statistics of the numeric fields of a sensor for each window of a time range, the last day in windows of an \
        hour unless from and every say otherwise; at most 1000 windows. With zone, windows of 1d, 1w or 1mo are \
        those of the calendar.
        """
    let arguments: Schema.Properties = [
        "sensor": Schema.sensor, "fn": StatisticsParts.functions, "from": Schema.from,
        "to": Schema.to,
        "every": Schema.text("The length of a window, such as 1m, 1h or 1d; 1h if missing."),
        "zone": Schema.text("The IANA name of a time zone, such as Europe/Zurich."),
        "fields": Schema.fieldNames, "where": Schema.conditions,
    ]
    let required = ["sensor"]
    let result: Schema.Properties = [
        "sensor": Schema.text(), "fields": Schema.fields,
        "fn": Schema.list(of: Schema.text(), "The names of the statistics in `windows`."),
        "windows": Schema.list(of: Schema.window), "freshness": Schema.freshness,
        "damaged": Schema.damaged,
    ]
    let optional = ["damaged"]

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)] {
        let name = try arguments.required("sensor")
        let query =
            try arguments.range(from: "-1d") + [
                ("fn", try StatisticsParts.functions(arguments)),
                ("every", try arguments.text("every") ?? "1h"),
                ("zone", try arguments.text("zone")),
            ]
        let reply = try await host.json { try await $0.statistics(of: name, query: query) }
        let sensor = try await host.description(of: name)
        let windows = reply["items"]?.array ?? []
        guard windows.count <= Self.limit else {
            throw ToolFailure(
                "These are \(windows.count) windows. Choose a shorter range or longer windows: at most"
                    + " \(Self.limit).")
        }
        return StatisticsParts.members(reply, sensor, name: name) + [
            ("windows", JSONValue(windows))
        ]
    }
}
