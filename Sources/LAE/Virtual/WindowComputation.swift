import Samples
import Statistics

/// Computes the outputs of a virtual sensor of some windows at once.
///
/// What can be merged comes from summaries of one slide each; percentiles and analyses read the
/// samples of their window.
struct WindowComputation: Sendable {
    /// A sensor that it is made of, read as its owner may.
    struct Input: Sendable {
        /// Of the numeric fields that are used.
        let reader: StatisticsReader

        var sensor: SensorID { reader.sensor }
        var fields: [Field] { reader.fields }
    }

    /// A sample of the virtual sensor.
    struct Made: Sendable {
        let window: Int64
        let values: [Double]
    }

    /// What some windows give.
    struct Slab: Sendable {
        var samples: [Made] = []
        /// Whether no input has a sample in any of them.
        var isEmpty = true
    }

    let pipeline: Pipeline
    let inputs: [Input]
    /// Answers an analysis of a range of the inputs.
    let analyze: @Sendable (AnalysisRequest) async throws -> AnalysisResult?

    /// - Returns: the samples in the order of time.
    func slab(_ windows: ClosedRange<Int64>, _ budget: WindowBudget) async throws -> Slab {
        var slab = Slab()
        var cells: [[WindowSummary]] = []
        for input in inputs {
            cells.append(try await input.reader.summaries(query(input, windows)))
        }
        slab.isEmpty = cells.allSatisfy { $0.allSatisfy { $0.count == 0 } }
        guard !slab.isEmpty else { return slab }
        for (place, window) in windows.enumerated() {
            let end = place + Int(pipeline.windows.overlap)
            let merged = zip(inputs, cells).map { input, cells in
                Self.merged(cells[place..<end], query(input, windows))
            }
            guard merged.contains(where: { $0.count > 0 }),
                !merged.contains(where: \.isPartial)
            else { continue }
            try Task.checkCancellation()
            if let values = try await values(window, merged, budget) {
                slab.samples.append(Made(window: window, values: values))
            }
        }
        return slab
    }

    // MARK: - Private

    /// One cell for each slide that the windows reach over.
    private func query(_ input: Input, _ windows: ClosedRange<Int64>) -> SummaryQuery {
        let needsSketch = pipeline.operations.contains { operation in
            if case .statistic(let statistic, _) = operation {
                statistic.needsSketch
            } else {
                false
            }
        }
        return SummaryQuery(
            sensor: input.sensor, fields: input.fields, range: pipeline.windows.span(of: windows),
            step: pipeline.windows.slide, hasSketch: needsSketch)
    }

    private static func merged(
        _ cells: ArraySlice<WindowSummary>, _ query: SummaryQuery
    ) -> WindowSummary {
        guard cells.count > 1, let first = cells.first else {
            return cells.first ?? WindowSummary(query)
        }
        return cells.dropFirst().reduce(into: first) { $0.merge($1) }
    }

    /// - Parameter summaries: one for each input.
    /// - Returns: one for each output; `nil` when one of them is not defined.
    private func values(
        _ window: Int64, _ summaries: [WindowSummary], _ budget: WindowBudget
    ) async throws -> [Double]? {
        let span = pipeline.windows.span(of: window)
        var values: [Double] = []
        for operation in pipeline.operations {
            var value: Double?
            switch operation {
            case .statistic(let statistic, let field):
                value = try await self.value(statistic, field, span, summaries, budget)
            case .analysis(let analysis, let fields, let every):
                let sensors = Set(fields.map(\.sensor))
                let own = zip(inputs, summaries).filter { sensors.contains($0.0.sensor) }
                // Of what is gone no single sample can be read.
                guard !own.contains(where: \.1.isFromSummaries) else { return nil }
                try await budget.spend(samples: own.map(\.1.count).reduce(0, +))
                let request = AnalysisRequest(analysis, of: fields, range: span, every: every)
                value = try await analyze(request)?.singleNumber
            }
            guard let value = value?.finite else { return nil }
            values.append(value)
        }
        return values
    }

    private func value(
        _ statistic: Statistic, _ field: FieldReference, _ span: TimeRange,
        _ summaries: [WindowSummary], _ budget: WindowBudget
    ) async throws -> Double? {
        guard let input = inputs.firstIndex(where: { $0.sensor == field.sensor }),
            let place = inputs[input].fields.firstIndex(where: { $0.name == field.field })
        else { return nil }
        let summary = summaries[input]
        if statistic.exactPercent != nil {
            guard !summary.isFromSummaries else { return nil }
            try await budget.spend(samples: summary.count)
        }
        let found = try await inputs[input].reader.values(
            [statistic], of: place, in: span, summary.fields[place])
        // What is damaged has no exact percentiles.
        return found.isApproximate ? nil : found.values.first ?? nil
    }
}

extension AnalysisResult {
    /// The number of an analysis that gives one; see `Pipeline.analyses`.
    fileprivate var singleNumber: Double? {
        switch self {
        case .correlation(let pairs): pairs.first?.pearson
        case .trend(let line): line.slope
        case .entropy(let bits, _): bits
        default: nil
        }
    }
}
