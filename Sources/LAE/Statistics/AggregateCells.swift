import Samples
import VM

/// The stretches of time that those who may see statistics only get statistics of.
///
/// Whoever may ask for any range learns a single sample from the difference of two answers. So the
/// ranges of such a grant begin and end at the bounds of fixed cells, a cell with fewer samples than
/// the minimum counts as empty in every answer, and one that has not ended yet is not counted at all:
/// the difference of any two answers is again made of whole cells.
struct AggregateCells: Sendable {
    private static let widths: [Duration] = [
        .seconds(60), .seconds(600), .seconds(3600), .seconds(21_600), .seconds(86_400),
    ]
    private static let hour: Int64 = 3_600_000_000

    /// Microseconds.
    let width: Int64

    /// - Parameter cadence: how often the sensor gives a sample; a cell has room for several.
    init(_ cadence: Cadence) {
        let enough = cadence.medium * (2 * GrantTerms.minimumCount)
        let width = Self.widths.first { $0 >= enough } ?? .seconds(86_400)
        self.width = width.wholeMicroseconds
    }

    /// The cells that a range touches and that have ended.
    func covering(_ range: TimeRange, now: Timestamp) -> TimeRange {
        let end = min(ceiling(range.to), floor(now))
        return TimeRange(from: min(floor(range.from), end), to: end)
    }

    /// As many whole cells as `step` microseconds touch.
    func step(_ step: Int64) -> Int64 {
        let (cells, rest) = step.quotientAndRemainder(dividingBy: width)
        let whole = (cells + (rest > 0 ? 1 : 0)).multipliedReportingOverflow(by: width)
        return whole.overflow ? Int64.max / width * width : max(width, whole.partialValue)
    }

    /// The whole hours, or wider cells, that a range touches: summaries are kept of hours.
    func hours(_ range: TimeRange) -> TimeRange {
        let width = max(width, Self.hour)
        return TimeRange(
            from: Self.floor(range.from, width),
            to: Self.floor(range.to.advanced(byMicroseconds: width - 1), width))
    }

    /// Where the first cell begins that begins at a moment or later.
    func ceiling(_ time: Timestamp) -> Timestamp {
        floor(time.advanced(byMicroseconds: width - 1))
    }

    /// Where the cell of a moment begins.
    func floor(_ time: Timestamp) -> Timestamp { Self.floor(time, width) }

    private static func floor(_ time: Timestamp, _ width: Int64) -> Timestamp {
        let phase = time.microseconds % width
        return time.advanced(byMicroseconds: -(phase < 0 ? phase + width : phase))
    }
}
