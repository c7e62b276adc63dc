public import Auth
import Samples
import Statistics
import VM

extension AnalyticsEngine {
    static let executor = AnalysisExecutor()

    /// An analysis of fields of one sensor or several, under a grant for each of them.
    ///
    /// Where a grant is for aggregates, the range is widened to whole cells (see `AggregateCells`), and
    /// the answer says nothing of fewer than 5 rows, bins or clusters. At most a million numbers are
    /// held at once. Ends when its task is cancelled.
    /// - Throws: `notGranted` also where a sensor has no grant, or the answer would tell of single
    ///   samples; `unknownSensor`, `unavailable`, `unknownField`, `notNumeric`, `invalidCondition`,
    ///   `invalidAnalysis`, `tooManyRows`, `failed`.
    public func analyze(
        _ request: AnalysisRequest, grants: [Grant]
    ) async throws(LAEError) -> AnalysisAnswer {
        try request.check()
        let present = now()
        var terms: [(grant: Grant, terms: GrantTerms)] = []
        for sensor in request.sensors {
            guard let grant = grants.first(where: { $0.sensor == sensor }) else {
                throw LAEError(.notGranted, "Reading \(sensor) is not granted.")
            }
            let own = await GrantTerms(
                grant, now: present, cadence: await cadence(of: sensor))
            try Self.check(own, grant, request.analysis)
            terms.append((grant, own))
        }
        // The bounds of wide cells are bounds of narrow ones, too.
        let cells = terms.compactMap(\.terms.cells).max { $0.width < $1.width }
        let whole = cells.map { request.widened(to: $0, now: present) } ?? request
        var granted: [(Grant, AnalysisSource)] = []
        for (grant, terms) in terms {
            granted.append((grant, try await source(grant.sensor, whole, terms)))
        }
        let minimum = cells == nil ? 0 : GrantTerms.minimumCount
        if minimum > 0 { try await checkSelection(of: request, granted.map(\.1)) }
        do {
            let (table, counts) = try await table(whole, granted.map(\.1))
            let fields = Self.fields(of: request, granted.map(\.1))
            let computation = AnalysisComputation(request: whole, table: table, minimum: minimum)
            let result = try await withTaskExecutorPreference(Self.executor) {
                try computation.result()
            }
            for ((grant, _), count) in zip(granted, counts) {
                let access: Access = request.analysis.needsSamples ? .raw : .stats
                await log.record(
                    "analyze", access, for: grant, range: request.range, count: count)
            }
            var damage: [SensorID: [TimeRange]] = [:]
            var isPartial = false
            for (_, source) in granted {
                if try await source.isPartial { isPartial = true }
                let found = await source.damage(now: present)
                if !found.isEmpty { damage[source.sensor] = found }
            }
            return AnalysisAnswer(
                inputs: request.inputs, fields: fields,
                count: table.count >= minimum ? table.count : nil, result: result,
                isPartial: isPartial, damage: damage)
        } catch {
            throw Self.wrap(error)
        }
    }

    // MARK: - Private

    private static func check(
        _ terms: GrantTerms, _ grant: Grant, _ analysis: Analysis
    ) throws(LAEError) {
        guard terms.allowsStatistics else {
            throw LAEError(.notGranted, "Reading \(grant.sensor) is not granted.")
        }
        guard terms.allowsSamples || !analysis.needsSamples else {
            throw LAEError(
                .notGranted,
                "\(analysis.name) tells of single samples, and only statistics of"
                    + " \(grant.sensor) are granted.")
        }
    }

