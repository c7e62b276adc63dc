import API
import Text

/// An analysis of fields of sensors.
struct AnalysisTool: Tool {
    let name = "analyze"
    let title = "Analyse"
    let description = """
        An analysis of fields of one or several sensors: histogram, entropy, largest, smallest, correlation, trend, \
        rate, resample, downsample, spectrum, k-means, dbscan or anomalies. Several sensors need every or join. With \
        permission for statistics only, give every, at least 1m.
        """
    let arguments: Schema.Properties = [
        "analysis": Schema.text("The name of the analysis."),
        "inputs": Schema.list(
            of: Schema.text(), most: 8, "Fields as sensor.field, such as cpu.busy."),
        "from": Schema.from, "to": Schema.to, "where": Schema.conditions,
        "every": Schema.text("Means of windows of this length replace the samples, such as 1m."),
        "join": Schema.object(
            [
                "method": Schema.text(oneOf: ["nearest", "last"]),
                "within": Schema.text("The greatest distance in time, such as 1s."),
            ], "How samples of several sensors are paired."),
        "parameters": Schema.map(
            of: Schema.any(of: ["number", "string", "boolean"]),
            "Of the analysis, such as bins of a histogram, k of largest or k-means, or method and threshold of"
                + " anomalies."),
    ]
    let required = ["analysis", "inputs"]
    let result: Schema.Properties = [
        "analysis": Schema.text(),
        "inputs": Schema.list(
            of: Schema.object(
                [
                    "input": Schema.text(), "unit": Schema.text("A UCUM code."),
                    "kind": Schema.text(oneOf: ["number", "integer", "state", "text"]),
                ], required: ["input", "kind"])),
        "count": Schema.any(
            of: ["integer", "null"], "The number of rows that were analysed; null if suppressed."),
        "result": Schema.any(
            of: ["object", "null"], "Its members depend on the analysis; null if suppressed."),
        "partial": Schema.flag("Whether samples were not included: only summaries are left."),
        "freshness": Schema.map(of: Schema.freshness, "By sensor."),
        "damaged": Schema.damaged,
    ]
    let optional = ["partial", "damaged"]

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)] {
        guard let inputs = try arguments.texts("inputs", limit: 8) else {
            throw ToolFailure("inputs is missing.")
        }
        var body = AnalysisBody(try arguments.required("analysis"), of: inputs)
        body.from = try arguments.time("from").map(JSONScalar.text)
        body.to = try arguments.time("to").map(JSONScalar.text)
        body.where = try arguments.texts("where", limit: 8)
        body.every = try arguments.text("every")
        body.parameters = try arguments.scalars("parameters")
        if let join = try arguments.object("join", ["method", "within"]) {
            body.join = AnalysisBody.Join(
                method: try join.required("method"), within: try join.required("within"))
        }
        let reply = try await host.json { [body] in try await $0.analyze(body) }
        let names = Set(inputs)
        var members: [(key: String, value: JSONValue)] = [
            ("analysis", reply["analysis"] ?? JSONValue(body.analysis)),
            ("inputs", JSONValue((reply["inputs"]?.array ?? []).map(Self.input))),
            ("count", reply["count"] ?? JSONValue(.null)),
            ("result", Self.shown(reply["result"] ?? JSONValue(.null), trusting: names)),
            ("freshness", try await Self.freshness(of: inputs, host)),
        ]
        members += Shown.members(["partial", "damaged"], of: reply)
        return members
    }

    private static func input(_ input: JSONValue) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("input", UntrustedText.identifier(input["input"]?.string ?? ""))
        ]
        if let unit = input["unit"]?.string { members.append(("unit", UntrustedText.unit(unit))) }
        members.append(("kind", input["kind"] ?? JSONValue("text")))
        return JSONValue(members)
    }

    private static func freshness(
        of inputs: [String], _ host: HostCalls
    ) async throws -> JSONValue {
        // An input is the name of a sensor, which may contain dots, and that of a field.
        let names = Set(
            inputs.map { input in
                input.lastIndex(of: ".").map { String(input[..<$0]) } ?? input
            })
        var members: [(key: String, value: JSONValue)] = []
        for name in names.sorted() {
            guard let sensor = try await host.description(of: name) else { continue }
            let id = sensor["id"]?.string ?? name
            members.append((id, Shown.freshness(of: sensor)))
        }
        return JSONValue(members)
    }

    /// A result, whose texts are values of samples, except for the names of the inputs.
    private static func shown(_ value: JSONValue, trusting names: Set<String>) -> JSONValue {
        switch value.content {
        case .string(let text):
            return names.contains(text) ? value : UntrustedText(text).json
        case .array(let items): return JSONValue(items.map { shown($0, trusting: names) })
        case .object(let members):
            return JSONValue(members.map { ($0.key, shown($0.value, trusting: names)) })
        case .null, .bool, .number: return value
        }
    }
}
