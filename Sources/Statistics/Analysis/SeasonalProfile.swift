/// What the values of a series usually are at each time of a period, such as a day.
enum SeasonalProfile {
    private static let day = 86_400.0
    private static let week = 604_800.0
    /// The maximum number of cells of the autocorrelation; longer series are averaged.
    private static let cellLimit = 65_536
    private static let binLimit = 2048
    /// The number of samples that a bin has on average, at least.
    private static let binSamples = 8

    /// The values minus the profile of a period, and the period in seconds.
    ///
    /// Without a given period the profile of a day is followed by that of a week, if the rest repeats
    /// weekly. Without any period the values are returned.
    static func removed(
        from series: Series, period given: Double?
    ) throws -> (values: [Double], period: Double?) {
        guard let first = try given ?? period(of: series) else { return (series.values, nil) }
        let rest = remainder(series, first)
        guard given == nil, first == day else { return (rest, first) }
        let daily = Series(times: series.times, values: rest)
        guard let correlation = try Autocorrelation(daily, cells: cellLimit),
            correlation.repeats(after: week)
        else { return (rest, first) }
        return (remainder(daily, week), week)
    }

    /// The period of a series in seconds: a day, else a week, else the shortest lag whose correlation is a
    /// local maximum and at least 0.9 times the highest one.
    ///
    /// A period has to be contained three times, and its correlation has to be at least 0.3, and 0.3 more than
    /// that of some shorter lag: otherwise every slow change would be a period. Values are clamped to their
    /// quantiles of 2 % and 98 % first, so that a few large ones do not hide it.
    /// - Returns: `nil` when the series does not repeat.
    /// - Throws: `CancellationError` when the task is cancelled.
    static func period(of series: Series) throws -> Double? {
        guard let correlation = try Autocorrelation(series, cells: cellLimit) else { return nil }
        for period in [day, week] where correlation.repeats(after: period) { return period }
        return correlation.strongestPeriod
    }

    /// The values minus the median of all values at the same phase of the period, in the unit of the values.
    ///
    /// The period is divided into bins of at least 8 samples on average, no narrower than the usual
    /// interval of the samples, at most 2048; between the middles of bins that are wider than the interval,
    /// the profile is interpolated. Bins without samples are interpolated as well.
    static func remainder(_ series: Series, _ period: Double) -> [Double] {
        guard let start = series.times.first, let interval = series.interval else {
            return series.values
        }
        let natural = max((period / interval).rounded(), 2)
        let count = Int(
            max(2, min(natural, Double(series.count / binSamples), Double(binLimit))))
        // 0 to count.
        let phases = series.times.map { time in
            let seconds = Series.seconds(from: start, to: time)
            return min(
                seconds.truncatingRemainder(dividingBy: period) / period, 1) * Double(count)
        }
        let profile = medians(series.values, bins: phases.map { min(Int($0), count - 1) }, count)
        let isInterpolated = Double(count) < natural
        return series.values.indices.map { index in
            let place = phases[index]
            guard isInterpolated else {
                return series.values[index] - profile[min(Int(place), count - 1)]
            }
            let middle = (place - 0.5).rounded(.down)
            let weight = place - 0.5 - middle
            let (left, right) = ((Int(middle) + count) % count, (Int(middle) + 1) % count)
            return series.values[index]
                - (profile[left] * (1 - weight) + profile[right] * weight)
        }
    }

    private static func medians(_ values: [Double], bins: [Int], _ count: Int) -> [Double] {
        var members = [[Double]](repeating: [], count: count)
        for (value, bin) in zip(values, bins) { members[bin].append(value) }
        let medians = members.map { Quantile.of(0.5, sorted: $0.sorted()) }
        let known = medians.indices.filter { medians[$0] != nil }
        guard let first = known.first, known.count < count else { return medians.map { $0 ?? 0 } }
        // Interpolated across the end of the period, too.
        var filled = medians
        for (place, left) in known.enumerated() {
            let right = place + 1 < known.count ? known[place + 1] : first + count
            guard let low = medians[left], let high = medians[right % count] else { continue }
            for bin in (left + 1)..<max(left + 1, right) {
                let weight = Double(bin - left) / Double(right - left)
                filled[bin % count] = low * (1 - weight) + high * weight
            }
        }
        return filled.map { $0 ?? 0 }
    }
}

