import API
import Samples
import Text

/// Lists the sensors that the owner has decided about.
struct SensorListTool: Tool {
    private static let limit = 300

    let name = "list_sensors"
    let title = "List sensors"
    let description = """
        The sensors that the owner has decided about for this assistant, with fields, units, what may be read \
        (access), and how old the newest sample is. A sensor that is not listed can be requested by reading it.
        """
    let arguments: Schema.Properties = [
        "available": Schema.flag("Whether to list only sensors that are available now.")
    ]
    let result: Schema.Properties = [
        "sensors": Schema.list(
            of: Schema.object(
                [
                    "id": Schema.text(), "title": Schema.text(),
                    "source": Schema.text("Where its samples come from."),
                    "fields": Schema.fields,
                    "access": Schema.text(
                        "What may be read: granted (samples and statistics), statistics, denied, or prompt"
                            + " (the owner has to be asked).",
                        oneOf: ["granted", "statistics", "denied", "prompt"]),
                    "available": Schema.flag(),
                    "unavailable": Schema.text("Why it is not available."),
                    "level": Schema.text("How often it is read; off if it is not."),
                    "freshness": Schema.freshness,
                ], required: ["id", "title", "source", "fields", "access", "available", "level"])),
        "omitted": Schema.integer(nil, "How many sensors were left out: there are too many."),
    ]

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)] {
        let onlyAvailable = try arguments.flag("available") ?? false
        let all = try await host.json { try await $0.sensors() }["items"]?.array ?? []
        let found = all.filter { !onlyAvailable || $0["available"]?.bool == true }
        return [
            ("sensors", JSONValue(found.prefix(Self.limit).map(Self.sensor))),
            ("omitted", JSONValue(max(0, found.count - Self.limit))),
        ]
    }

    private static func sensor(_ sensor: JSONValue) -> JSONValue {
        func text(_ name: String) -> String { sensor[name]?.string ?? "" }
        var members: [(key: String, value: JSONValue)] = [
            ("id", UntrustedText.identifier(text("id"))),
            ("title", UntrustedText(text("title")).json),
            ("source", UntrustedText(text("source")).json),
            ("fields", Shown.fields(of: sensor)), ("access", JSONValue(text("access"))),
            ("available", sensor["available"] ?? JSONValue(.bool(false))),
            ("level", JSONValue(text("level"))),
        ]
        if let reason = sensor["unavailable"]?["reason"]?.string {
            members.append(("unavailable", UntrustedText(reason).json))
        }
        let freshness = Shown.freshness(of: sensor)
        if freshness.object?.isEmpty == false { members.append(("freshness", freshness)) }
        return JSONValue(members)
    }
}

/// The newest sample of a sensor.
struct LatestTool: Tool {
    let name = "latest"
    let title = "Newest sample"
    let description = """
        The newest sample of a sensor with its units, its age in milliseconds and whether it is stale. Needs \
        permission for samples.
        """
    let arguments: Schema.Properties = ["sensor": Schema.sensor]
    let required = ["sensor"]
    let result: Schema.Properties = [
        "sensor": Schema.text(), "t": Schema.milliseconds, "time": Schema.time,
        "values": Schema.map(of: Schema.any(of: ["number", "string"]), "By field."),
        "fields": Schema.fields, "freshness": Schema.freshness,
    ]

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)] {
        let name = try arguments.required("sensor")
        let sample = try await host.json { try await $0.latest(of: name) }
        let sensor = try await host.description(of: name)
        let fields = Set(Shown.names(of: sensor))
        let values = (sample.object ?? []).filter { fields.contains($0.key) }
        // A field of this name hides the member.
        let freshness = ["age", "stale"].filter { !fields.contains($0) }
        return [
            ("sensor", UntrustedText.identifier(sensor?["id"]?.string ?? name)),
            ("t", sample["t"] ?? JSONValue(.null)), ("time", Shown.time(sample["t"])),
            ("values", JSONValue(values.map { ($0.key, Shown.value($0.value)) })),
            ("fields", Shown.fields(of: sensor)),
            ("freshness", JSONValue(Shown.members(freshness, of: sample))),
        ]
    }
}

/// Samples of a sensor, at most a thousand.
struct SamplesTool: Tool {
    private static let limit = 1000

