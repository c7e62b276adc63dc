import Auth
import Samples
import VM

/// Applies the terms of a grant to samples.
struct GrantTerms: Sendable {
    /// The minimum number of samples of an aggregate under a statistics-only grant.
    static let minimumCount = 5

    private let terms: Terms
    private let now: Timestamp
    /// The cells of a statistics-only grant; `nil` for other grants.
    let cells: AggregateCells?

    /// - Parameter cadence: of the sensor, which determines the width of cells.
    init(_ grant: Grant, now: Timestamp, cadence: Cadence) {
        terms = grant.terms
        self.now = now
        cells = grant.terms.access.includes(.raw) ? nil : AggregateCells(cadence)
    }

    private init(ownerAt now: Timestamp) {
        terms = Terms(access: .raw)
        self.now = now
        cells = nil
    }

    /// Unrestricted terms, for the definitions of the owner.
    static func owner(now: Timestamp) -> GrantTerms {
        GrantTerms(ownerAt: now)
    }

    /// Whether single samples are visible.
    var allowsSamples: Bool { terms.access.includes(.raw) }
    /// Whether aggregates are visible.
    var allowsStatistics: Bool { terms.access.includes(.stats) }

    /// The part of a range that may be read; empty when the terms are not valid.
    ///
    /// Under a statistics-only grant it begins with a whole cell: a beginning that moves with the
    /// clock would cut off one sample after the other.
    func visible(_ range: TimeRange) -> TimeRange {
        guard isMeaningful else { return TimeRange(from: range.from, to: range.from) }
        guard let history = terms.history else { return range }
        let start = now.advanced(byMicroseconds: -max(0, history.wholeMicroseconds))
        return range.intersection(
            TimeRange(from: cells?.ceiling(start) ?? start, to: .distantFuture))
    }

    /// The time slot that contains a time, of which at most one sample is visible; `nil` without a
    /// rate.
    ///
    /// Slots are fixed, so every query returns the same samples.
    func slot(of time: Timestamp) -> TimeRange? {
        guard let width = terms.slotWidth else { return nil }
        let phase = time.microseconds % width
        let start = time.advanced(byMicroseconds: -(phase < 0 ? phase + width : phase))
        return TimeRange(from: start, to: start.advanced(byMicroseconds: width))
    }

    /// The expected interval between two visible samples.
    ///
    /// - Parameter interval: the sensor's own interval; `nil` if unknown.
    func interval(_ interval: Duration?) -> Duration? {
        guard let slotWidth = terms.slotWidth else { return interval }
        return interval.map { max($0, .microseconds(slotWidth)) }
    }

    /// Zero, negative numbers, NaN and an infinite precision are not valid limits.
    private var isMeaningful: Bool {
        if let rate = terms.maximumRate, !(rate > 0) { return false }
        return terms.roundings.allSatisfy { $0 > 0 && $0.isFinite }
    }

    /// The values with the precision of the grant, and then of each narrowing of its token.
    ///
    /// Numbers are rounded to multiples of the precision, integers to multiples of the precision
    /// rounded up to a whole number.
    func reduced(_ values: [Value]) -> [Value] {
        terms.roundings.reduce(values) { values, step in
            values.map { value in
                switch value {
                case .number(let number): .number(Self.nearest(number, step))
                case .integer(let integer): .integer(Self.nearest(integer, step.rounded(.up)))
                case .text: value
                }
            }
        }
    }

    /// Whether samples in the visible range are changed or excluded.
    var changesSamples: Bool { terms.maximumRate != nil || terms.precision != nil }

    /// The batch with the precision of the grant.
    func reduced(_ batch: StoredBatch) -> StoredBatch {
        let steps = terms.roundings
        guard !steps.isEmpty else { return batch }
        let columns = batch.samples.columns.map { column in
            steps.reduce(column) { column, step -> Column in
                switch column {
                case .numbers(let values): .numbers(values.map { Self.nearest($0, step) })
                case .integers(let values):
                    .integers(values.map { Self.nearest($0, step.rounded(.up)) })
                case .texts: column
                }
            }
        }
        return StoredBatch(
            sequences: batch.sequences,
            samples: SampleBatch(times: batch.samples.times, columns: columns))
    }

    func reduced(_ stored: StoredSample) -> StoredSample {
        let sample = Sample(time: stored.time, values: reduced(stored.values))
        return StoredSample(sequence: stored.sequence, sample: sample)
    }

    private static func nearest(_ number: Double, _ step: Double) -> Double {
        let steps = number / step
        // A precision so fine that the quotient overflows changes no double of this size.
        guard steps.isFinite else { return number }
        let rounded = steps.rounded() * step
        let onGrid = rounded.isFinite ? rounded : steps.rounded(.towardZero) * step
        // A negative zero would reveal the sign of the original number.
        return onGrid + 0
    }

    private static func nearest(_ integer: Int64, _ step: Double) -> Int64 {
        guard let step = Int64(exactly: step), step > 0 else { return 0 }
        let rest = integer % step
        let lower = integer - rest
        guard rest.magnitude >= step.magnitude - rest.magnitude else { return lower }
        let next = lower.addingReportingOverflow(integer < 0 ? -step : step)
        return next.overflow ? lower : next.partialValue
    }
}
