public import Samples

/// An activity of a person, in order of priority: if several fit equally well, the first is chosen.
public enum Activity: String, Hashable, Sendable, CaseIterable, Codable {
    /// On foot.
    case walking
    /// On foot, faster.
    case running
    /// On a bicycle.
    case cycling
    /// In a vehicle.
    case driving
    /// Not moving.
    case stationary
    /// None of these fits.
    case unknown

    /// The activity with the highest priority; `unknown` if there is none.
    public static func first(of activities: some Collection<Activity>) -> Activity {
        allCases.first(where: activities.contains) ?? .unknown
    }
}

/// A recognised activity and its confidence.
public struct ActivityReading: Hashable, Sendable {
    /// How certain a recognition is.
    public enum Confidence: String, Hashable, Sendable, CaseIterable, Codable {
        /// A guess.
        case low
        /// Probable.
        case medium
        /// Clear.
        case high
    }

    /// The activity.
    public let activity: Activity
    /// How certain it is.
    public let confidence: Confidence

    /// Creates a reading.
    public init(_ activity: Activity, _ confidence: Confidence) {
        (self.activity, self.confidence) = (activity, confidence)
    }

    /// The activity that fits best.
    ///
    /// Differences up to 0.01 do not count. Below 0.35 the activity is unknown. High confidence
    /// needs a fit of 0.75 and a lead of 0.3, medium confidence 0.5 and 0.15.
    ///
    /// - Parameter fits: 0 to 1 for each activity; 0 for missing ones.
    public init(fits: [Activity: Double]) {
        let best = fits.values.max() ?? 0
        guard best >= 0.35 else {
            self.init(.unknown, .low)
            return
        }
        let equals = fits.filter { $0.value >= best - 0.01 }.map(\.key)
        let activity = Activity.first(of: equals)
        let next = fits.filter { $0.key != activity }.values.max() ?? 0
        let lead = best - next
        if best >= 0.75, lead >= 0.3 {
            self.init(activity, .high)
        } else {
            self.init(activity, best >= 0.5 && lead >= 0.15 ? .medium : .low)
        }
    }
}

/// Recognises a person's activity from acceleration, and from the speed if it is known.
///
/// Every two seconds it evaluates the ``MotionFeatures`` of the last six. It assumes that the
/// sensor is carried. Cycling and driving are distinguished with confidence only if the speed is
/// known.
public struct ActivityClassifier: Sendable {
    private static let windowLength = 120
    private static let leastLength = 80
    private static let hopLength = 40
    /// The regularity of a rhythm near which the next is searched.
    private static let leastRegularity = 0.3
    /// Microseconds for which a speed is valid.
    private static let speedLifetime: Int64 = 10_000_000

    /// The last result.
    public private(set) var reading: ActivityReading?
    /// How many measurements were dropped because they were invalid or came too late.
    public private(set) var dropped = 0

    private var grid = EvenGrid(width: 50_000, longestGap: 10)
    private var band = StepBand()
    private var magnitudes: [Double] = []
    private var signal: [SIMD3<Double>] = []
    /// The stride of the last window if it had the rhythm of steps.
    private var stride: Double?
    /// The squared deviations of the measurements from their cells, and their number.
    private var rest = 0.0
    private var count = 0
    private var speed: (metresPerSecond: Double, time: Timestamp)?

    /// Creates a classifier.
    public init() {}

    /// Takes the speed over ground, which is valid for ten seconds.
    public mutating func take(speed metresPerSecond: Double, at time: Timestamp) {
        guard metresPerSecond.isFinite, metresPerSecond >= 0 else {
            dropped += 1
            return
        }
        speed = (metresPerSecond, time)
    }

    /// Takes a measurement.
    ///
    /// - Returns: the activity of the last six seconds, every two seconds; `nil` otherwise.
    public mutating func take(
        _ acceleration: Acceleration, at time: Timestamp
    ) -> ActivityReading? {
        let magnitude = acceleration.magnitude
        switch grid.take(acceleration.vector, at: time) {
        case .late: dropped += 1
        case .restarted: forget()
        case .cells(let complete):
            if let center = grid.mean.map(Self.magnitude) {
                rest += (magnitude - center) * (magnitude - center)
                count += 1
            }
            var found: ActivityReading?
            for cell in complete {
                magnitudes.append(Self.magnitude(cell))
                signal.append(band.filter(cell))
                guard magnitudes.count >= Self.leastLength,
                    magnitudes.count % Self.hopLength == 0
                else { continue }
                found = evaluate(at: time)
                guard magnitudes.count == Self.windowLength else { continue }
                magnitudes.removeFirst(Self.hopLength)
                signal.removeFirst(Self.hopLength)
            }
            return found
        }
        return nil
    }

    private mutating func forget() {
        magnitudes.removeAll(keepingCapacity: true)
        signal.removeAll(keepingCapacity: true)
        band = StepBand()
        (stride, rest, count, reading) = (nil, 0, 0, nil)
    }

    private mutating func evaluate(at time: Timestamp) -> ActivityReading {
        let detrended = Self.detrended(magnitudes)
        let variance = detrended.reduce(0) { $0 + $1 * $1 } / Double(detrended.count)
        let gait = Gait(signal, near: stride)
        // A walk that has begun goes on with a weaker rhythm.
        let regularity = gait.map {
            stride == nil ? min($0.regularity, $0.persistence) : $0.regularity
        }
        stride = (regularity ?? 0) >= Self.leastRegularity ? gait?.stride : nil
        let features = MotionFeatures(
            lowFrequencyDeviation: variance.squareRoot(),
            highFrequencyDeviation: count > 0 ? (rest / Double(count)).squareRoot() : 0,
            steps: gait.map { .init(rate: $0.stepRate, regularity: regularity ?? 0) },
            speed: speed(at: time))
        (rest, count) = (0, 0)
        let found = ActivityReading(fits: features.fits)
        reading = found
        return found
    }

