public import Samples

/// Converts payloads of a source to samples, and counts rejected payloads by reason.
///
/// It has no clock: the caller passes the arrival time.
///
/// ```swift
/// var maker = try SampleMaker(
///     format: .json, names: ["$.temp"], rules: [FieldRule(Field("temperature", unit: "Cel"))])
/// if case .sample(let sample) = maker.take(payload, at: .now()) { … }
/// ```
public struct SampleMaker: Sendable {
    /// Numbers of payloads by outcome.
    public struct Counts: Hashable, Sendable {
        /// All payloads.
        public var received = 0
        /// Payloads that were made into samples.
        public var accepted = 0
        /// Payloads that are not in the format or have an invalid value.
        public var malformed = 0
        /// Payloads with a missing field.
        public var incomplete = 0
        /// Payloads whose time is missing, before 2000 or more than a minute in the future.
        public var invalidTimestamp = 0
        /// Payloads with the time and values of an earlier one or, if only changes are taken, with
        /// the values of the last sample.
        public var repeated = 0
        /// Samples older than a previous one; they are kept.
        public var late = 0

        /// Creates counts of zero.
        public init() {}
    }

    /// The result of a payload.
    public enum Outcome: Hashable, Sendable {
        /// It became a sample.
        case sample(Sample)
        /// It was rejected and counted under this name.
        case malformed, incomplete, invalidTimestamp, repeated
    }

    /// The outcomes so far.
    public private(set) var counts = Counts()
    private let reader: PayloadReader
    private let format: PayloadFormat
    private let rules: [FieldRule]
    private let time: TimeRule?
    /// Whether a missing field keeps its last value.
    private let isSparse: Bool
    private var known: [Value?]
    private let takesOnlyChanges: Bool
    /// The values of the last sample.
    ///
    /// New values are compared with these and not with the last measured ones, so that a slow drift
    /// is noticed.
    private var reported: [Value]?
    private var recent = RecentSamples()
    private var clock = ClockFilter()

    /// Creates a converter.
    ///
    /// - Parameters:
    ///   - format: the format of the payloads.
    ///   - names: the names of the fields in the format, one for each of `rules`.
    ///   - rules: how the values are converted.
    ///   - time: how the time is read; `nil` for the arrival time.
    ///   - isSparse: whether fields missing from a payload keep their last values.
    ///   - takesOnlyChanges: whether values equal to those of the last sample are dropped.
    /// - Throws: ``PayloadError`` for names the format does not allow.
    public init(
        format: PayloadFormat, names: [String], rules: [FieldRule], time: TimeRule? = nil,
        isSparse: Bool = false, takesOnlyChanges: Bool = false
    ) throws(PayloadError) {
        guard names.count == rules.count, !rules.isEmpty else {
            throw PayloadError("each field needs a name in the payload")
        }
        reader = try PayloadReader(format, names: names + (time.map { [$0.name] } ?? []))
        (self.rules, self.time, self.isSparse) = (rules, time, isSparse)
        self.format = format
        known = Array(repeating: nil, count: rules.count)
        self.takesOnlyChanges = takesOnlyChanges
    }

    /// Creates a converter of ``Reading``s with one value.
    public init(name: String, rule: FieldRule) {
        reader = PayloadReader(named: [name])
        format = .plain
        (rules, time, isSparse, takesOnlyChanges) = ([rule], nil, false, false)
        known = [nil]
    }

    /// How far the source's clock differs from the arrival times; `nil` if payloads have no times.
    public var clockOffset: ClockOffset? { clock.offset }

    /// Splits a stream of bytes into payloads of the format.
    public var splitter: MessageSplitter { MessageSplitter(format) }

    /// The fields of the samples.
    public var fields: [Field] { rules.map(\.field) }

    /// Forgets the last values, for example after connecting to the source again.
    public mutating func restart() {
        known = Array(repeating: nil, count: rules.count)
        reported = nil
    }

    /// Converts a payload received at `arrival`.
    public mutating func take(_ payload: [UInt8], at arrival: Timestamp) -> Outcome {
        counts.received += 1
        guard let raw = reader.values(of: payload) else { return malformed() }
        guard let time else { return make(raw, at: arrival, hasTime: false) }
        guard let moment = raw[rules.count].flatMap(time.moment) else { return invalidTimestamp() }
        return make(raw, at: moment, hasTime: true, arrival)
    }

    /// Converts a reading received at `arrival`.
    public mutating func take(_ reading: Reading, at arrival: Timestamp) -> Outcome {
        counts.received += 1
        guard let raw = reader.values(of: reading) else { return malformed() }
        guard let moment = reading.time else { return make(raw, at: arrival, hasTime: false) }
        return make(raw, at: moment, hasTime: true, arrival)
    }

    private mutating func make(
        _ raw: [Value?], at time: Timestamp, hasTime: Bool, _ arrival: Timestamp = .distantFuture
    ) -> Outcome {
        var merged = known
        var isNew = false
        for (index, rule) in rules.enumerated() {
            if let rawValue = raw[index], !rule.isMissing(rawValue) {
                guard let value = rule.value(of: rawValue) else { return malformed() }
                merged[index] = value
                isNew = true
            } else if !isSparse {
                merged[index] = nil
            }
        }
        guard isNew else { return incomplete() }
        if hasTime {
            // Before the check, so that ``clockOffset`` also shows a clock that is too far ahead.
            clock.take(ClockReading(stamp: time, arrival: arrival))
            guard TimeRule.isPlausible(time, at: arrival) else { return invalidTimestamp() }
        }
        if isSparse { known = merged }
        let values = zip(merged, rules).compactMap { $0 ?? $1.unknown }
        guard values.count == rules.count else { return incomplete() }
        let sample = Sample(time: time, values: values)
        switch recent.take(sample, repeats: !hasTime) {
        case .repeated: return repeated()
        case .late: counts.late += 1
        case .new:
            // A late sample does not affect the current values.
            guard isChange(values) else { return repeated() }
            reported = values
        }
        counts.accepted += 1
        return .sample(sample)
    }

    private func isChange(_ values: [Value]) -> Bool {
        guard takesOnlyChanges, let reported else { return true }
        return rules.indices.contains { rules[$0].isChange(values[$0], from: reported[$0]) }
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

/// The last samples, for detecting repetitions.
private struct RecentSamples: Sendable {
    enum Outcome {
        case new, late, repeated
    }

    private static let count = 64

    private var times: [Timestamp] = []
    private var samples: [Sample] = []
    private var next = 0
    private var newest = Timestamp.distantPast

    /// - Parameter repeats: whether equal samples are accepted because their time is only the
    ///   arrival time.
    mutating func take(_ sample: Sample, repeats: Bool) -> Outcome {
        guard !repeats else { return .new }
        for (index, time) in times.enumerated() where time == sample.time {
            if samples[index] == sample { return .repeated }
        }
        if times.count < Self.count {
            times.append(sample.time)
            samples.append(sample)
        } else {
            times[next] = sample.time
            samples[next] = sample
            next = (next + 1) % Self.count
        }
        guard sample.time >= newest else { return .late }
        newest = sample.time
        return .new
    }
}
