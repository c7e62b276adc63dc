import Samples
import Statistics

/// Computes the outputs of a virtual sensor for some windows at once.
///
/// Mergeable statistics are computed from summaries of one slide each; percentiles and analyses
/// read the samples of their window.
struct WindowComputation: Sendable {
    /// An input, read without restrictions.
    struct Input: Sendable {
        /// Reads the numeric fields that are used.
        let reader: StatisticsReader

        var sensor: SensorID { reader.sensor.id }
        var fields: [Field] { reader.fields }
    }

    /// A computed sample of the virtual sensor.
    struct WindowSample: Sendable {
        let window: Int64
        let values: [Double]
    }

    /// The samples of consecutive windows.
    struct WindowBlock: Sendable {
        var samples: [WindowSample] = []
        /// Whether no input has samples in any of these windows.
        var isEmpty = true
    }

    let pipeline: Pipeline
    let inputs: [Input]
    /// Runs an analysis of a range of the inputs.
    let analyze: @Sendable (AnalysisRequest) async throws -> AnalysisResult?

    /// - Returns: the samples in the order of time.
    func block(_ windows: ClosedRange<Int64>, _ budget: WindowBudget) async throws -> WindowBlock {
        var block = WindowBlock()
        var cells: [[WindowSummary]] = []
        for input in inputs {
            cells.append(try await input.reader.summaries(query(input, windows)))
        }
        block.isEmpty = cells.allSatisfy { $0.allSatisfy { $0.count == 0 } }
        guard !block.isEmpty else { return block }
        for (index, window) in windows.enumerated() {
            let end = index + Int(pipeline.windows.overlap)
            let merged = zip(inputs, cells).map { input, cells in
                Self.merged(cells[index..<end], query(input, windows))
            }
            guard merged.contains(where: { $0.count > 0 }),
                !merged.contains(where: \.isPartial)
            else { continue }
            try Task.checkCancellation()
            if let values = try await values(window, merged, budget) {
                block.samples.append(WindowSample(window: window, values: values))
            }
        }
        return block
    }

    // MARK: - Private

    /// A query with one cell for each slide of the windows.
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
                // Pruned samples cannot be read.
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
            let index = inputs[input].fields.firstIndex(where: { $0.name == field.field })
        else { return nil }
        let summary = summaries[input]
        if statistic.exactPercent != nil {
            guard !summary.isFromSummaries else { return nil }
            try await budget.spend(samples: summary.count)
        }
        let found = try await inputs[input].reader.values(
            [statistic], of: index, in: span, summary.fields[index])
        // With damage, exact percentiles are unknown.
        return found.isApproximate ? nil : found.values.first ?? nil
    }
}

extension AnalysisResult {
    /// The single number of a result; see `Pipeline.analyses`.
    fileprivate var singleNumber: Double? {
        switch self {
        case .correlation(let pairs): pairs.first?.pearson
        case .trend(let line): line.slope
        case .entropy(let bits, _): bits
        default: nil
        }
    }
}

/// Limits the computation for one query of a virtual sensor.
actor WindowBudget {
    /// The maximum number of windows of one query.
    static let windowLimit = 100_000
    /// The maximum number of samples that one query reads, for percentiles and analyses.
    static let sampleLimit = 5_000_000

    private var windows: Int
    private var samples: Int

    init(windows: Int = windowLimit, samples: Int = sampleLimit) {
        self.windows = windows
        self.samples = samples
    }

    /// - Throws: `tooManyWindows`.
    func spend(windows count: Int) throws(LAEError) {
        windows -= count
        guard windows < 0 else { return }
        throw LAEError(
            .tooManyWindows,
            "The query covers more than \(Self.windowLimit) windows of a virtual sensor.",
            hint: "Ask for a shorter range, or page by page.")
    }

    /// - Throws: `tooManyRows`.
    func spend(samples count: Int) throws(LAEError) {
        samples -= count
        guard samples < 0 else { return }
        throw LAEError(
            .tooManyRows,
            "The query reads more than \(Self.sampleLimit) samples of the inputs of a virtual sensor.",
            hint: "Ask for a shorter range, or page by page.")
    }
}
