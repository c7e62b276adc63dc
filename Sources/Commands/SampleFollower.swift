import API
import Foundation
import Host
import Samples
import Text

/// Prints the samples of a sensor as they arrive.
struct SampleFollower {
    /// How many earlier samples the sparkline shows at the start.
    private static let earlier = 20

    let sensor: String
    /// The chosen fields, separated by commas; `nil` for all.
    let fieldNames: String?
    let format: QueryCommand.OutputFormat
    let client: APIClient
    let console: Console

    /// Runs until it is cancelled.
    ///
    /// - Throws: the problem that ends the stream, and `unavailable` if the host ends.
    func run() async throws {
        let description = try await client.sensor(sensor).value
        let fields = QueryCommand.chosen(fieldNames, of: description)
        // Refuses unknown fields, too.
        let recent = try await client.samples(
            of: sensor,
            query: [("limit", String(Self.earlier)), ("order", "desc"), ("fields", fieldNames)]
        ).value.items
        let lines = try await client.stream(of: sensor)
        if description.level == "off", Console.messagesAreTerminal, !console.isJSON {
            console.say(
                "\(sensor) is off. Turn it on with: nervous sensors set \(sensor) medium")
        }
        var printer = SamplePrinter(
            fields: fields, mainField: description.mainField, format: format, console: console,
            earlier: recent.reversed())
        defer { printer.end() }
        try await EventLines(lines: lines).read { event in
            switch event.name {
            case "sample": try printer.show(event.data)
            case "damage": console.warnAboutDamage(in: event.data, of: sensor)
            case "gap": console.warnAboutGap(in: event.data)
            default: break
            }
            return true
        }
    }
}

/// Prints samples one by one; on a terminal, with a sparkline of a numeric field below them.
private struct SamplePrinter {
    private static let longestSparkline = 40

    private let fields: [SensorDescription.FieldDescription]
    private let format: QueryCommand.OutputFormat
    private let console: Console
    /// The line of the sparkline; `nil` if the output has none.
    private let status: StatusLine?
    /// The field that the sparkline shows.
    private let main: SensorDescription.FieldDescription?
    private var values: [Double]
    private var layout: TableLayout
    private var hasHeader = false

    /// - Parameters:
    ///   - mainField: the field of the sparkline; the first numeric one if it is not among `fields`.
    ///   - earlier: samples that are not printed, the newest last.
    init(
        fields: [SensorDescription.FieldDescription], mainField: String?,
        format: QueryCommand.OutputFormat, console: Console, earlier: [[String: SampleValue]]
    ) {
        (self.fields, self.format, self.console) = (fields, format, console)
        main =
            fields.first { $0.name == mainField }
            ?? fields.first { Field.Kind(rawValue: $0.kind)?.isNumeric == true }
        status = format == .table && main != nil ? StatusLine(console) : nil
        values = main.map { main in earlier.compactMap { $0[main.name]?.number } } ?? []
        var table = Table(["TIME"] + fields.map(\.name), overflow: .omission)
        for sample in earlier { table.add(QueryCommand.cells(sample, fields)) }
        layout = table.layout(columns: console.columns)
        guard format == .table else { return }
        QueryCommand.warn(about: table.omitted(columns: console.columns), console)
    }

    /// - Parameter data: a sample as JSON, with all fields.
    mutating func show(_ data: Data) throws {
        guard format != .json else { return console.print(json: try chosenMembers(of: data)) }
        let sample = try JSONDecoder().decode([String: SampleValue].self, from: data)
        if let main, let value = sample[main.name]?.number {
            values = (values + [value]).suffix(Self.longestSparkline)
        }
        guard format == .table else {
            return print(
                header: QueryCommand.csvHeader(fields), QueryCommand.csv(sample, fields))
        }
        let cells = zip(0..., QueryCommand.cells(sample, fields)).map {
            Table.cell($1, isLast: $0 == fields.count)
        }
        layout.grow(for: cells, columns: console.columns)
        print(header: layout.line(["TIME"] + fields.map(\.name)), layout.line(cells))
    }

    /// The time and the chosen fields of a sample, with the numbers as the host wrote them.
    private func chosenMembers(of data: Data) throws -> Data {
        let names = ["t"] + fields.map(\.name)
        let sample = try StrictJSON(maximumBytes: data.count).parse(Array(data))
        return (sample.object ?? []).filter { names.contains($0.key) }.line
    }

    func end() {
        status?.end()
    }

    private mutating func print(header: String, _ line: String) {
        let lines = hasHeader ? [line] : [header, line]
        hasHeader = true
        guard let status else { return lines.forEach(console.print) }
        status.print(lines, status: sparkline)
    }

    /// The sparkline, with the name of the field and its range.
    private var sparkline: String {
        guard let main, let smallest = values.min(), let largest = values.max() else { return "" }
        let room = (console.columns ?? 80) - 1
        let range =
            " \(Format.value(smallest, unit: main.unit)) to \(Format.value(largest, unit: main.unit))"
        let name = main.name.escapedForDisplay(limit: 24) + " "
        let free = room - name.displayColumns - range.displayColumns
        let count = min(Self.longestSparkline, max(0, free))
        return name + Sparkline.text(values.suffix(count)) + range
    }
}

extension [JSONMember] {
    /// The members as an object on one line, with the original digits of numbers.
    var line: Data {
        let members = map { JSONString.literal($0.key) + ":" + $0.value.text() }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }
}
