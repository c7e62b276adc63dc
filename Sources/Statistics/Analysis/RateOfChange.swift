import Samples

/// How fast a number changes from each sample to the next.
public enum RateOfChange {
    /// First differences by the time between, in units a second, each at the time of the later
    /// number.
    ///
    /// Of numbers with one time the last counts; a rate that is not finite is left out.
    public static func of(_ series: Series) -> [TimedValue] {
        var rates: [TimedValue] = []
        var previous: Int?
        for place in series.indices {
            let isLast = place + 1 == series.count || series.times[place + 1] != series.times[place]
            guard isLast else { continue }
            defer { previous = place }
            guard let previous else { continue }
            let seconds = Series.seconds(from: series.times[previous], to: series.times[place])
            let rate = (series.values[place] - series.values[previous]) / seconds
            if let rate = rate.finite {
                rates.append(
                    TimedValue(time: Timestamp(microseconds: series.times[place]), value: rate))
            }
        }
        return rates
    }
}
