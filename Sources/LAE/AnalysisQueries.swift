import Auth
import Samples
import Scheduling
import VM

/// Answers queries for analyses.
struct AnalysisQueries: Sendable {
    private let sensors: SensorCatalog
    private let machine: VirtualMachine
    private let log: AccessLog
    private let time: any TimeSource

    init(
        _ sensors: SensorCatalog, _ machine: VirtualMachine, log: AccessLog, time: any TimeSource
    ) {
        self.sensors = sensors
        self.machine = machine
        self.log = log
        self.time = time
    }

    /// A sensor of the request with its grant.
    private struct Input {
        let grant: Grant
        let lookup: SensorLookup
        let terms: GrantTerms
    }

    func answer(
        _ request: AnalysisRequest, grants: [Grant]
    ) async throws(LAEError) -> AnalysisAnswer {
        try request.check()
        let now = time.now()
        let inputs = try await inputs(of: request, grants, now: now)
        // The bounds of the widest cells are also bounds of all narrower ones.
        let cells = inputs.compactMap(\.terms.cells).max { $0.width < $1.width }
        let whole = cells.map { request.widened(to: $0, now: now) } ?? request
        var sources: [AnalysisSource] = []
        for input in inputs { sources.append(try await source(input, whole)) }
        let minimum = cells == nil ? 0 : GrantTerms.minimumCount
        if minimum > 0 { try await checkSelection(of: request, sources) }
        do {
            let (table, counts) = try await AnalysisTable.read(whole, from: sources)
            let computation = AnalysisComputation(request: whole, table: table, minimum: minimum)
            let result = try await computation.run()
            for (input, count) in zip(inputs, counts) {
                let access: Access = request.analysis.needsSamples ? .raw : .stats
                try await log.record(
                    "analyze", access, for: input.grant, range: request.range, count: count)
            }
            var damage: [SensorID: [TimeRange]] = [:]
            var isPartial = false
            for source in sources {
                if try await source.isPartial { isPartial = true }
                let found = await source.damage(now: now)
                if !found.isEmpty { damage[source.sensor.id] = found }
            }
            return AnalysisAnswer(
                inputs: request.inputs, fields: Self.fields(of: request, sources),
                count: table.count >= minimum ? table.count : nil, result: result,
                isPartial: isPartial, damage: damage)
        } catch {
            throw LAEError(error)
        }
    }

    private func inputs(
        of request: AnalysisRequest, _ grants: [Grant], now: Timestamp
    ) async throws(LAEError) -> [Input] {
        var inputs: [Input] = []
        for sensor in request.sensors {
            guard let grant = grants.first(where: { $0.sensor == sensor }) else {
                throw LAEError(.notGranted, "Reading \(sensor) is not granted.")
            }
            let lookup = await sensors.lookUp(sensor)
            let terms = lookup.terms(of: grant, now: now)
            try Self.check(terms, grant, request.analysis)
            inputs.append(Input(grant: grant, lookup: lookup, terms: terms))
        }
        return inputs
    }

    private static func check(
        _ terms: GrantTerms, _ grant: Grant, _ analysis: Analysis
    ) throws(LAEError) {
        guard terms.allowsStatistics else {
            throw LAEError(.notGranted, "Reading \(grant.sensor) is not granted.")
        }
        guard terms.allowsSamples || !analysis.needsSamples else {
            throw LAEError(
                .notGranted,
                "\(analysis.name) reveals single samples, and only statistics of"
                    + " \(grant.sensor) are granted.")
        }
    }

    /// Checks that no row of a sensor under a statistics-only grant can be selected with the help
    /// of another sensor: by a condition, by the times of its samples, or by samples that the
    /// client could have published.
    private func checkSelection(
        of request: AnalysisRequest, _ sources: [AnalysisSource]
    ) async throws(LAEError) {
        guard let restricted = sources.first(where: { !$0.terms.allowsSamples })?.sensor.id else {
            return
        }
        guard request.conditions.isEmpty else { throw LAEError.conditionsRefused(restricted) }
        guard sources.count > 1 else { return }
        guard request.every != nil else {
            throw LAEError(
                .notGranted,
                "A join selects samples by their times, and only statistics of \(restricted) are"
                    + " granted.",
                hint: "Give every, such as 10m, for means.")
        }
        for source in sources where await machine.isPublished(source.sensor.id) {
            throw LAEError(
                .notGranted,
                "A client could select samples by publishing \(source.sensor.id), and only"
                    + " statistics of \(restricted) are granted.")
        }
    }

    private func source(
        _ input: Input, _ request: AnalysisRequest
    ) async throws(LAEError) -> AnalysisSource {
        let sensor = try await sensors.readable(input.lookup)
        let indices = try sensor.columns(
            request.inputs.filter { $0.sensor == sensor.id }.map(\.field))
        for index in indices where !sensor.fields[index].kind.isNumeric {
            if case .entropy(bins: nil) = request.analysis.kind, request.every == nil { continue }
            throw LAEError(
                .notNumeric, "\(sensor.fields[index].name) of \(sensor.id) is not a number.")
        }
        return AnalysisSource(
            sensor: sensor, fieldIndices: indices, range: request.range, terms: input.terms,
            matchers: try sensor.matchers(request.conditions(on: sensor.id)))
    }

    private static func fields(
        of request: AnalysisRequest, _ sources: [AnalysisSource]
    ) -> [Field] {
        request.inputs.compactMap { input in
            sources.first { $0.sensor.id == input.sensor }?.sensor.fields
                .first { $0.name == input.field }
        }
    }
}