    let name = "samples"
    let title = "Samples"
    let description = """
        Samples of a sensor as rows, the newest first unless order is asc; 100 unless limit says otherwise, at most \
        1000. For longer ranges use windows. Needs permission for samples.
        """
    let arguments: Schema.Properties = [
        "sensor": Schema.sensor, "from": Schema.from, "to": Schema.to,
        "fields": Schema.fieldNames, "where": Schema.conditions,
        "order": Schema.text("By time; desc if missing.", oneOf: ["asc", "desc"]),
        "limit": Schema.integer(1...Self.limit, "How many samples; 100 if missing."),
        "cursor": Schema.text("The `next` of the previous page, with the same other arguments."),
    ]
    let required = ["sensor"]
    let result: Schema.Properties = [
        "sensor": Schema.text(), "fields": Schema.fields,
        "columns": Schema.list(
            of: Schema.text(), "What a row consists of: t, milliseconds since 1970, and fields."),
        "rows": Schema.list(
            of: Schema.list(of: Schema.any(of: ["number", "string", "null"]))),
        "count": Schema.integer(nil, "The number of rows."),
        "next": Schema.text("The cursor of the next page; missing on the last one."),
        "damaged": Schema.damaged, "freshness": Schema.freshness,
    ]
    let optional = ["next", "damaged"]

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)] {
        let name = try arguments.required("sensor")
        let order = try arguments.text("order") ?? "desc"
        let limit = try arguments.integer("limit", in: 1...Self.limit, standard: 100)
        let query =
            try arguments.range() + [
                ("order", order), ("limit", "\(limit)"), ("cursor", try arguments.text("cursor")),
            ]
        let page = try await host.json { try await $0.samples(of: name, query: query) }
        let sensor = try await host.description(of: name)
        let samples = page["items"]?.array ?? []
        let present = Set(samples.flatMap { ($0.object ?? []).map(\.key) })
        let columns = ["t"] + Shown.names(of: sensor).filter(present.contains)
        let rows = samples.map { sample in
            JSONValue(columns.map { Shown.value(sample[$0] ?? JSONValue(.null)) })
        }
        var members: [(key: String, value: JSONValue)] = [
            ("sensor", UntrustedText.identifier(sensor?["id"]?.string ?? name)),
            ("fields", Shown.fields(of: sensor)),
            ("columns", JSONValue(columns.map { JSONValue($0) })), ("rows", JSONValue(rows)),
            ("count", JSONValue(rows.count)), ("freshness", Shown.freshness(of: sensor)),
        ]
        members += Shown.members(["next", "damaged"], of: page)
        return members
    }
}

/// Parts of answers.
enum Shown {
    /// The names of a sensor's fields, which the host has checked.
    static func names(of sensor: JSONValue?) -> [String] {
        (sensor?["fields"]?.array ?? []).compactMap { $0["name"]?.string }
    }

    static func fields(of sensor: JSONValue?) -> JSONValue {
        JSONValue((sensor?["fields"]?.array ?? []).map(field))
    }

    private static func field(_ field: JSONValue) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("name", UntrustedText.identifier(field["name"]?.string ?? ""))
        ]
        if let unit = field["unit"]?.string { members.append(("unit", UntrustedText.unit(unit))) }
        members.append(("kind", field["kind"] ?? JSONValue("text")))
        return JSONValue(members)
    }

    /// The age of the newest sample, as far as the client may know it.
    static func freshness(of sensor: JSONValue?) -> JSONValue {
        JSONValue(members(["age", "stale"], of: sensor))
    }

    /// The members of an object that it has.
    static func members(
        _ names: [String], of value: JSONValue?
    ) -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = []
        for name in names {
            if let found = value?[name] { members.append((name, found)) }
        }
        return members
    }

    /// A value of a sample; a text is not trusted.
    static func value(_ value: JSONValue) -> JSONValue {
        value.string.map { UntrustedText($0).json } ?? value
    }

    /// Milliseconds since 1970 in RFC 3339.
    static func time(_ value: JSONValue?) -> JSONValue {
        guard let time = value?.number.flatMap({ Timestamp(milliseconds: $0.double) }) else {
            return JSONValue("")
        }
        return JSONValue("\(time)")
    }
}
