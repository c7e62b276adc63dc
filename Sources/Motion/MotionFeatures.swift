/// What a window of acceleration and the speed say about an activity.
///
/// Deviation, period and regularity of the magnitude are features of L. Bao and S. S. Intille,
/// "Activity Recognition from User-Annotated Acceleration Data", PERVASIVE (2004), and of J. R.
/// Kwapisz, G. M. Weiss and S. A. Moore, "Activity Recognition using Cell Phone Accelerometers",
/// SIGKDD Explorations 12 (2010). The ranges below are not learned from recordings of people: they
/// are set by hand from usual cadences and speeds.
public struct MotionFeatures: Hashable, Sendable {
    /// Steps that follow each other.
    public struct Steps: Hashable, Sendable {
        /// Steps a second.
        public let rate: Double
        /// How alike they are, 0 to 1.
        public let regularity: Double

        public init(rate: Double, regularity: Double) {
            (self.rate, self.regularity) = (rate, regularity)
        }
    }

    /// The standard deviation of the magnitude below 10 Hz, in m/s².
    public let sway: Double
    /// The same above 10 Hz; 0 where samples come at 20 Hz or less.
    public let roughness: Double
    /// `nil` without a walk or a run.
    public let steps: Steps?
    /// In m/s; `nil` when it is not known.
    public let speed: Double?

    public init(
        sway: Double, roughness: Double, steps: Steps? = nil, speed: Double? = nil
    ) {
        (self.sway, self.roughness, self.steps, self.speed) = (sway, roughness, steps, speed)
    }

    /// How well each activity fits, 0 to 1.
    public var fits: [Activity: Double] {
        let vibration = (sway * sway + roughness * roughness).squareRoot()
        var fits: [Activity: Double] = [:]
        if let steps {
            let regular = min(1, steps.regularity / 0.6)
            let isRun = min(
                Self.range(sway, 3, 5, 30, 40), Self.range(steps.rate, 2.1, 2.4, 3.8, 4.2))
            fits[.running] = regular * isRun * speedFit(1, 1.8, 7, 12)
            fits[.walking] =
                regular * (1 - isRun) * Self.range(steps.rate, 0.8, 1.2, 2.6, 3)
                * speedFit(-1, 0, 2.6, 4)
        }
        // What is clearly on foot is not on wheels.
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
            // A bicycle shakes more than a car; that alone is never sure.
            fits[.cycling] = 0.6 * irregular * Self.range(vibration, 0.8, 1.2, 5, 8)
            fits[.driving] = 0.6 * irregular * Self.range(vibration, 0.12, 0.25, 0.7, 1.1)
            fits[.stationary] = Self.range(vibration, -1, 0, 0.12, 0.3)
        }
        return fits
    }

    private func speedFit(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
        speed.map { Self.range($0, a, b, c, d) } ?? 1
    }

    /// 0 up to `a`, 1 from `b` to `c`, 0 from `d`, and straight between.
    private static func range(
        _ x: Double, _ a: Double, _ b: Double, _ c: Double, _ d: Double
    ) -> Double {
        guard x.isFinite else { return 0 }
        return max(0, min(1, (x - a) / (b - a), (d - x) / (d - c)))
    }
}
