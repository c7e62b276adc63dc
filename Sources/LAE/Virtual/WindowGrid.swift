import Samples

/// Windows of equal length that end at the multiples of a slide since 1970.
///
/// A window is known by its number: the slides from 1970 to its end.
struct WindowGrid: Hashable, Sendable {
    /// From one end to the next, in microseconds; at least 1.
    let slide: Int64
    /// How many slides a window is long; at least 1.
    let overlap: Int64

    /// The moment that a window ends at, which is the time of its sample.
    func end(of window: Int64) -> Timestamp { Timestamp(microseconds: window * slide) }

    func span(of window: Int64) -> TimeRange {
        TimeRange(
            from: end(of: window).advanced(byMicroseconds: -slide * overlap), to: end(of: window))
    }

    /// The stretch of time between the first window's beginning and the last one's end.
    func span(of windows: ClosedRange<Int64>) -> TimeRange {
        TimeRange(from: span(of: windows.lowerBound).from, to: end(of: windows.upperBound))
    }

    /// The windows that hold a moment.
    func windows(holding time: Timestamp) -> ClosedRange<Int64> {
        let first = floored(time) + 1
        return first...(first + overlap - 1)
    }

    /// The first window that ends at a moment or later.
    func first(endingFrom time: Timestamp) -> Int64 {
        let quotient = floored(time)
        return quotient * slide == time.microseconds ? quotient : quotient + 1
    }

    /// The last window that ends at a moment or earlier.
    func last(endingBy time: Timestamp) -> Int64 { floored(time) }

    private func floored(_ time: Timestamp) -> Int64 {
        let (quotient, rest) = time.microseconds.quotientAndRemainder(dividingBy: slide)
        return rest < 0 ? quotient - 1 : quotient
    }
}
