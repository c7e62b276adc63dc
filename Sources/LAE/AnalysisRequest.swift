public import Samples
import Statistics

/// An analysis of fields of one or more sensors.
///
/// ```swift
/// let request = AnalysisRequest(
///     try Analysis("trend"), of: [try FieldReference(parsing: "temperature.attic.temperature")])
/// ```
public struct AnalysisRequest: Hashable, Sendable {
    /// How samples of sensors with different times are joined.
    ///
    /// Each sample of the first input's sensor is joined with one sample of each other sensor, at
    /// most a duration away; samples without a partner are omitted.
    public enum Join: Hashable, Sendable {
        /// With the sample that is closest in time.
        case nearest(within: Duration)
        /// With the last sample that is not later.
        case last(within: Duration)
    }

    /// The analysis and its parameters.
    public var analysis: Analysis
    /// Numeric fields; for `entropy` also a state or text.
    public var inputs: [FieldReference]
    /// The time range of the samples.
    public var range: TimeRange
    /// Conditions that samples must all meet to be included.
    ///
    /// Each concerns one sensor, or joins such conditions with `and`.
    public var conditions: [Condition]
    /// The width of windows whose means replace the samples; for `resample`, the width of its
    /// cells.
    ///
    /// Windows begin with the range, or with 1970 when it is open. A statistics-only grant widens
    /// them to whole cells.
    public var every: Duration?
    /// How sensors with different times are joined; `nil` for equal times.
    public var join: Join?

    /// Creates a request; ``check()`` validates it.
    public init(
        _ analysis: Analysis, of inputs: [FieldReference], range: TimeRange = .all,
        conditions: [Condition] = [], every: Duration? = nil, join: Join? = nil
    ) {
        self.analysis = analysis
        self.inputs = inputs
        self.range = range
        self.conditions = conditions
        self.every = every
        self.join = join
    }

    /// The sensors of the inputs, each once, in the order of the inputs.
    public var sensors: [SensorID] {
        var seen: Set<SensorID> = []
        return inputs.map(\.sensor).filter { seen.insert($0).inserted }
    }

    /// The request with each name replaced by the sensor that it resolves to.
    public func replacingSensors(_ resolved: [SensorID: SensorID]) -> AnalysisRequest {
        var request = self
        request.inputs = inputs.map { input in
            FieldReference(sensor: resolved[input.sensor] ?? input.sensor, field: input.field)
        }
        request.conditions = conditions.map { $0.replacingSensors(resolved) }
        return request
    }

    /// Checks the request as far as possible without the sensors.
    ///
    /// - Throws: `invalidAnalysis`.
    public func check() throws(LAEError) {
        let allowed = analysis.inputs
        guard allowed.contains(inputs.count) else {
            let count =
                allowed.count == 1
                ? "\(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)"
            throw fault("\(analysis.name) needs \(count) inputs, not \(inputs.count).")
        }
        guard Set(inputs).count == inputs.count else { throw fault("An input is repeated.") }
        if let every, every < .microseconds(1) {
            throw fault("every must be a duration above zero.")
        }
        if case .nearest(let span)? = join, span < .zero {
            throw fault("The duration of a join must not be negative.")
        }
        if case .last(let span)? = join, span < .zero {
            throw fault("The duration of a join must not be negative.")
        }
        let sensors = sensors
        for condition in conditions { try check(condition, sensors) }
        try checkTimes(sensors)
    }

    /// The conditions on the samples of one sensor of the request.
    func conditions(on sensor: SensorID) -> [Condition] {
        conditions.flatMap(\.conjuncts).filter { ($0.comparisons[0].sensor ?? sensor) == sensor }
    }

    private func check(_ condition: Condition, _ sensors: [SensorID]) throws(LAEError) {
        for comparison in condition.comparisons {
            guard let sensor = comparison.sensor else {
                guard sensors.count == 1 else {
                    throw fault(
                        "The condition on \(comparison.field.prefix(80)) does not name its sensor.",
                        hint: "Write the sensor and a dot before it, such as cpu.busy>50")
                }
                continue
            }
            guard sensors.contains(sensor) else {
                throw fault(
                    "The condition on \(sensor) is invalid, because \(sensor) is not an input.")
            }
        }
        // Samples are selected before they are joined.
        for part in condition.conjuncts {
            let named = part.comparisons.map { $0.sensor ?? sensors[0] }
            if let other = named.first(where: { $0 != named[0] }) {
                throw fault(
                    "A condition with or, or with not before parentheses, concerns one sensor, and"
                        + " not both \(named[0]) and \(other).",
                    hint: "Conditions on different sensors can be joined with and.")
            }
        }
    }

    private func checkTimes(_ sensors: [SensorID]) throws(LAEError) {
        switch analysis.kind {
        case .resample, .spectrum:
            guard every == nil else { return }
            throw fault(
                "\(analysis.name) needs every, the interval between its values.",
                hint: "Give at least the interval between samples, such as 10s")
        default:
            guard sensors.count > 1, every == nil, join == nil else { return }
            throw fault(
                "Samples of different sensors have different times.",
                hint: "Give every, such as 10s, for means, or a join for pairs that are close")
        }
    }

    private func fault(_ message: String, hint: String? = nil) -> LAEError {
        LAEError(.invalidAnalysis, message, hint: hint)
    }
}

extension AnalysisRequest {
    /// The request over whole cells that have ended, for a statistics-only grant.
    ///
    /// The range is widened for all sensors: otherwise the range of one sensor could select samples
    /// of another one that is restricted. Windows begin and end at the bounds of cells, so that
    /// each mean is a mean of whole cells.
    func widened(to cells: AggregateCells, now: Timestamp) -> AnalysisRequest {
        var widened = self
        widened.range = cells.covering(range, now: now)
        widened.every = every.map { .microseconds(cells.step($0.wholeMicroseconds)) }
        return widened
    }

    /// A grid of cells of width `every`.
    ///
    /// The first cell begins with the range, unless the range is open.
    var grid: Grid? {
        every.map { every in
            Grid(
                origin: range.from == .distantPast ? 0 : range.from.microseconds,
                step: every.wholeMicroseconds)
        }
    }

    /// The cells whose means are the rows; `nil` for `resample`, which computes its own cells.
    var windows: Grid? {
        if case .resample = analysis.kind { nil } else { grid }
    }

    var alignment: Alignment? {
        switch join {
        case .nearest(let span)?:
            Alignment(method: .nearest, tolerance: span.wholeMicroseconds)
        case .last(let span)?: Alignment(method: .last, tolerance: span.wholeMicroseconds)
        case nil: nil
        }
    }
}
