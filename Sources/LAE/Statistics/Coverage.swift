import Samples
import Statistics

/// How much of a stretch of time the samples that went into an answer have seen.
///
/// A sample sees the time up to the next one, but no more than four times what is usual there, which
/// is the second longest of the four intervals before it; see `Spacing` and `SeenTime`. Samples that
/// are left out see nothing. What has not come yet is not counted: a stretch ends now at the latest,
/// and one without a beginning begins with its first sample.
public struct Coverage: Hashable, Sendable {
    /// Microseconds that were seen.
    public let seen: Int64
    /// Microseconds of the stretch, 1 at least.
    public let whole: Int64

    /// What was seen of the whole, 0 to 1.
    public var share: Double { Double(seen) / Double(whole) }

    /// - Parameter range: has both ends.
    /// - Returns: `nil` when that is not known, or nothing of the range has come yet.
    init?(_ seen: Int64?, of range: TimeRange) {
        let (whole, overflow) = range.to.microseconds.subtractingReportingOverflow(
            range.from.microseconds)
        guard let seen, !overflow, whole > 0 else { return nil }
        (self.seen, self.whole) = (min(seen, whole), whole)
    }

    /// Of windows that lie one behind the other.
    ///
    /// - Parameter ranges: one for each of them.
    static func of(
        _ windows: [WindowSummary], in ranges: [TimeRange], now: Timestamp
    ) -> [Coverage?] {
        let ranges = zip(windows, ranges).map { window, range in
            let from =
                range.from == .distantPast ? window.spacing?.first ?? range.from : range.from
            return TimeRange(from: from, to: max(from, min(range.to, now)))
        }
        let unknown = windows.indices.filter { windows[$0].hasUnknownTimes }
        let seen = ObservedTime(
            windows.map(\.spacing), unknown: Set(unknown), in: ranges
        ).microseconds
        return zip(seen, ranges).map { Coverage($0, of: $1) }
    }
}
