public import Samples

/// Makes samples of what a source says, and counts what it leaves out and why.
///
/// A value without a clock: the time of arrival is told.
public struct SampleMaker: Sendable {
    /// How many payloads became what.
    public struct Counts: Hashable, Sendable {
        /// Payloads that came.
        public var received = 0
        /// Those that became samples.
        public var taken = 0
        /// Those that are not of the format, or hold a value that is none of its field.
        public var malformed = 0
        /// Those that lack a field.
        public var incomplete = 0
        /// Those whose time is before 2000 or more than a minute ahead, or that tell none where they
        /// should.
        public var invalidTimestamp = 0
        /// Those that were there already: with the same time or, where only changes count, the same values.
        public var repeated = 0
        /// Samples that are older than one that came before; they are kept.
        public var late = 0

        public init() {}
    }

    /// What became of a payload.
    public enum Outcome: Hashable, Sendable {
        case sample(Sample)
        case malformed, incomplete, invalidTimestamp, repeated
    }

    public private(set) var counts = Counts()
    private let reader: PayloadReader
    private let rules: [FieldRule]
    private let time: TimeRule?
    /// Whether a field that is not told keeps its last value.
    private let isSparse: Bool
    private var known: [Value?]
    private let takesOnlyChanges: Bool
    /// The values of the last sample, which changes are compared with: with those measured last, a slow
    /// drift would never be told.
    private var told: [Value]?
    private var recent = RecentSamples()

    /// - Parameters:
    ///   - format: how payloads are written.
    ///   - names: how they name the fields, one for each of `rules`.
    ///   - rules: what the fields are made of what stands there.
    ///   - time: where the time stands; `nil` takes the time of arrival.
    ///   - isSparse: whether a payload may tell only some of the fields, and the others keep their values.
    ///   - takesOnlyChanges: whether values that are those of the sample before make none.
    /// - Throws: ``PayloadError`` where the names are none of the format.
    public init(
        format: PayloadFormat, names: [String], rules: [FieldRule], time: TimeRule? = nil,
        isSparse: Bool = false, takesOnlyChanges: Bool = false
    ) throws(PayloadError) {
        guard names.count == rules.count, !rules.isEmpty else {
            throw PayloadError("each field needs a name in the payload")
        }
        reader = try PayloadReader(format, names: names + (time.map { [$0.name] } ?? []))
        (self.rules, self.time, self.isSparse) = (rules, time, isSparse)
        known = Array(repeating: nil, count: rules.count)
        self.takesOnlyChanges = takesOnlyChanges
    }

    /// The fields of the samples.
    public var fields: [Field] { rules.map(\.field) }

    /// The source is connected to anew: what it said before counts neither as its present values nor as
    /// told already.
    public mutating func restart() {
        known = Array(repeating: nil, count: rules.count)
        told = nil
    }

    /// Takes a payload that came at `arrival`.
    public mutating func take(_ payload: [UInt8], at arrival: Timestamp) -> Outcome {
        counts.received += 1
        guard let raw = reader.values(of: payload) else { return malformed() }
        guard let time else { return make(raw, at: arrival, isTold: false) }
        guard let told = raw[rules.count].flatMap(time.moment) else { return invalidTimestamp() }
        return make(raw, at: told, isTold: true, arrival)
    }

    /// Takes what a source that names its values said at `arrival`.
    public mutating func take(_ reading: Reading, at arrival: Timestamp) -> Outcome {
        counts.received += 1
        guard let raw = reader.values(of: reading) else { return malformed() }
        guard let told = reading.time else { return make(raw, at: arrival, isTold: false) }
        return make(raw, at: told, isTold: true, arrival)
    }

    // MARK: - Private

    private mutating func make(
        _ raw: [Value?], at time: Timestamp, isTold: Bool, _ arrival: Timestamp = .distantFuture
    ) -> Outcome {
        var fresh = known
        var isNew = false
        for (index, rule) in rules.enumerated() {
            if let told = raw[index] {
                guard let value = rule.value(of: told) else { return malformed() }
                fresh[index] = value
                isNew = true
            } else if !isSparse {
                fresh[index] = nil
            }
        }
        guard isNew else { return incomplete() }
        guard !isTold || TimeRule.isPlausible(time, at: arrival) else { return invalidTimestamp() }
        if isSparse { known = fresh }
        let values = zip(fresh, rules).compactMap { $0 ?? $1.unknown }
        guard values.count == rules.count else { return incomplete() }
        let sample = Sample(time: time, values: values)
        switch recent.take(sample, repeats: !isTold) {
        case .repeated: return repeated()
        case .late: counts.late += 1
        case .new:
            // A late one tells of a time before, and changes nothing now.
            guard isChange(values) else { return repeated() }
            told = values
        }
        counts.taken += 1
        return .sample(sample)
    }

    private func isChange(_ values: [Value]) -> Bool {
        guard takesOnlyChanges, let told else { return true }
        return rules.indices.contains { rules[$0].isChange(values[$0], from: told[$0]) }
    }

    private mutating func malformed() -> Outcome {
        counts.malformed += 1
        return .malformed
    }

    private mutating func incomplete() -> Outcome {
        counts.incomplete += 1
        return .incomplete
    }

    private mutating func repeated() -> Outcome {
        counts.repeated += 1
        return .repeated
    }

    private mutating func invalidTimestamp() -> Outcome {
        counts.invalidTimestamp += 1
        return .invalidTimestamp
    }
}
