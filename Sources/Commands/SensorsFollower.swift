import API
import Foundation
import Host
import Text

/// Prints the samples of several sensors as they arrive, on one connection.
struct SensorsFollower {
    /// Each like `cpu`, or like `cpu:busy,core0` for some of its fields.
    let selections: [SensorSelection]
    /// Whether the newest sample of each sensor comes first.
    let beginsWithNewest: Bool
    let format: QueryCommand.OutputFormat
    let client: APIClient
    let console: Console

    private struct Refusal: Decodable {
        let sensor: String
        let problem: ProblemDetails
    }

    /// Runs until it is cancelled.
    ///
    /// - Throws: the problem that ends the stream, or that of the last sensor if none can be read, and
    ///   `unavailable` if the host ends.
    func run() async throws {
        let described = try await client.sensors().value.items
        let descriptions = Dictionary(described.map { ($0.id, $0) }) { first, _ in first }
        try checkFields(descriptions)
        let lines = try await client.stream(
            of: selections.map(\.sensor), beginsWithNewest: beginsWithNewest)
        var printer = SensorsPrinter(selections, descriptions, format, console)
        var left = selections.count
        try await EventLines(lines: lines).read { event in
            switch event.name {
            case "sample": try printer.show(event.data)
            case "refused":
                let refusal = try JSONDecoder().decode(Refusal.self, from: event.data)
                let error = APIError(
                    status: refusal.problem.status, problem: refusal.problem)
                left -= 1
                guard left > 0 else { throw error }
                console.report(CommandFailure(error))
            case "damage": console.warnAboutDamage(in: event.data)
            case "gap": console.warnAboutGap(in: event.data, isOfSeveral: true)
            default: break
            }
            return true
        }
    }

    /// The stream has all fields, so the host does not check their names.
    private func checkFields(_ descriptions: [String: SensorDescription]) throws {
        for selection in selections {
            guard let known = descriptions[selection.sensor]?.fields.map(\.name) else { continue }
            for field in selection.fields ?? [] where !known.contains(field) {
                throw CommandFailure(
                    .usage, "\(selection.sensor) has no field \(field.debugDescription).",
                    hint: "Its fields are: \(known.joined(separator: ", ")).",
                    type: ProblemCode.unknownField.rawValue)
            }
        }
    }
}

/// A sensor, or some of its fields, as in `cpu` and `cpu:busy,core0`.
struct SensorSelection: Hashable {
    let sensor: String
    /// `nil` for all.
    let fields: [String]?

    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        sensor = parts.first.map(String.init) ?? ""
        fields = parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : nil
    }
}

/// Prints samples with the names of their sensors.
private struct SensorsPrinter {
    private let chosen: [String: [String]]
    private let descriptions: [String: SensorDescription]
    private let format: QueryCommand.OutputFormat
    private let console: Console
    private var rows: TableRows
    private var hasHeader = false

    init(
        _ selections: [SensorSelection], _ descriptions: [String: SensorDescription],
        _ format: QueryCommand.OutputFormat, _ console: Console
    ) {
        chosen = Dictionary(
            selections.compactMap { one in one.fields.map { (one.sensor, $0) } }
        ) { first, _ in first }
        (self.descriptions, self.format, self.console) = (descriptions, format, console)
        rows = TableRows(["TIME", "SENSOR", "VALUES"], console)
    }

    /// - Parameter data: a sample as JSON, with all fields, and its sensor as the first member.
    mutating func show(_ data: Data) throws {
        let members = try StrictJSON(maximumBytes: data.count).parse(Array(data)).object ?? []
        let sensor = members.first { $0.key == "sensor" }?.value.string ?? ""
        guard format != .json else {
            return console.print(json: Self.text(members, only: chosen[sensor]))
        }
        let sample = try JSONDecoder().decode([String: SampleValue].self, from: data)
        let fields = descriptions[sensor]?.fields ?? []
        let names = chosen[sensor] ?? fields.map(\.name)
        let shown = names.compactMap { name in fields.first { $0.name == name } }
            .filter { sample[$0.name] != nil }
        guard format == .csv else {
            let values = shown.compactMap { field in
                sample[field.name].map { "\(field.name) \($0.text(unit: field.unit))" }
            }
            return rows.print([
                [
                    sample["t"]?.number.map(Format.time) ?? "–", sensor,
                    values.joined(separator: ", "),
                ]
            ])
        }
        if !hasHeader { console.print("t,sensor,field,value") }
        hasHeader = true
        for field in shown {
            // The row of a single field is its time and its value.
            let cells = QueryCommand.csv(sample, [field]).split(
                separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            guard cells.count == 2 else { continue }
            console.print("\(cells[0]),\(sensor),\(field.name),\(cells[1])")
        }
    }

    /// The sensor, the time and the chosen fields, with the numbers as the host wrote them.
    private static func text(
        _ members: [JSONMember], only names: [String]?
    ) -> Data {
        members.filter { member in
            names?.contains(member.key) ?? true || ["sensor", "t"].contains(member.key)
        }.line
    }
}
