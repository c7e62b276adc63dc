import API
import Foundation
import Host

/// Prints statistics of several sensors, which one call computes.
struct SensorsStatistics {
    /// Each like `cpu`, or like `cpu:busy,core0` for some of its fields.
    let sensors: [String]
    /// The names of the statistics, in the order of the columns.
    let functions: [String]
    /// Parameters of the API.
    let query: [(name: String, value: String?)]
    let isWindowed: Bool
    let format: QueryCommand.OutputFormat
    let client: APIClient
    let console: Console

    /// - Throws: the first problem of a sensor that cannot be read, after the others were printed.
    func run() async throws {
        let reply = try await client.statistics(of: sensors, query: query)
        let answer = try reply.value
        let hasNone = answer.items.allSatisfy { $0.problem != nil }
        switch format {
        case .json: console.print(json: reply.json)
        case .csv where hasNone, .table where hasNone: break
        case .csv:
            console.print(header.joined(separator: ","))
            for row in answer.items.flatMap({ rows(of: $0) }) { print(row) }
        case .table:
            var table = Table(header.map { $0.uppercased() })
            for row in answer.items.flatMap({ rows(of: $0) }) {
                let values = zip(functions, row.values).map { name, value in
                    Format.value(value, unit: name == "count" ? nil : row.field.unit)
                }
                let start = isWindowed ? [row.from.map(Format.time) ?? ""] : []
                table.add(start + [row.sensor, row.field.name] + values)
            }
            console.print(table)
        }
        for item in answer.items {
            console.warn(about: item.damaged, of: item.sensor)
        }
        let failures = answer.items.compactMap(\.problem).map { problem in
            CommandFailure(APIError(status: problem.status, problem: problem))
        }
        failures.dropFirst().forEach(console.report)
        if let first = failures.first { throw first }
    }

    private struct Row {
        let from: Double?
        let sensor: String
        let field: SensorDescription.FieldDescription
        let values: [Double?]
    }

    private var header: [String] {
        (isWindowed ? ["from"] : []) + ["sensor", "field"] + functions
    }

    private func rows(of item: StatisticsColumns.Item) -> [Row] {
        item.from.indices.flatMap { index in
            item.fields.map { field in
                let columns = item.columns[field.name] ?? [:]
                let values = functions.map { name -> Double? in
                    guard let column = columns[name], column.indices.contains(index) else {
                        return nil
                    }
                    return column[index]
                }
                return Row(
                    from: item.from[index], sensor: item.sensor, field: field, values: values)
            }
        }
    }

    private func print(_ row: Row) {
        let start = isWindowed ? [row.from.map(Format.exact) ?? ""] : []
        let values = row.values.map { $0.map(Format.exact) ?? "" }
        console.print((start + [row.sensor, row.field.name] + values).joined(separator: ","))
    }
}
