public import Samples

/// What a made-up machine goes through, as a function of a seed and of the time.
///
/// Nothing is kept between two samples and no clock is asked: the sample of a moment is the same
/// whatever was asked before, in whatever order and at whatever speed. The models are plain on
/// purpose: true enough that an app that counts steps finds steps, and simple enough to be told in a
/// sentence each.
public struct Scenario: Hashable, Sendable {
    /// What happens.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// It lies on a table.
        case still
        /// Someone carries it, on foot, 1.4 m/s and about 1.85 steps a second.
        case walk
        /// It is on a bicycle, 5 m/s.
        case ride
        /// It is in a car, 13 m/s, faster and slower.
        case drive
        /// It lies still while its battery goes through a day: charged by night, used by day.
        case batteryDay = "battery-day"
        /// It lies in a room in which a day goes by.
        case room
        /// It stands on an engine that turns 24.6 times a second.
        case vibration
    }

    /// When a scenario begins unless somebody says otherwise: 2026-01-05T08:00:00Z, a Monday.
    public static let standardStart = Timestamp(microseconds: 1_767_600_000_000_000)

    public let kind: Kind
    /// What chance follows from.
    public let seed: UInt64
    /// When movement begins.
    public let start: Timestamp

    public init(_ kind: Kind, seed: UInt64, start: Timestamp = Scenario.standardStart) {
        self.kind = kind
        self.seed = seed
        self.start = start
    }

    /// The sample of a sensor at a moment; `nil` for a sensor that is not simulated.
    public func sample(_ sensor: SensorID, at time: Timestamp) -> Sample? {
        guard let values = Moment(self, at: time).values(of: sensor) else { return nil }
        return Sample(time: time, values: values)
    }
}
