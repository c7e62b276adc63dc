/// Readings for a ``Pedometer`` from steps and heights, where no device tells them.
///
/// The distance is the number of steps times one length. The cadence and the length give the pace. A
/// floor is three metres of climbing, about ten feet, as the counters of watches have it (Apple,
/// "flightsClimbed" of HealthKit; Fitbit, "How does my device count floors?"); what sways less than one
/// metre up and down is not climbing.
public struct WalkEstimate: Hashable, Sendable {
    /// Metres for a floor.
    public static let floorHeight = 3.0
    /// Metres that a height must fall before climbing begins anew.
    private static let sway = 1.0

    /// Metres for a step.
    public let stepLength: Double
    private var floors = 0
    /// The lowest height since the last floor; climbing counts from here.
    private var low: Double?
    private var high = 0.0

    /// - Parameter stepLength: metres, which depend on the person: adults walk with about 0.6 to 0.8.
    ///   Beyond 0.1 to 3 it is held there.
    public init(stepLength: Double = 0.7) {
        self.stepLength = stepLength.isFinite ? min(max(stepLength, 0.1), 3) : 0.7
    }

    /// Takes a height in metres, such as an ``Altimeter``'s.
    public mutating func take(altitude metres: Double) {
        guard metres.isFinite, abs(metres) < 100_000 else { return }
        guard let low else {
            (self.low, high) = (metres, metres)
            return
        }
        high = max(high, metres)
        // What was climbed for less than a floor is lost once it goes down again.
        if metres < high - Self.sway || metres < low {
            (self.low, high) = (min(metres, high), metres)
        }
        let climbed = metres - (self.low ?? metres)
        guard climbed >= Self.floorHeight else { return }
        let count = Int(climbed / Self.floorHeight)
        floors += count
        self.low = (self.low ?? metres) + Double(count) * Self.floorHeight
    }

    /// What it comes to with so many steps.
    ///
    /// - Parameter cadence: steps a minute; `nil` while nobody walks, and there is no pace then.
    public func reading(steps: Int, cadence: Double?) -> Pedometer.Reading {
        let speed = (cadence ?? 0) / 60 * stepLength
        return Pedometer.Reading(
            steps: steps, distance: Double(steps) * stepLength, pace: speed > 0 ? 1 / speed : 0,
            floors: floors)
    }
}
