import Auth
import Foundation
import Text

/// What an analysis found, as tables for a person.
struct AnalysisReport {
    /// Facts.
    let lines: [String]
    /// What a person should know beside them.
    let remarks: [String]

    /// Columns in the order in which they are read; others follow by name.
    private static let order = [
        "t", "x", "y", "from", "to", "frequency", "cluster", "value", "score", "count",
    ]
    private static let times: Set<String> = ["t", "origin"]

    /// - Parameters:
    ///   - data: the answer of the host.
    ///   - limit: the most rows of a list.
    init(_ data: Data, limit: Int) throws {
        let answer = try StrictJSON(maximumBytes: 1 << 28).parse(Array(data))
        guard let members = answer["result"]?.object else {
            lines = []
            remarks = [
                "There is too little in this range to analyse, or too little that may be told."
            ]
            return
        }
        let count = answer["count"].map { Self.text($0, of: "count") } ?? "–"
        var lines = ["\(count) rows"]
        var remarks: [String] = []
        var table = Table("NAME", "VALUE")
        for member in members where member.value.array == nil {
            table.add(member.key, Self.text(member.value, of: member.key))
        }
        if !table.isEmpty { lines += table.lines }
        for member in members {
            guard let rows = member.value.array else { continue }
            lines += Self.table(rows.prefix(limit))
            if rows.count > limit {
                remarks.append("\(rows.count - limit) more in \(member.key); see --limit, --json.")
            }
        }
        self.lines = lines
        self.remarks = remarks
    }

    private static func table(_ rows: some Collection<JSONValue>) -> [String] {
        let flat = rows.map(cells)
        var names: [String] = []
        for row in flat {
            for name in row.keys where !names.contains(name) { names.append(name) }
        }
        names.sort { left, right in
            let places = [left, right].map { order.firstIndex(of: $0) ?? order.count }
            return places[0] == places[1] ? left < right : places[0] < places[1]
        }
        guard !names.isEmpty else { return [] }
        var table = Table(names.map { $0 == "t" ? "TIME" : $0.uppercased() })
        for row in flat { table.add(names.map { row[$0] ?? "–" }) }
        return table.lines
    }

    /// The members of a row; those of a member that is an object stand beside them.
    private static func cells(_ row: JSONValue) -> [String: String] {
        var cells: [String: String] = [:]
        for member in row.object ?? [] {
            guard let inner = member.value.object else {
                // A centre that is not told has no coordinates to put into columns.
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

    /// Small and large numbers with an exponent, so that no digit that counts is cut off.
    private static func number(_ number: Double) -> String {
        let size = number.magnitude
        guard number != number.rounded(), size < 0.01 || size >= 1e9 else {
            return Format.number(number)
        }
        return String(format: "%.4g", number)
    }
}
