import Auth
import Samples
import VM

/// The one place where the terms of a grant take effect on samples.
struct GrantTerms: Sendable {
    /// Fewest samples that an aggregate is told of to those who may not see single ones.
    static let minimumCount = 5

    private let terms: Terms
    private let now: Timestamp
    /// The cells that those get statistics of who may see no single samples; `nil` for others.
    let cells: AggregateCells?

    /// - Parameter cadence: of the sensor; asked for only where there are cells.
    init(
        _ grant: Grant, now: Timestamp, cadence: @autoclosure () async -> Cadence
    ) async {
        terms = grant.terms
        self.now = now
        cells = grant.terms.access.includes(.raw) ? nil : AggregateCells(await cadence())
    }

    private init(ownerAt now: Timestamp) {
        terms = Terms(access: .raw)
        self.now = now
        cells = nil
    }

    /// Terms that hold nothing back, for what the owner has defined.
    static func owner(now: Timestamp) -> GrantTerms {
        GrantTerms(ownerAt: now)
    }

    /// Whether single samples may be seen.
    var allowsSamples: Bool { terms.access.includes(.raw) }
    /// Whether aggregates may be seen.
    var allowsStatistics: Bool { terms.access.includes(.stats) }

    /// The part of a range that may be read at all: nothing under terms that mean nothing.
    ///
    /// It begins with a whole cell for those who may see no single samples: a beginning that moves with
    /// the clock would cut one sample after the other off.
    func visible(_ range: TimeRange) -> TimeRange {
        guard isMeaningful else { return TimeRange(from: range.from, to: range.from) }
        guard let history = terms.history else { return range }
        let start = now.advanced(byMicroseconds: -max(0, history.wholeMicroseconds))
        return range.intersection(
            TimeRange(from: cells?.ceiling(start) ?? start, to: .distantFuture))
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
        guard let rate = terms.maximumRate else { return nil }
        // Rounded up, so that a slot is never shorter than the rate allows; a rate that is too low
        // for 64 bits gives the widest slot and not none.
        return Int64(exactly: (1_000_000 / rate).rounded(.up)).map { max(1, $0) } ?? .max
    }

    /// Zero, a negative number, NaN or an infinite grid is no limit that could be kept.
    private var isMeaningful: Bool {
        if let rate = terms.maximumRate, !(rate > 0) { return false }
        if let step = terms.precision, !(step > 0 && step.isFinite) { return false }
        return true
    }

    /// The values as the grant lets them be seen: numbers on the fixed grid of its precision.
    ///
    /// Integers lie on the multiples of the next whole number.
    func reduced(_ values: [Value]) -> [Value] {
        guard let step = terms.precision else { return values }
        return values.map { value in
            switch value {
            case .number(let number): .number(Self.nearest(number, step))
            case .integer(let integer): .integer(Self.nearest(integer, step.rounded(.up)))
            case .text: value
            }
        }
    }

    /// Whether a sample may be seen otherwise than it is, or not at all where it lies in the visible
    /// range.
    var changesSamples: Bool { terms.maximumRate != nil || terms.precision != nil }

    /// The same, column by column.
    func reduced(_ batch: StoredBatch) -> StoredBatch {
        guard let step = terms.precision else { return batch }
        let columns = batch.samples.columns.map { column -> Column in
            switch column {
            case .numbers(let values): .numbers(values.map { Self.nearest($0, step) })
            case .integers(let values):
                .integers(values.map { Self.nearest($0, step.rounded(.up)) })
            case .texts: column
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
        // A grid so fine that the quotient overflows lies on every double of this size.
        guard steps.isFinite else { return number }
        let rounded = steps.rounded() * step
        let onGrid = rounded.isFinite ? rounded : steps.rounded(.towardZero) * step
        // A negative zero would tell the sign of what was rounded away.
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
