import Samples

/// Steps, distance and floors of a session, from the totals of a device's counter.
///
/// Only the growth of the totals while the session is active counts, so a counter may start at any
/// value. A total that decreases, for example after a restart of the device, counts nothing and is
/// the new base.
public struct Pedometer: Hashable, Sendable {
    /// The totals of a counter; `nil` for missing ones.
    public struct Reading: Hashable, Sendable {
        /// Steps since the counter's own start.
        public var steps: Int?
        /// Metres.
        public var distance: Double?
        /// Present pace in seconds per metre.
        public var pace: Double?
        /// Floors climbed.
        public var floors: Int?

        /// Creates a reading.
        public init(steps: Int?, distance: Double?, pace: Double?, floors: Int?) {
            (self.steps, self.distance, self.pace, self.floors) = (steps, distance, pace, floors)
        }
    }

    /// The counted totals.
    public struct Totals: Hashable, Sendable {
        /// Steps.
        public var steps: Int
        /// Metres.
        public var distance: Double
        /// Floors climbed.
        public var floors: Int

        /// Creates totals.
        public init(steps: Int = 0, distance: Double = 0, floors: Int = 0) {
            (self.steps, self.distance, self.floors) = (steps, distance, floors)
        }
    }

    /// The totals of the session.
    public private(set) var totals = Totals()
    /// The last pace in seconds per metre; `nil` before the first one, and while paused.
    public private(set) var pace: Double?
    /// Whether counting is paused.
    public private(set) var isPaused = false
    /// How many readings were dropped because a value was missing or invalid.
    public private(set) var dropped = 0
    /// The last totals; `nil` if the next reading is the base.
    private var base: Totals?

    /// Creates a pedometer.
    ///
    /// - Parameter startsAtZero: whether the counter was zero at the start of the session, so that
    ///   its whole first reading counts.
    public init(startsAtZero: Bool = true) {
        base = startsAtZero ? Totals() : nil
    }

    /// Takes a reading, unless a value is missing or invalid.
    ///
    /// - Returns: whether it was taken.
    @discardableResult
    public mutating func take(_ reading: Reading) -> Bool {
        guard let steps = reading.steps, let distance = reading.distance, let pace = reading.pace,
            let floors = reading.floors, steps >= 0, floors >= 0, distance.isFinite,
            distance >= 0, pace.isFinite, pace >= 0
        else {
            dropped += 1
            return false
        }
        let now = Totals(steps: steps, distance: distance, floors: floors)
        if !isPaused, let base {
            totals.steps += max(0, now.steps - base.steps)
            totals.distance += max(0, now.distance - base.distance)
            totals.floors += max(0, now.floors - base.floors)
        }
        base = now
        self.pace = isPaused ? nil : pace
        return true
    }

    /// Stops counting after the last reading.
    public mutating func pause() {
        (isPaused, pace) = (true, nil)
    }

    /// Continues counting from the last reading.
    ///
    /// - Parameter current: the counter's current totals; without them the growth since the last
    ///   reading counts too.
    public mutating func resume(at current: Reading? = nil) {
        if let current { take(current) }
        isPaused = false
    }

    /// The average pace in seconds per metre; `nil` without distance.
    ///
    /// - Parameter active: the active time of the session.
    public func averagePace(over active: Duration) -> Double? {
        guard totals.distance > 0 else { return nil }
        return Double(active.wholeMicroseconds) / 1_000_000 / totals.distance
    }
}

/// Estimates the distance, pace and floors of a ``Pedometer`` from steps and altitudes.
///
/// The distance is the number of steps times a constant length, the pace follows from the cadence.
/// A floor is three metres of ascent, about ten feet, as in watches (Apple, "flightsClimbed" of
/// HealthKit; Fitbit, "How does my device count floors?"). Variations of less than one metre are
/// not ascents.
public struct WalkEstimate: Hashable, Sendable {
    /// Metres of a floor.
    public static let floorHeight = 3.0
    /// Metres of descent after which an ascent restarts.
    private static let maximumDescent = 1.0

    /// Metres of a step.
    public let stepLength: Double
    private var floors = 0
    /// The lowest altitude since the last floor.
    private var low: Double?
    private var high = 0.0

    /// Creates an estimate.
    ///
    /// - Parameter stepLength: in metres, limited to 0.1 to 3; adults have about 0.6 to 0.8.
    public init(stepLength: Double = 0.7) {
        self.stepLength = stepLength.isFinite ? min(max(stepLength, 0.1), 3) : 0.7
    }

    /// Takes an altitude in metres, such as that of an ``Altimeter``.
    public mutating func take(altitude metres: Double) {
        guard metres.isFinite, abs(metres) < 100_000 else { return }
        guard let low else {
            (self.low, high) = (metres, metres)
            return
        }
        high = max(high, metres)
        // An ascent of less than a floor is lost in the next descent.
        if metres < high - Self.maximumDescent || metres < low {
            (self.low, high) = (min(metres, high), metres)
        }
        let climbed = metres - (self.low ?? metres)
        guard climbed >= Self.floorHeight else { return }
        let count = Int(climbed / Self.floorHeight)
        floors += count
        self.low = (self.low ?? metres) + Double(count) * Self.floorHeight
    }

    /// The reading for a number of steps.
    ///
    /// - Parameter cadence: steps per minute; `nil` while standing, when there is no pace.
    public func reading(steps: Int, cadence: Double?) -> Pedometer.Reading {
        let speed = (cadence ?? 0) / 60 * stepLength
        return Pedometer.Reading(
            steps: steps, distance: Double(steps) * stepLength, pace: speed > 0 ? 1 / speed : 0,
            floors: floors)
    }
}
