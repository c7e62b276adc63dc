import Samples
import Statistics
import VM

/// Rows of numbers with one time each, up to a limit.
struct AnalysisTable: Sendable {
    /// The maximum number of different texts.
    private static let outcomeLimit = 10_000

    private(set) var times: [Int64] = []
    private(set) var columns: [[Double]]
    /// The count of each text, where the only column contains texts.
    private(set) var texts: [String: Int] = [:]
    /// The number of samples that were added.
    private(set) var samples = 0
    private let limit: Int
    /// Windows whose means are the rows; `nil` for the samples themselves.
    private let grid: Grid?
    private var cell: Int64?
    private var open: [Moments]

    /// Reads the rows of a request, with its columns in the order of its inputs.
    ///
    /// - Returns: the table, and the number of samples of each source.
    static func read(
        _ request: AnalysisRequest, from sources: [AnalysisSource]
    ) async throws -> (AnalysisTable, [Int]) {
        let limit = request.analysis.rowLimit(fields: request.inputs.count)
        var tables: [AnalysisTable] = []
        for source in sources {
            var table = AnalysisTable(
                columns: source.fieldIndices.count, limit: limit, grid: request.windows)
            try await source.read { times, columns in try table.add(times, columns) }
            try table.close()
            tables.append(table)
        }
        let order = sources.flatMap { source in
            source.fieldIndices.map {
                FieldReference(sensor: source.sensor.id, field: source.sensor.fields[$0].name)
            }
        }
        let joined = joined(tables, request.every == nil ? request.alignment : nil)
        let indices = request.inputs.compactMap(order.firstIndex)
        return (joined.choosing(indices), tables.map(\.samples))
    }

    /// - Parameters:
    ///   - limit: the maximum number of rows.
    ///   - grid: windows whose means are the rows, each at the time when it begins.
    private init(columns: Int, limit: Int, grid: Grid? = nil) {
        self.columns = Array(repeating: [], count: columns)
        self.limit = limit
        self.grid = grid
        open = Array(repeating: Moments(), count: columns)
    }

    var count: Int { times.count }

    /// Adds samples in the order of time.
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
            for index in columns.indices { columns[index] += numbers[index] }
            try checkLimit()
            return
        }
        for (row, time) in times.enumerated() {
            let next = grid.cell(of: time)
            if next != cell {
                try close()
                cell = next
            }
            for index in open.indices { open[index].insert(numbers[index][row]) }
        }
    }

    /// Ends the last window.
    mutating func close() throws(LAEError) {
        guard let cell, let grid else { return }
        let means = open.compactMap { $0.mean?.finite }
        if means.count == columns.count {
            times.append(grid.start(of: cell))
            for (index, mean) in means.enumerated() { columns[index].append(mean) }
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
                .tooManyRows, "The range contains more than \(Self.outcomeLimit) different texts.",
                hint: "Narrow the range, or give a condition")
        }
        try checkLimit()
    }

    private func checkLimit() throws(LAEError) {
        guard times.count > limit else { return }
        throw LAEError(
            .tooManyRows,
            "This analysis reads at most \(limit) \(grid == nil ? "samples" : "windows") of a sensor,"
                + " and the range contains more.",
            hint: grid == nil
                ? "Narrow the range, or give every for means of windows, such as 1m"
                : "Narrow the range, or give a wider every")
    }

    /// Joins several tables side by side: the rows of the first table that match a row in each of
    /// the others.
    ///
    /// - Parameter alignment: how rows with different times are matched; `nil` for equal times.
    private static func joined(_ tables: [AnalysisTable], _ alignment: Alignment?) -> AnalysisTable
    {
        guard let first = tables.first, tables.count > 1 else {
            return tables.first ?? AnalysisTable(columns: 0, limit: 0)
        }
        let alignment = alignment ?? Alignment(method: .last, tolerance: 0)
        let matches = tables.dropFirst().map { alignment.indices(of: first.times, in: $0.times) }
        let rows = first.times.indices.filter { row in matches.allSatisfy { $0[row] != nil } }
        var joined = AnalysisTable(columns: 0, limit: first.limit)
        joined.times = rows.map { first.times[$0] }
        joined.columns = first.columns.map { column in rows.map { column[$0] } }
        for (table, indices) in zip(tables.dropFirst(), matches) {
            let chosen = rows.compactMap { indices[$0] }
            joined.columns += table.columns.map { column in chosen.map { column[$0] } }
        }
        return joined
    }

    /// The same rows with the columns at these indices, in this order.
    private func choosing(_ indices: [Int]) -> AnalysisTable {
        var chosen = self
        chosen.columns = indices.map { columns[$0] }
        return chosen
    }

    /// The numbers of the first column with their times.
    var series: Series { Series(times: times, values: columns.first ?? []) }
}

/// The fields and samples of one sensor that an analysis reads.
struct AnalysisSource: Sendable {
    let sensor: ReadableSensor
    /// The indices of the fields to read.
    let fieldIndices: [Int]
    let range: TimeRange
    let terms: GrantTerms
    let matchers: [Condition.Matcher]

    /// Whether the range contains pruned samples, of which only summaries exist.
    var isPartial: Bool {
        get async throws {
            let visible = terms.visible(terms.cells?.hours(range) ?? range)
            guard case .stored(let samples) = sensor.origin, !visible.isEmpty else { return false }
            let wanted = fieldIndices.map { sensor.fields[$0] }
            return try await samples.summarised(sensor.id, fields: wanted, in: visible) != nil
        }
    }

    /// The time ranges in which damaged samples would have been read.
    func damage(now: Timestamp) async -> [TimeRange] {
        let found = await sensor.origin.damage(of: sensor.id, in: terms.visible(range))
        guard let cells = terms.cells else { return found }
        // The exact bounds of damage would reveal the times of single samples.
        return found.map { cells.covering($0, now: now) }.joined
    }

    /// The same sensor with the range and the fields of another request.
    func narrowed(to request: AnalysisRequest) -> AnalysisSource {
        let names = request.inputs.filter { $0.sensor == sensor.id }.map(\.field)
        return AnalysisSource(
            sensor: sensor,
            fieldIndices: names.compactMap { name in sensor.fields.firstIndex { $0.name == name } },
            range: request.range, terms: terms, matchers: matchers)
    }

    /// Passes the fields to `take` in the order of time, a page of samples at once.
    ///
    /// Analyses read samples only here.
    func read(
        _ take: (_ times: [Int64], _ columns: [Column]) throws -> Void
    ) async throws {
        let query = SampleQuery(
            sensor: sensor.id, fields: sensor.fields, range: range, limit: .max)
        var scan = SampleScan(query, from: sensor.origin, under: terms, matchers: matchers)
        var filter = terms.cells.map(DenseCells.init)
        func give(_ batch: StoredBatch) throws {
            guard !batch.isEmpty else { return }
            try take(
                batch.samples.times.map(\.microseconds),
                fieldIndices.map { batch.samples.columns[$0] })
        }
        while let page = try await scan.next() { try give(filter?.pass(page) ?? page) }
        if let rest = filter?.finish() { try give(rest) }
    }
}

extension Column {
    /// The values as doubles; empty for texts.
    var doubles: [Double] {
        switch self {
        case .numbers(let values): values
        case .integers(let values): values.map(Double.init)
        case .texts: []
        }
    }
}
