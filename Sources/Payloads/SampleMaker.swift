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
        public var mistimed = 0
        /// Those that were there already, with the same time.
        public var repeated = 0
        /// Samples that are older than one that came before; they are kept.
        public var late = 0

        public init() {}
    }

    /// What became of a payload.
    public enum Outcome: Hashable, Sendable {
        case sample(Sample)
        case malformed, incomplete, mistimed, repeated
    }

    public private(set) var counts = Counts()
    private let reader: PayloadReader
    private let rules: [FieldRule]
    private let time: TimeRule?
    /// Whether a field that is not told keeps its last value.
    private let isSparse: Bool
    private var known: [Value?]
    private var recent = RecentSamples()

    /// - Parameters:
    ///   - format: how payloads are written.
    ///   - names: how they name the fields, one for each of `rules`.
    ///   - rules: what the fields are made of what stands there.
    ///   - time: where the time stands; `nil` takes the time of arrival.
    ///   - isSparse: whether a payload may tell only some of the fields, and the others keep their values.
    /// - Throws: ``PayloadError`` where the names are none of the format.
    public init(
        format: PayloadFormat, names: [String], rules: [FieldRule], time: TimeRule? = nil,
        isSparse: Bool = false
    ) throws(PayloadError) {
        guard names.count == rules.count, !rules.isEmpty else {
            throw PayloadError("each field needs a name in the payload")
        }
        reader = try PayloadReader(format, names: names + (time.map { [$0.name] } ?? []))
        (self.rules, self.time, self.isSparse) = (rules, time, isSparse)
        known = Array(repeating: nil, count: rules.count)
    }

    /// Takes a payload that came at `arrival`.
    public mutating func take(_ payload: [UInt8], at arrival: Timestamp) -> Outcome {
        counts.received += 1
        guard let raw = reader.values(of: payload) else { return malformed() }
        var values: [Value] = []
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
            if let value = fresh[index] { values.append(value) }
        }
        guard isNew else { return incomplete() }
        if isSparse { known = fresh }
        guard values.count == rules.count else { return incomplete() }
        var moment = arrival
        if let time {
            guard let told = raw[rules.count].flatMap(time.moment),
                time.isPlausible(told, at: arrival)
            else {
                counts.mistimed += 1
                return .mistimed
            }
            moment = told
        }
        let sample = Sample(time: moment, values: values)
        switch recent.take(sample, repeats: time == nil) {
        case .repeated:
            counts.repeated += 1
            return .repeated
        case .late: counts.late += 1
        case .new: break
        }
        counts.taken += 1
        return .sample(sample)
    }

    private mutating func malformed() -> Outcome {
        counts.malformed += 1
        return .malformed
    }

    private mutating func incomplete() -> Outcome {
        counts.incomplete += 1
        return .incomplete
    }
}
