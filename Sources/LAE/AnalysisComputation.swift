import Dispatch
import Samples
import Scheduling
import Statistics

/// Computes an analysis of a table of rows.
struct AnalysisComputation: Sendable {
    private static let usualSegment = 256

    /// Computes one analysis at a time, outside the cooperative pool.
    private static let executor = BlockingExecutor(
        label: "lae.analysis", isSerial: true, qos: .utility)

    let request: AnalysisRequest
    let table: AnalysisTable
    /// The minimum number of rows that may be reported; 0 if single samples are visible.
    let minimum: Int

    /// - Returns: `nil` if the analysis is not defined on these rows, or there are too few.
    /// - Throws: `LAEError`, `CancellationError`.
    func run() async throws -> AnalysisResult? {
        try await withTaskExecutorPreference(Self.executor) { try result() }
    }

    private func result() throws -> AnalysisResult? {
        guard table.count >= minimum else { return nil }
        switch request.analysis.kind {
        case .histogram(let bins, let span): return histogram(bins, span)
        case .entropy(let bins): return entropy(bins)
        case .extremes(let side, let count): return extremes(side, count)
        case .correlation: return correlation()
        case .trend: return trend()
        case .rate: return .items(RateOfChange.of(table.series))
        case .resample(let method): return try resample(method)
        case .downsample(let points):
            let series = table.series
            return .items(Downsampling.indices(of: series, keeping: points).map(series.item))
        case .spectrum(let segment, let window): return try spectrum(segment, window)
        case .kMeans(let k, let seed, let isScaled): return try clusters(k, seed, isScaled)
        case .density(let epsilon, let minimum, let isScaled):
            return try density(epsilon, minimum, isScaled)
        case .anomalies(let parameters): return try anomalies(parameters)
        }
    }

    private var numbers: [Double] { columns.first ?? [] }

    /// Whether the rows are samples that must not be revealed.
    private var hidesSamples: Bool { minimum > 0 && request.every == nil }

    /// The numbers for analyses whose parameters could be varied to reveal single values: under a
    /// statistics-only grant, values are rounded like percentiles, within minimum and maximum.
    private var columns: [[Double]] {
        guard hidesSamples else { return table.columns }
        return table.columns.map { column in
            let finite = column.filter(\.isFinite)
            guard let least = finite.min(), let greatest = finite.max() else { return column }
            return column.map { number in
                guard number.isFinite else { return number }
                return min(max(QuantileSketch.rounded(number), least), greatest)
            }
        }
    }

    // MARK: - Distributions

    private func bins(_ bins: Int?) -> Int {
        bins ?? Histogram.freedmanDiaconisBins(sorted: numbers.sorted(), atMost: 1000)
    }

    private func histogram(_ count: Int?, _ span: ClosedRange<Double>?) -> AnalysisResult? {
        guard let histogram = Histogram(numbers, bins: bins(count), over: span) else { return nil }
        let isShown = Suppression.isShown(histogram.counts, minimum: minimum)
        return .histogram(
            edges: histogram.edges,
            counts: zip(histogram.counts, isShown).map { $1 ? $0 : nil })
    }

    /// The entropy of texts and states, and of the bins of numbers.
    private func entropy(_ count: Int?) -> AnalysisResult? {
        let counts =
            table.texts.isEmpty
            ? Histogram(numbers, bins: bins(count))?.counts ?? [] : Array(table.texts.values)
        guard let bits = Entropy.bits(counts: counts) else { return nil }
        return .entropy(bits: bits, outcomes: counts.count { $0 > 0 })
    }

    private func extremes(_ side: Extremes.Side, _ count: Int) -> AnalysisResult {
        let series = table.series
        var extremes = Extremes(count, side)
        for index in series.indices { extremes.insert(series.item(index)) }
        return .items(extremes.items)
    }

    private func anomalies(_ parameters: Analysis.Anomalies) throws -> AnalysisResult? {
        let series = table.series
        guard let scores = AnomalyScore(series.values) else { return nil }
        guard
            let found = try AnomalyDetection(
                series, by: parameters.method, threshold: parameters.threshold,
                window: parameters.window, period: parameters.period)
        else {
            throw LAEError(
                .invalidAnalysis, "The values do not repeat after a day, a week or another period.",
                hint: "Give a longer range, a period such as 12h, or another method")
        }
        let items = found.strongest(parameters.limit).map { item in
            let sample = series.item(item.index)
            return AnalysisResult.Anomalies.Item(
                time: sample.time, value: sample.value, score: item.score)
        }
        return .anomalies(
            .init(
                method: found.method, period: found.period, median: scores.median,
                deviation: scores.deviation, count: found.items.count, items: items))
    }

    // MARK: - Over time

    private func trend() -> AnalysisResult? {
        let series = table.series
        guard let line = LinearTrend(series), let start = series.times.first else { return nil }
        let from = request.range.from
        // The time of the first sample must not be revealed.
        let origin =
            from != .distantPast ? from : minimum == 0 ? Timestamp(microseconds: start) : nil
        let intercept = origin.flatMap { origin in
            (line.intercept + line.slope * Series.seconds(from: start, to: origin.microseconds))
                .finite
        }
        return .trend(
            .init(
                slope: line.slope, intercept: intercept, origin: intercept == nil ? nil : origin,
                rSquared: line.rSquared, standardError: line.standardError))
    }