    /// Removes the linear trend, so that slow changes of speed do not count.
    private static func detrended(_ magnitudes: [Double]) -> [Double] {
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

    private static func magnitude(_ vector: SIMD3<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    private func speed(at time: Timestamp) -> Double? {
        guard let speed, speed.time.advanced(byMicroseconds: Self.speedLifetime) >= time else {
            return nil
        }
        return speed.metresPerSecond
    }
}

extension ActivityClassifier: DerivedSensor {
    public static let inputs = Acceleration.fields
    public static let longestInterval: Duration? = Acceleration.longestInterval
    public static let outputs = [
        Field("activity", kind: .state), Field("confidence", kind: .state),
    ]

    public mutating func take(_ sample: Sample) -> Sample? {
        guard let acceleration = Acceleration(sample) else {
            dropped += 1
            return nil
        }
        guard let reading = take(acceleration, at: sample.time) else { return nil }
        return Sample(
            time: sample.time,
            values: [.text(reading.activity.rawValue), .text(reading.confidence.rawValue)])
    }
}

/// The features of a window of acceleration by which activities are recognised.
///
/// Deviation, period and regularity of the magnitude are features of L. Bao and S. S. Intille,
/// "Activity Recognition from User-Annotated Acceleration Data", PERVASIVE (2004), and of J. R.
/// Kwapisz, G. M. Weiss and S. A. Moore, "Activity Recognition using Cell Phone Accelerometers",
/// SIGKDD Explorations 12 (2010). The ranges are not learned from recordings: they are set by hand
/// from usual cadences and speeds.
public struct MotionFeatures: Hashable, Sendable {
    /// A rhythm of steps.
    public struct Steps: Hashable, Sendable {
        /// Steps per second.
        public let rate: Double
        /// The smaller autocorrelation of those one and two strides later, up to 1.
        public let regularity: Double

        /// Creates a rhythm.
        public init(rate: Double, regularity: Double) {
            (self.rate, self.regularity) = (rate, regularity)
        }
    }

    /// The standard deviation of the magnitude below 10 Hz, in m/s².
    public let lowFrequencyDeviation: Double
    /// The standard deviation of the magnitude above 10 Hz, in m/s²; 0 for samples at 20 Hz or
    /// less.
    public let highFrequencyDeviation: Double
    /// `nil` if there are no steps.
    public let steps: Steps?
    /// In m/s; `nil` if unknown.
    public let speed: Double?

    /// Creates features.
    public init(
        lowFrequencyDeviation: Double, highFrequencyDeviation: Double, steps: Steps? = nil,
        speed: Double? = nil
    ) {
        self.lowFrequencyDeviation = lowFrequencyDeviation
        self.highFrequencyDeviation = highFrequencyDeviation
        self.steps = steps
        self.speed = speed
    }

    /// How well each activity fits, 0 to 1.
    public var fits: [Activity: Double] {
        let (low, high) = (lowFrequencyDeviation, highFrequencyDeviation)
        let vibration = (low * low + high * high).squareRoot()
        var fits: [Activity: Double] = [:]
        if let steps {
            let regular = Self.range(steps.regularity, 0.2, 0.5, 2, 3)
            let isRun = min(
                Self.range(low, 3, 5, 30, 40), Self.range(steps.rate, 2.1, 2.4, 3.8, 4.2))
            fits[.running] = regular * isRun * speedFit(1, 1.8, 7, 12)
            fits[.walking] =
                regular * (1 - isRun) * Self.range(steps.rate, 0.8, 1.2, 2.6, 3)
                * speedFit(-1, 0, 2.6, 4)
        }
        // Clear steps exclude a vehicle.
        let irregular = 1 - (fits.values.max() ?? 0)
        if speed != nil {
            fits[.cycling] =
                irregular * min(Self.range(vibration, 0.5, 1, 5, 8), speedFit(1.5, 3, 9, 14))
            fits[.driving] = max(
                speedFit(10, 15, 100, 120),
                min(Self.range(vibration, -1, 0, 0.9, 1.5), speedFit(2.5, 5, 100, 120)))
            fits[.stationary] = min(
                Self.range(vibration, -1, 0, 0.15, 0.4), speedFit(-1, 0, 0.5, 1.2))
        } else {
            // A bicycle shakes more than a car, but without a speed neither is certain.
            fits[.cycling] = 0.6 * irregular * Self.range(vibration, 0.8, 1.2, 5, 8)
            fits[.driving] = 0.6 * irregular * Self.range(vibration, 0.12, 0.25, 0.7, 1.1)
            fits[.stationary] = Self.range(vibration, -1, 0, 0.12, 0.3)
        }
        return fits
    }

    private func speedFit(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
        speed.map { Self.range($0, a, b, c, d) } ?? 1
    }

    /// A trapezoid: 0 up to `a`, 1 from `b` to `c`, 0 from `d`, and linear in between.
    private static func range(
        _ x: Double, _ a: Double, _ b: Double, _ c: Double, _ d: Double
    ) -> Double {
        guard x.isFinite else { return 0 }
        return max(0, min(1, (x - a) / (b - a), (d - x) / (d - c)))
    }
}
