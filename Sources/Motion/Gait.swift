/// The rhythm of a person's steps in a few seconds of acceleration.
///
/// Its measure is the autocorrelation of the acceleration as a vector: the sum over the axes, which no
/// rotation of the sensor changes and for which gravity need not be known. At the lag of a *stride*, two
/// steps, the same leg moves again, so that it is high wherever the sensor is carried. At the lag of one
/// step it is low in a trouser pocket and in a swinging hand. The lag of a stride as the dominant period of
/// the trunk, and that of a step as its half: R. Moe-Nilssen and J. L. Helbostad, "Estimation of gait cycle
/// characteristics by trunk accelerometry", Journal of Biomechanics 37 (2004). The search of the lag with
/// the highest normalised autocorrelation: A. Rai, K. K. Chintalapudi, V. N. Padmanabhan and R. Sen,
/// "Zee: Zero-Effort Crowdsourcing for Indoor Localization", MobiCom (2012), section 4.1.
struct Gait: Hashable, Sendable {
    /// Values per second.
    static let rate = 20.0
    /// The relative change of the stride from one second to the next.
    static let tolerance = 0.12
    /// In m/s²; with a smaller deviation there are no steps.
    private static let leastDeviation = 0.3
    /// The least ``spread(_:)`` of a walk.
    ///
    /// A body that walks moves up with every step and aside with every stride. A car on its springs and
    /// a hand that shakes something move along a line.
    private static let leastSpread = 0.16
    /// The longest lag of a stride, of a stroll with 67 steps a minute, in values.
    private static let longestStride = 36
    /// The shortest lag of a step, of a sprint.
    private static let shortestStep = 5.0
    /// Of several lags that are nearly as good as the best, the shortest is the period: the others
    /// are its multiples.
    private static let nearlyBest = 0.92
    /// The periods, 0.5 to 0.8 s, of one step of a walk or two of a run; two if the halves are alike.
    private static let runningStrides = 10.0..<16.0
    private static let leastLikenessOfRunningSteps = 0.4
    /// The least autocorrelation at half a stride, in which the body goes up and down once.
    ///
    /// Half a turn of a pedal is the opposite of the other half.
    private static let leastLikenessOfSteps = -0.6
    /// Cyclists turn their pedals less than 96 times a minute.
    private static let fastestPedals = 12.5

    /// The number of values from one step of a leg to its next.
    let stride: Double
    /// The normalised autocorrelation at the lag of a period, up to 1.
    let regularity: Double
    /// The autocorrelation at the lag of two strides.
    ///
    /// The bouncing of a car on its springs has a period, too, but dies away sooner.
    let persistence: Double

    /// Steps per second.
    var stepRate: Double { 2 * Self.rate / stride }

    /// - Parameters:
    ///   - signal: three axes of a ``StepBand``, at least twice the longest stride.
    ///   - usual: the stride of the second before, which is preferred to others.
    /// - Returns: `nil` if there is no rhythm of steps.
    init?(_ signal: [SIMD3<Double>], near usual: Double? = nil) {
        let energy = signal.reduce(0) { $0 + ($1 * $1).sum() } / Double(max(1, signal.count))
        guard signal.count >= 2 * Self.longestStride,
            energy.squareRoot() >= Self.leastDeviation,
            usual != nil || Self.spread(signal) >= Self.leastSpread
        else { return nil }
        let likeness = Autocorrelation(signal, upTo: 2 * Self.longestStride + 2)
        let peaks = likeness.peaks(upTo: Self.longestStride)
        let tracked = usual.flatMap { Self.track($0, peaks) }
        guard let peak = tracked ?? Self.rhythm(peaks, likeness) else { return nil }
        (stride, regularity, persistence) = (peak.lag, peak.height, likeness[2 * peak.lag])
    }

    /// The best peak near a stride, or near a step of it.
    private static func track(
        _ usual: Double, _ peaks: [Autocorrelation.Peak]
    ) -> Autocorrelation.Peak? {
        let strides = peaks.flatMap { [$0, .init(lag: 2 * $0.lag, height: $0.height)] }
        let near = strides.filter { stride in
            abs(stride.lag / usual - 1) <= tolerance && stride.lag <= Double(longestStride)
        }
        return near.max { $0.height < $1.height }
    }

    private static func rhythm(
        _ peaks: [Autocorrelation.Peak], _ likeness: Autocorrelation
    ) -> Autocorrelation.Peak? {
        let best = peaks.map(\.height).max() ?? 0
        guard let period = peaks.first(where: { $0.height >= nearlyBest * best }),
            let stride = stride(period, likeness)
        else { return nil }
        return .init(lag: stride, height: period.height)
    }

    private static func stride(
        _ period: Autocorrelation.Peak, _ likeness: Autocorrelation
    ) -> Double? {
        let halves = likeness[period.lag / 2]
        if period.lag >= runningStrides.upperBound {
            return halves >= leastLikenessOfSteps ? period.lag : nil
        }
        if period.lag >= runningStrides.lowerBound, halves >= leastLikenessOfRunningSteps {
            return period.lag
        }
        guard period.lag >= shortestStep else { return nil }
        // The legs differ, so that two steps are more alike than one; two turns of a pedal are not.
        return period.lag < fastestPedals || likeness[2 * period.lag] > period.height
            ? 2 * period.lag : nil
    }

    /// How far the movement is from one along a line: 0 on a line, 2/3 if all directions are alike.
    ///
    /// One minus the sum of the squared shares of the principal axes, from the invariants of the
    /// matrix of second moments.
    private static func spread(_ signal: [SIMD3<Double>]) -> Double {
        var (squares, products) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
        for cell in signal {
            squares += cell * cell
            products += cell * SIMD3(cell.y, cell.z, cell.x)
        }
        let trace = squares.sum()
        let norm = (squares * squares).sum() + 2 * (products * products).sum()
        return trace > 0 ? 1 - norm / (trace * trace) : 0
    }
}

/// The normalised autocorrelation of a vector at lags from 0.
private struct Autocorrelation {
    /// A local maximum, with the lag interpolated by a parabola.
    struct Peak {
        let lag: Double
        let height: Double
    }

    private let values: [Double]

    init(_ signal: [SIMD3<Double>], upTo last: Int) {
        values = (0...last).map { lag in
            var (products, early, late) = (0.0, 0.0, 0.0)
            for index in 0..<max(0, signal.count - lag) {
                let (x, y) = (signal[index], signal[index + lag])
                products += (x * y).sum()
                early += (x * x).sum()
                late += (y * y).sum()
            }
            let scale = (early * late).squareRoot()
            return scale > 0 ? products / scale : 0
        }
    }

    /// The value at a lag of up to the last but one, interpolated linearly.
    subscript(lag: Double) -> Double {
        let index = Int(lag)
        let part = lag - Double(index)
        return values[index] * (1 - part) + values[index + 1] * part
    }

    /// The positive local maxima from a lag of 0.15 s, in order of their lags.
    func peaks(upTo last: Int) -> [Peak] {
        (3...last).compactMap { lag in
            let (before, top, after) = (values[lag - 1], values[lag], values[lag + 1])
            guard top > 0, top >= before, top > after else { return nil }
            let bend = before - 2 * top + after
            let shift = bend < 0 ? (before - after) / (2 * bend) : 0
            return Peak(lag: Double(lag) + shift, height: top)
        }
    }
}
