/// The steps in a few seconds of acceleration.
///
/// The period is the lag with the highest normalised autocorrelation: A. Rai, K. K. Chintalapudi,
/// V. N. Padmanabhan and R. Sen, "Zee: Zero-Effort Crowdsourcing for Indoor Localization", MobiCom
/// (2012), section 4.1. Steps are peaks of the smoothed magnitude at a minimum distance that
/// follows from the period. Both methods are among the best in the comparison of A. Brajdic and
/// R. Harle, "Walk Detection and Step Counting on Unconstrained Smartphones", UbiComp (2013).
struct Gait: Hashable, Sendable {
    /// Values of the magnitude per second.
    static let rate = 20.0
    /// The lags, in values, from one step to the next: from 0.25 s, a sprint, to 1.1 s, a stroll.
    private static let lags = 5...22
    /// In m/s²; with a smaller deviation there are no steps.
    private static let leastDeviation = 0.3
    /// The lowest autocorrelation of steps, and the one from which their rhythm is clear; see
    /// `autocorrelation`.
    private static let leastAutocorrelation = 0.3
    private static let clearAutocorrelation = 0.7

    /// The number of values from one step to the next.
    let period: Double
    /// The minimum of the autocorrelations at lags of one, two and three periods; up to 1.
    let autocorrelation: Double
    /// The 80th percentile of the heights of all peaks, including those that are too low to be steps,
    /// in m/s² above the mean.
    let height: Double
    /// The peaks that are at least 40 % as high as `height`, in order of time.
    let peaks: [Peak]

    struct Peak: Hashable, Sendable {
        let index: Int
        let height: Double
    }

    /// Whether the rhythm is clear enough to start counting.
    var isClear: Bool { autocorrelation >= Self.clearAutocorrelation }

    /// - Parameter magnitudes: values on a grid of 20 Hz; at least four seconds.
    /// - Returns: `nil` if there are no steps.
    init?(_ magnitudes: some RandomAccessCollection<Double>) {
        let signal = Self.smoothed(Self.detrended(Array(magnitudes)))
        let energy = signal.reduce(0) { $0 + $1 * $1 } / Double(max(1, signal.count))
        guard signal.count >= 80, energy.squareRoot() >= Self.leastDeviation,
            let (period, autocorrelation) = Self.period(signal)
        else { return nil }
        self.period = period
        self.autocorrelation = autocorrelation
        let tops = Self.peaks(signal, apart: 0.6 * period)
        // The median would be too low, because after the end of a walk there are many small peaks.
        let heights = tops.map(\.height).sorted()
        height = heights.isEmpty ? 0 : heights[heights.count * 4 / 5]
        let floor = 0.4 * height
        peaks = tops.filter { $0.height >= floor }
    }

    /// Removes the linear trend, so that slow changes of speed do not count.
    static func detrended(_ magnitudes: [Double]) -> [Double] {
        let middle = Double(magnitudes.count - 1) / 2
        var (sum, products, squares) = (0.0, 0.0, 0.0)
        for (index, magnitude) in magnitudes.enumerated() {
            let x = Double(index) - middle
            sum += magnitude
            products += x * magnitude
            squares += x * x
        }
        let mean = sum / Double(max(1, magnitudes.count))
        let slope = squares > 0 ? products / squares : 0
        return magnitudes.enumerated().map { $1 - mean - slope * (Double($0) - middle) }
    }

    /// Weights 1, 2, 3, 2, 1: a low-pass filter that reduces the amplitude by 3 dB at 2.2 Hz and to a
    /// ninth at 5 Hz.
    private static func smoothed(_ magnitudes: [Double]) -> [Double] {
        magnitudes.indices.map { index in
            var (sum, weights) = (0.0, 0.0)
            for offset in -2...2 where magnitudes.indices.contains(index + offset) {
                let weight = Double(3 - abs(offset))
                sum += weight * magnitudes[index + offset]
                weights += weight
            }
            return sum / weights
        }
    }

    /// The normalised autocorrelation at a lag, −1 to 1.
    private static func autocorrelation(_ signal: [Double], _ lag: Int) -> Double {
        var (products, early, late) = (0.0, 0.0, 0.0)
        for index in 0..<(signal.count - lag) {
            let (x, y) = (signal[index], signal[index + lag])
            products += x * y
            early += x * x
            late += y * y
        }
        let scale = (early * late).squareRoot()
        return scale > 0 ? products / scale : 0
    }

    private static func period(_ signal: [Double]) -> (period: Double, autocorrelation: Double)? {
        let range = (lags.lowerBound - 1)...(lags.upperBound + 1)
        let all = range.map { autocorrelation(signal, $0) }
        let tops = lags.filter { lag in
            let index = lag - range.lowerBound
            return all[index] >= all[index - 1] && all[index] > all[index + 1]
        }
        // Left and right steps differ, so the lag of two steps can correlate better than that of one:
        // the shortest lag that is nearly as good as the best is chosen.
        let best = tops.map { all[$0 - range.lowerBound] }.max() ?? 0
        guard let lag = tops.first(where: { all[$0 - range.lowerBound] >= 0.8 * best }) else {
            return nil
        }
        let index = lag - range.lowerBound
        let (before, top, after) = (all[index - 1], all[index], all[index + 1])
        let bend = before - 2 * top + after
        let period = Double(lag) + (bend < 0 ? (before - after) / (2 * bend) : 0)
        let least = min(
            top, autocorrelation(signal, Int((2 * period).rounded())),
            autocorrelation(signal, Int((3 * period).rounded())))
        return least >= leastAutocorrelation ? (period, least) : nil
    }

    /// Local maxima at a minimum distance; higher ones take precedence.
    private static func peaks(_ signal: [Double], apart: Double) -> [Peak] {
        let tops = (1..<(signal.count - 1)).filter {
            signal[$0] > 0 && signal[$0] >= signal[$0 - 1] && signal[$0] > signal[$0 + 1]
        }
        var taken: [Int] = []
        for top in tops.sorted(by: { signal[$0] > signal[$1] })
        where taken.allSatisfy({ Double(abs($0 - top)) >= apart }) {
            taken.append(top)
        }
        return taken.sorted().map { Peak(index: $0, height: signal[$0]) }
    }
}
