import Samples
import Statistics

/// Rows of numbers with one time each, gathered under a limit.
struct AnalysisTable: Sendable {
    /// The most different texts.
    private static let outcomeLimit = 10_000

    private(set) var times: [Int64] = []
    private(set) var columns: [[Double]]
    /// How often each text was seen, where the one column holds texts.
    private(set) var texts: [String: Int] = [:]
    /// Samples that went in.
    private(set) var samples = 0
    private let limit: Int
    /// Windows whose means are the rows; `nil` for the samples themselves.
    private let grid: Grid?
    private var cell: Int64?
    private var open: [Moments]

    /// - Parameters:
    ///   - limit: the most rows.
    ///   - grid: windows whose means are the rows, each at the time when it begins.
    init(columns: Int, limit: Int, grid: Grid? = nil) {
        self.columns = Array(repeating: [], count: columns)
        self.limit = limit
        self.grid = grid
        open = Array(repeating: Moments(), count: columns)
    }

    var count: Int { times.count }

    /// Adds samples that are not earlier than those before.
    ///
    /// - Throws: `tooManyRows`.
    mutating func add(_ times: [Int64], _ values: [Column]) throws(LAEError) {
        samples += times.count
        if case .texts(let texts)? = values.first {
            try add(times, texts)
            return
        }
        let numbers = values.map(\.doubles)
        guard let grid else {
            self.times += times
            for place in columns.indices { columns[place] += numbers[place] }
            try checkLimit()
            return
        }
        for (row, time) in times.enumerated() {
            let next = grid.cell(of: time)
            if next != cell {
                try close()
                cell = next
            }
            for place in open.indices { open[place].insert(numbers[place][row]) }
        }
    }

    /// Ends the last window.
    mutating func close() throws(LAEError) {
        guard let cell, let grid else { return }
        let means = open.compactMap { $0.mean?.finite }
        if means.count == columns.count {
            times.append(grid.start(of: cell))
            for (place, mean) in means.enumerated() { columns[place].append(mean) }
        }
        open = Array(repeating: Moments(), count: columns.count)
        self.cell = nil
        try checkLimit()
    }

    private mutating func add(_ times: [Int64], _ texts: [String]) throws(LAEError) {
        self.times += times
        for text in texts { self.texts[text, default: 0] += 1 }
        guard self.texts.count <= Self.outcomeLimit else {
            throw LAEError(
                .tooManyRows, "The range holds more than \(Self.outcomeLimit) different texts.",
                hint: "Narrow the range, or give a condition")
        }
        try checkLimit()
    }

    private func checkLimit() throws(LAEError) {
        guard times.count > limit else { return }
        throw LAEError(
            .tooManyRows,
            "At most \(limit) \(grid == nil ? "samples" : "windows") of a sensor go into this"
                + " analysis, and the range holds more.",
            hint: grid == nil
                ? "Narrow the range, or give every for means of windows, such as 1m"
                : "Narrow the range, or give a wider every")
    }

    /// The rows of several tables side by side: those of the first that have one in each other.
    ///
    /// - Parameter alignment: how rows with different times belong together; `nil` for equal times.
    static func joined(_ tables: [AnalysisTable], _ alignment: Alignment?) -> AnalysisTable {
        guard let first = tables.first, tables.count > 1 else {
            return tables.first ?? AnalysisTable(columns: 0, limit: 0)
        }
        let alignment = alignment ?? Alignment(method: .last, tolerance: 0)
        let places = tables.dropFirst().map { alignment.places(of: first.times, in: $0.times) }
        let rows = first.times.indices.filter { row in places.allSatisfy { $0[row] != nil } }
        var joined = AnalysisTable(columns: 0, limit: first.limit)
        joined.times = rows.map { first.times[$0] }
        joined.columns = first.columns.map { column in rows.map { column[$0] } }
        for (table, places) in zip(tables.dropFirst(), places) {
            let chosen = rows.compactMap { places[$0] }
            joined.columns += table.columns.map { column in chosen.map { column[$0] } }
        }
        return joined
    }

    /// The same rows with these columns, in this order.
    func choosing(_ places: [Int]) -> AnalysisTable {
        var chosen = self
        chosen.columns = places.map { columns[$0] }
        return chosen
    }

    /// The numbers of the one column with their times.
    var series: Series { Series(times: times, values: columns.first ?? []) }
}
