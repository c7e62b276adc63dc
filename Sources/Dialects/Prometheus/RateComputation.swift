import Glibc
import Samples

/// Rates and differences of the samples in windows.
///
/// The difference of the first and the last sample of a window is extrapolated to the bounds of the window where the
/// samples show that the series continues there: to at most 1.1 times the mean interval of the samples, else by half
/// an interval. A counter is not extrapolated to below zero.
///
/// Source: the description of `rate` and `increase` in *Prometheus: query functions*.
struct RateComputation {
    private let samples: SeriesSamples
    private let function: RangeFunction
    /// For each sample, by how much the counter fell at resets up to it.
    private let lost: [Double]

    init(_ samples: SeriesSamples, _ function: RangeFunction) {
        (self.samples, self.function) = (samples, function)
        guard function != .delta else {
            lost = []
            return
        }
        var lost: [Double] = []
        lost.reserveCapacity(samples.values.count)
        var (total, previous) = (0.0, -Double.infinity)
        for value in samples.values {
            if value < previous { total += previous }
            lost.append(total)
            previous = value
        }
        self.lost = lost
    }

    /// - Parameter window: microseconds.
    func values(window: Int64, at times: EvaluationTimes) -> [Double?] {
        var (first, end) = (0, 0)
        return (0..<times.count).map { index in
            let time = times.time(index)
            let start = time.advanced(byMicroseconds: -window)
            while end < samples.times.count, samples.times[end] <= time { end += 1 }
            while first < end, samples.times[first] <= start { first += 1 }
            return value(first, end - 1, from: start, to: time)
        }
    }

    private func value(_ first: Int, _ last: Int, from start: Timestamp, to end: Timestamp)
        -> Double?
    {
        let sampled = seconds(samples.times, first, last)
        guard last > first, sampled > 0 else { return nil }
        var difference = samples.values[last] - samples.values[first]
        if function != .delta { difference += lost[last] - lost[first] }
        let interval = sampled / Double(last - first)
        var before = Self.seconds(start, samples.times[first])
        let after = Self.seconds(samples.times[last], end)
        if function != .delta, difference > 0, samples.values[first] >= 0 {
            before = min(before, sampled * samples.values[first] / difference)
        }
        let threshold = interval * 1.1
        let whole =
            sampled + (before < threshold ? before : interval / 2)
            + (after < threshold ? after : interval / 2)
        let extrapolated = difference * (whole / sampled)
        return function == .rate ? extrapolated / Self.seconds(start, end) : extrapolated
    }

    private func seconds(_ times: [Timestamp], _ first: Int, _ last: Int) -> Double {
        last > first ? Self.seconds(times[first], times[last]) : 0
    }

    private static func seconds(_ from: Timestamp, _ to: Timestamp) -> Double {
        Double(to.microseconds - from.microseconds) / 1e6
    }
}

enum Power {
    static func of(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}
