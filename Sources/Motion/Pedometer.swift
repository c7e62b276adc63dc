import Samples

/// Steps, distance and floors since a session began, whatever the counter read then.
///
/// Counters tell totals of their own: since they were switched on, or since they were asked. What
/// counts is by how much they grew while the session was active. A total that goes back, as after a
/// restart of the device, counts nothing and is where counting goes on.
public struct Pedometer: Hashable, Sendable {
    /// What a counter tells; what it lacks is `nil`.
    public struct Reading: Hashable, Sendable {
        public var steps: Int?
        /// Metres.
        public var distance: Double?
        /// Seconds for a metre, at present.
        public var pace: Double?
        /// Floors climbed.
        public var floors: Int?

        public init(steps: Int?, distance: Double?, pace: Double?, floors: Int?) {
            (self.steps, self.distance, self.pace, self.floors) = (steps, distance, pace, floors)
        }
    }

    /// What was counted.
    public struct Totals: Hashable, Sendable {
        public var steps: Int
        /// Metres.
        public var distance: Double
        public var floors: Int

        public init(steps: Int = 0, distance: Double = 0, floors: Int = 0) {
            (self.steps, self.distance, self.floors) = (steps, distance, floors)
        }
    }

    public private(set) var totals = Totals()
    /// Seconds for a metre, as the counter told it last; `nil` before it did, and while paused.
    public private(set) var pace: Double?
    public private(set) var isPaused = false
    /// How many readings were dropped because something was missing in them or could not be.
    public private(set) var dropped = 0
    /// The counter's totals up to which all is counted; `nil` where the next reading is a beginning.
    private var base: Totals?

    /// - Parameter startsAtZero: whether the counter counts from the start of the session, so that its
    ///   first reading counts as a whole.
    public init(startsAtZero: Bool = true) {
        base = startsAtZero ? Totals() : nil
    }

    /// Takes a reading, all of it or, when something is missing, nothing.
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

    /// Counts up to the last reading, and not what the counter tells until it is resumed.
    public mutating func pause() {
        (isPaused, pace) = (true, nil)
    }

    /// Goes on from the counter's last reading.
    ///
    /// - Parameter current: what the counter reads now; without it, what it counted since the last
    ///   reading while paused counts too.
    public mutating func resume(at current: Reading? = nil) {
        if let current { take(current) }
        isPaused = false
    }

    /// Seconds for a metre over the whole session; `nil` without distance.
    ///
    /// - Parameter active: how long it was active.
    public func averagePace(over active: Duration) -> Double? {
        guard totals.distance > 0 else { return nil }
        return Double(active.wholeMicroseconds) / 1_000_000 / totals.distance
    }
}
