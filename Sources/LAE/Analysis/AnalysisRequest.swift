public import Samples

/// An analysis, and what of which sensors goes into it.
public struct AnalysisRequest: Hashable, Sendable {
    /// How samples of sensors with different times come together.
    ///
    /// Each sample of the first input's sensor goes with one of each other, at most this far away;
    /// those without are left out.
    public enum Join: Hashable, Sendable {
        /// With the closest in time.
        case nearest(within: Duration)
        /// With the last that is not later.
        case last(within: Duration)
    }

    public var analysis: Analysis
    /// Fields, numeric but for the entropy of a state or text.
    public var inputs: [FieldReference]
    public var range: TimeRange
    /// Conditions that must all hold for a sample of their sensor to count.
    public var conditions: [FieldCondition]
    /// Means of windows of this width take the place of samples; for `resample`, the width of its
    /// cells.
    ///
    /// Windows begin with the range, or with 1970 when that is open. They are widened to whole cells
    /// where only statistics are granted.
    public var every: Duration?
    public var join: Join?

    public init(
        _ analysis: Analysis, of inputs: [FieldReference], range: TimeRange = .all,
        conditions: [FieldCondition] = [], every: Duration? = nil, join: Join? = nil
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

    /// The same with the sensors that names stand for in their place; others stay.
    public func reading(_ meant: [SensorID: SensorID]) -> AnalysisRequest {
        var request = self
        request.inputs = inputs.map { input in
            FieldReference(sensor: meant[input.sensor] ?? input.sensor, field: input.field)
        }
        request.conditions = conditions.map { condition in
            FieldCondition(
                sensor: condition.sensor.map { meant[$0] ?? $0 }, condition: condition.condition)
        }
        return request
    }

    /// Whether the parts go together, as far as can be told without the sensors.
    ///
    /// - Throws: `invalidAnalysis`.
    public func check() throws(LAEError) {
        let allowed = analysis.inputs
        guard allowed.contains(inputs.count) else {
            let count =
                allowed.count == 1
                ? "\(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)"
            throw fault("\(analysis.name) takes \(count) of inputs, not \(inputs.count).")
        }
        guard Set(inputs).count == inputs.count else { throw fault("An input is there twice.") }
        if let every, every < .microseconds(1) { throw fault("every must be a span above zero.") }
        if case .nearest(let span)? = join, span < .zero { throw fault("A join has no such span.") }
        if case .last(let span)? = join, span < .zero { throw fault("A join has no such span.") }
        let sensors = sensors
        for condition in conditions {
            guard let sensor = condition.sensor else {
                guard sensors.count == 1 else {
                    throw fault(
                        "The condition on \(condition.condition.field) does not say its sensor.",
                        hint: "Write the sensor and a dot before it, such as cpu.busy>50")
                }
                continue
            }
            guard sensors.contains(sensor) else {
                throw fault("There is a condition on \(sensor), which is not among the inputs.")
            }
        }
        try checkTimes(sensors)
    }

    private func checkTimes(_ sensors: [SensorID]) throws(LAEError) {
        switch analysis.kind {
        case .resample, .spectrum:
            guard every == nil else { return }
            throw fault(
                "\(analysis.name) needs every, the time between its numbers.",
                hint: "Give a span not shorter than the samples are apart, such as 10s")
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