    /// Passes when no row of a sensor with aggregates only can be singled out with the help of
    /// another: neither by a condition, nor by the times of its samples, nor by a series that whoever
    /// asks could have made for it.
    private func checkSelection(
        of request: AnalysisRequest, _ sources: [AnalysisSource]
    ) async throws(LAEError) {
        guard let shielded = sources.first(where: { !$0.terms.allowsSamples })?.sensor else {
            return
        }
        guard request.conditions.isEmpty else { throw Self.conditionsRefusal(shielded) }
        guard sources.count > 1 else { return }
        guard request.every != nil else {
            throw LAEError(
                .notGranted,
                "A join chooses samples by their times, and only statistics of \(shielded) are"
                    + " granted.",
                hint: "Give every, such as 10m, for means.")
        }
        for source in sources where await machine.isPublished(source.sensor) {
            throw LAEError(
                .notGranted,
                "Whoever publishes \(source.sensor) can choose what it is compared with, and only"
                    + " statistics of \(shielded) are granted.")
        }
    }

    /// What of one sensor goes into the request.
    private func source(
        _ sensor: SensorID, _ request: AnalysisRequest, _ terms: GrantTerms
    ) async throws(LAEError) -> AnalysisSource {
        let all = try await fields(of: sensor)
        let names = request.inputs.filter { $0.sensor == sensor }.map(\.field)
        let places = try columns(names, of: all, sensor)
        for place in places where !all[place].kind.isNumeric {
            if case .entropy(bins: nil) = request.analysis.kind, request.every == nil { continue }
            throw LAEError(.notNumeric, "\(all[place].name) of \(sensor) is not a number.")
        }
        let own = request.conditions.filter { ($0.sensor ?? sensor) == sensor }
        return AnalysisSource(
            sensor: sensor, origin: try await source(of: sensor), fields: all, places: places,
            range: request.range, terms: terms, matchers: try matchers(own.map(\.condition), all))
    }

    /// The rows of the request with its columns in the order of its inputs, and how many samples of
    /// each sensor went in.
    func table(
        _ request: AnalysisRequest, _ sources: [AnalysisSource]
    ) async throws -> (AnalysisTable, [Int]) {
        let limit = request.analysis.rowLimit(fields: request.inputs.count)
        var tables: [AnalysisTable] = []
        for source in sources {
            var table = AnalysisTable(
                columns: source.places.count, limit: limit, grid: request.windows)
            try await read(source) { times, columns in try table.add(times, columns) }
            try table.close()
            tables.append(table)
        }
        let order = sources.flatMap { source in
            source.places.map {
                FieldReference(sensor: source.sensor, field: source.fields[$0].name)
            }
        }
        let joined = AnalysisTable.joined(tables, request.every == nil ? request.alignment : nil)
        let places = request.inputs.compactMap(order.firstIndex)
        return (joined.choosing(places), tables.map(\.samples))
    }

    private static func fields(
        of request: AnalysisRequest, _ sources: [AnalysisSource]
    ) -> [Field] {
        request.inputs.compactMap { input in
            sources.first { $0.sensor == input.sensor }?.fields.first { $0.name == input.field }
        }
    }
}

extension AnalysisRequest {
    /// The same over whole cells that have ended, as those get it who may see statistics only.
    ///
    /// It holds for every sensor: where one of them is shielded, the range of another would choose
    /// among its samples. Windows begin and end at the bounds of cells, so that the mean of each is made
    /// of whole ones, and has the samples of a cell at least.
    fileprivate func widened(to cells: AggregateCells, now: Timestamp) -> AnalysisRequest {
        var widened = self
        widened.range = cells.covering(range, now: now)
        widened.every = every.map { .microseconds(cells.step($0.wholeMicroseconds)) }
        return widened
    }

    /// The line of time in cells of `every`, the first of which begins with a range that has a
    /// beginning.
    var grid: Grid? {
        every.map { every in
            Grid(
                origin: range.from == .distantPast ? 0 : range.from.microseconds,
                step: every.wholeMicroseconds)
        }
    }

    /// The cells whose means are the rows; `resample` does its own.
    fileprivate var windows: Grid? {
        if case .resample = analysis.kind { nil } else { grid }
    }

    fileprivate var alignment: Alignment? {
        switch join {
        case .nearest(let span)?:
            Alignment(method: .nearest, tolerance: span.wholeMicroseconds)
        case .last(let span)?: Alignment(method: .last, tolerance: span.wholeMicroseconds)
        case nil: nil
        }
    }
}