    private func resample(_ method: Resampling.Method) throws(LAEError) -> AnalysisResult? {
        let cells = try cells(table.series, method, atMost: Analysis.answerLimit)
        return .cells(
            cells.values.indices.map { .init(time: cells.time($0), value: cells.values[$0]) })
    }

    private func cells(
        _ series: Series, _ method: Resampling.Method, atMost limit: Int
    ) throws(LAEError) -> Resampling {
        guard let grid = request.grid,
            let cells = Resampling(series, to: grid, by: method, atMost: limit)
        else {
            throw LAEError(
                .tooManyRows, "The range contains more than \(limit) windows.",
                hint: "Narrow the range, or give a wider every")
        }
        return cells
    }

    private func spectrum(
        _ segment: Int?, _ window: PowerSpectrum.Window
    ) throws -> AnalysisResult? {
        // There is one number per window here; missing ones are interpolated.
        let cells = try cells(table.series, .linear, atMost: Analysis.numberLimit)
        let values = cells.values.compactMap(\.self)
        let filled = values.count - table.count
        guard filled <= table.count else {
            throw LAEError(
                .invalidAnalysis, "More than half of the windows contain no sample.",
                hint: "Give a wider every, at least the interval between samples")
        }
        let whole = minimum == 0 ? values.count : values.count / 6 * 2
        guard whole > 0, let step = request.grid?.step,
            let found = try PowerSpectrum.welch(
                values, rate: 1_000_000 / Double(step),
                segment: min(segment ?? Self.usualSegment, whole), window: window),
            // A spectrum of too few segments would reveal details of few samples.
            found.segments >= minimum
        else { return nil }
        return .spectrum(
            .init(
                frequencies: found.frequencies, densities: found.densities,
                segments: found.segments, filled: filled))
    }

    // MARK: - Of several fields

    private func correlation() -> AnalysisResult {
        let inputs = request.inputs
        // Sums over whole cells reveal no single sample, but ranks reveal the order of samples.
        let hasRanks = !hidesSamples
        var pairs: [AnalysisResult.Pair] = []
        for (index, x) in inputs.enumerated() {
            for other in (index + 1)..<max(index + 1, inputs.count) {
                let (left, right) = (table.columns[index], table.columns[other])
                let moments = Comoments(left, right)
                pairs.append(
                    .init(
                        x: x, y: inputs[other], pearson: moments.correlation,
                        spearman: hasRanks ? Ranks.correlation(left, right) : nil,
                        covariance: moments.sampleCovariance))
            }
        }
        return .correlation(pairs)
    }

    private func points(_ isScaled: Bool) -> (Points, [(mean: Double, deviation: Double)]) {
        let columns = columns
        let points = Points(columns: columns)
        guard isScaled else { return (points, columns.map { _ in (mean: 0, deviation: 1) }) }
        return points.standardized()
    }

    private func clusters(_ k: Int, _ seed: UInt64, _ isScaled: Bool) throws -> AnalysisResult? {
        let (points, scales) = points(isScaled)
        guard let found = try KMeans.fit(points, k: k, seed: seed) else { return nil }
        let isShown = Suppression.isShown(found.sizes, minimum: minimum)
        let clusters = found.centres.indices.map { index in
            let centre = zip(found.centres[index], scales).map { $0 * $1.deviation + $1.mean }
            return AnalysisResult.Cluster(
                centre: isShown[index] && centre.allSatisfy(\.isFinite) ? centre : nil,
                count: isShown[index] ? found.sizes[index] : nil)
        }
        // The sum over all clusters would reveal the suppressed ones.
        return .clusters(clusters, inertia: isShown.contains(false) ? nil : found.inertia)
    }

    private func density(
        _ epsilon: Double, _ minimum: Int, _ isScaled: Bool
    ) throws -> AnalysisResult? {
        let (points, _) = points(isScaled)
        guard let found = try DensityClusters(points, epsilon: epsilon, minimum: minimum) else {
            return nil
        }
        var sizes = [Int](repeating: 0, count: found.count)
        for case let label? in found.labels { sizes[label] += 1 }
        return .density(
            .init(
                times: table.times.map(Timestamp.init(microseconds:)), labels: found.labels,
                sizes: sizes))
    }
}

/// Decides which counts are shown under a statistics-only grant.
private enum Suppression {
    /// Counts below the minimum are suppressed.
    ///
    /// Then the smallest of the other counts are
    /// suppressed, until the suppressed counts add up to the minimum: otherwise the total would
    /// reveal them.
    ///
    /// - Parameter minimum: 0 shows all.
    static func isShown(_ counts: [Int], minimum: Int) -> [Bool] {
        var isShown = counts.map { $0 >= minimum }
        while true {
            let hidden = counts.indices.filter { !isShown[$0] }.map { counts[$0] }.reduce(0, +)
            guard hidden > 0, hidden < minimum,
                let next = counts.indices.filter({ isShown[$0] }).min(by: {
                    counts[$0] < counts[$1]
                }
                )
            else { return isShown }
            isShown[next] = false
        }
    }
}
