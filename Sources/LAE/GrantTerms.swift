import Auth
import Samples

/// The one place where the terms of a grant take effect on samples.
struct GrantTerms: Sendable {
    /// Fewest samples that an aggregate is told of to those who may not see single ones.
    static let minimumCount = 5

    private let terms: Terms
    private let now: Timestamp

    init(_ grant: Grant, now: Timestamp) {
        terms = grant.terms
        self.now = now
    }

    var isAggregateOnly: Bool { terms.access != .raw }

    /// The part of a range that may be read at all.
    func visible(_ range: TimeRange) -> TimeRange {
        guard let history = terms.history else { return range }
        let start = now.advanced(byMicroseconds: -history.wholeMicroseconds)
        return range.intersection(TimeRange(from: start, to: .distantFuture))
    }

    /// The stretch of time of which at most one sample may be seen; `nil` without a rate.
    ///
    /// Stretches are fixed, so asking again, from elsewhere or backwards shows the same samples.
    func slot(of time: Timestamp) -> TimeRange? {
        guard let width = slotWidth else { return nil }
        let phase = time.microseconds % width
        let start = time.advanced(byMicroseconds: -(phase < 0 ? phase + width : phase))
        return TimeRange(from: start, to: start.advanced(byMicroseconds: width))
    }

    private var slotWidth: Int64? {
        guard let rate = terms.maximumRate, rate > 0 else { return nil }
        // A rate too low to be counted lets one sample through, not all of them.
        let width = Int64(exactly: (1_000_000 / rate).rounded(.up)) ?? .max
        return max(1, width)
    }

    /// The values as the grant lets them be seen: numbers on the fixed grid of its precision.
    func reduced(_ values: [Value]) -> [Value] {
        guard let step = terms.precision, step > 0 else { return values }
        return values.map { value in
            switch value {
            case .number(let number):
                let rounded = (number / step).rounded() * step
                return .number(rounded.isFinite ? rounded : number)
            case .integer(let integer):
                let rounded = (Double(integer) / step).rounded() * step
                return .integer(Int64(exactly: rounded.rounded()) ?? integer)
            case .text:
                return value
            }
        }
    }

    func reduced(_ stored: StoredSample) -> StoredSample {
        let sample = Sample(time: stored.time, values: reduced(stored.values))
        return StoredSample(sequence: stored.sequence, sample: sample)
    }
}