/// The correlation of a series with itself, shifted by each multiple of an interval.
///
/// Computed by Fourier transforms of the values and of the mask of cells with samples, so that gaps count
/// neither way: O(m log m) for m cells.
private struct Autocorrelation {
    /// In seconds.
    private let interval: Double
    private let correlations: [Double]
    /// The least correlation up to each lag.
    private let least: [Double]

    /// The correlation at a period, and how much less it is at some shorter lag, at least.
    private static let leastCorrelation = 0.3
    /// In cells.
    private static let shortestLag = 4
    private static let clamped = 0.02
    /// The share of the cells with samples that need a partner at a lag; otherwise it has the correlation 0.
    private static let leastPairs = 0.1

    /// - Returns: `nil` for fewer than two different times, and for a series that does not vary.
    init?(_ series: Series, cells limit: Int) throws {
        guard let usual = series.interval, let start = series.times.first,
            let end = series.times.last
        else { return nil }
        let span = Series.seconds(from: start, to: end)
        interval = max(usual, span / Double(limit - 1))
        let count = Int(span / interval) + 1
        var sums = [Double](repeating: 0, count: count)
        var counts = sums
        for (time, value) in zip(series.times, series.values) {
            let cell = min(Int(Series.seconds(from: start, to: time) / interval), count - 1)
            sums[cell] += value
            counts[cell] += 1
        }
        let means = zip(sums, counts).filter { $1 > 0 }.map { $0 / $1 }
        let sorted = means.sorted()
        guard let low = Quantile.of(Self.clamped, sorted: sorted),
            let high = Quantile.of(1 - Self.clamped, sorted: sorted),
            let centre = Moments(means.lazy.map { min(max($0, low), high) }).mean
        else { return nil }
        let deviations = zip(sums, counts).map { sum, count in
            count > 0 ? min(max(sum / count, low), high) - centre : 0
        }
        try Task.checkCancellation()
        let products = Self.products(deviations)
        let pairs = Self.products(counts.map { $0 > 0 ? 1 : 0 }).map { $0.rounded() }
        let variance = products[0] / max(1, pairs[0])
        guard variance > 0, variance.isFinite else { return nil }
        let correlations = zip(products, pairs).map { product, count in
            count >= pairs[0] * Self.leastPairs ? product / count / variance : 0
        }
        var lowest = Double.infinity
        least = correlations.map { correlation in
            lowest = min(lowest, correlation)
            return lowest
        }
        self.correlations = correlations
    }

    /// Whether the series contains a period three times and repeats after it, within 2 %.
    func repeats(after period: Double) -> Bool {
        let lag = period / interval
        guard lag >= Double(Self.shortestLag), 3 * lag <= Double(correlations.count) else {
            return false
        }
        let middle = Int(lag.rounded())
        let margin = max(1, middle / 50)
        let best = ((middle - margin)...(middle + margin))
            .max { correlations[$0] < correlations[$1] }
        return best.map(isPeriod) ?? false
    }

    /// In seconds; `nil` for none.
    var strongestPeriod: Double? {
        let end = correlations.count / 3
        guard end > Self.shortestLag else { return nil }
        let lags = (Self.shortestLag..<end).filter { lag in
            correlations[lag] >= correlations[lag - 1] && correlations[lag] > correlations[lag + 1]
                && isPeriod(lag)
        }
        guard let highest = lags.map({ correlations[$0] }).max() else { return nil }
        return lags.first { correlations[$0] >= 0.9 * highest }.map { Double($0) * interval }
    }

    private func isPeriod(_ lag: Int) -> Bool {
        correlations[lag] >= Self.leastCorrelation
            && correlations[lag] - least[lag] >= Self.leastCorrelation
    }

    /// Σ x[i]·x[i+k] for each lag k.
    private static func products(_ numbers: [Double]) -> [Double] {
        var size = 1
        while size < 2 * numbers.count { size *= 2 }
        let transform = FourierTransform(length: size)
        let (real, imaginary) = transform(numbers)
        let powers = zip(real, imaginary).map { $0 * $0 + $1 * $1 }
        // The powers are even, so that the inverse transform is the transform divided by the length.
        return transform(powers).real.prefix(numbers.count).map { $0 / Double(size) }
    }
}

extension Series {
    /// The median time between different times in seconds; `nil` for fewer than two of them.
    fileprivate var interval: Double? {
        let steps = zip(times, times.dropFirst()).map { Series.seconds(from: $0, to: $1) }
            .filter { $0 > 0 }.sorted()
        return Quantile.of(0.5, sorted: steps)
    }
}
