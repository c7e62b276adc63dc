public import Samples
import Synchronization

/// A simulation of the machine's surroundings, as a function of a seed and of time.
///
/// It has no state and reads no clock: the sample at a time does not depend on other calls. The
/// models are simple: realistic enough that an app that counts steps finds steps.
///
/// ```swift
/// let walk = Scenario(.walk, seed: 1)
/// let sample = walk.sample("accelerometer", at: Scenario.standardStart)
/// ```
public struct Scenario: Hashable, Sendable {
    /// What the simulated machine experiences.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Lying on a table.
        case still
        /// Carried on foot, 1.4 m/s and about 1.85 steps per second.
        case walk
        /// On a bicycle, 5 m/s.
        case ride
        /// In a car, 13 m/s on average.
        case drive
        /// Lying still while its battery is charged by night and discharged by day.
        case batteryDay = "battery-day"
        /// Lying in a room, through the course of a day.
        case room
        /// On an engine with 24.6 revolutions per second.
        case vibration
    }

    /// The default start: 2026-01-05T08:00:00Z, a Monday.
    public static let standardStart = Timestamp(microseconds: 1_767_600_000_000_000)

    /// What the machine experiences.
    public let kind: Kind
    /// The seed of all random numbers.
    public let seed: UInt64
    /// When motion begins.
    public let start: Timestamp

    /// Creates a scenario.
    public init(_ kind: Kind, seed: UInt64, start: Timestamp = Scenario.standardStart) {
        self.kind = kind
        self.seed = seed
        self.start = start
    }

    /// The sample of a sensor at a time; `nil` for a sensor that is not simulated.
    public func sample(_ sensor: SensorID, at time: Timestamp) -> Sample? {
        guard let values = Moment(self, at: time).values(of: sensor) else { return nil }
        return Sample(time: time, values: values)
    }
}

/// The current state of simulated sensors: a scenario, and fields that were set explicitly.
///
/// A change applies to the samples that are read after it.
///
/// ```swift
/// let simulation = SimulationState(Scenario(.still, seed: 1))
/// simulation.set(["illuminance": .number(3)], of: "light")
/// ```
public final class SimulationState: Sendable {
    private struct State {
        var kind: Scenario.Kind
        var settings: [SensorID: [String: Value]] = [:]
    }

    /// The seed of all random numbers.
    public let seed: UInt64
    /// When the scenario begins.
    public let start: Timestamp
    /// The simulated sensors: the given instances of each kind or, if there are none, one sensor that is
    /// named like the kind.
    public let sensors: [SensorID]
    private let state: Mutex<State>

    /// Starts with a scenario and no explicitly set fields.
    ///
    /// - Parameter instances: sensors such as `accelerometer.phone`, in place of the sensor of
    ///   their kind. All instances of a kind have the same values, unless fields are set.
    public init(_ scenario: Scenario, instances: [SensorID] = []) {
        seed = scenario.seed
        start = scenario.start
        sensors = SimulatedDriver.sensors.flatMap { kind in
            let named = Set(instances.filter { $0.kind == kind })
            return named.isEmpty ? [kind] : named.sorted()
        }
        state = Mutex(State(kind: scenario.kind))
    }

    /// Continues with another scenario of the same seed.
    public func play(_ kind: Scenario.Kind) {
        state.withLock { $0.kind = kind }
    }

    /// Sets fields of a sensor, or of all instances of a kind, in addition to earlier ones.
    public func set(_ values: [String: Value], of sensor: SensorID) {
        state.withLock { $0.settings[sensor, default: [:]].merge(values) { $1 } }
    }

    /// Resets all fields of a sensor to the values of the scenario.
    public func reset(_ sensor: SensorID) {
        state.withLock { $0.settings[sensor] = nil }
    }

    /// The sample of a sensor at a time; `nil` for a sensor that is not simulated.
    public func sample(_ sensor: SensorID, at time: Timestamp) -> Sample? {
        let (scene, settings) = state.withLock { state in
            let ofKind = state.settings[sensor.kind] ?? [:]
            return (state.kind, ofKind.merging(state.settings[sensor] ?? [:]) { $1 })
        }
        let scenario = Scenario(scene, seed: seed, start: start)
        guard let sample = scenario.sample(sensor.kind, at: time) else { return nil }
        guard !settings.isEmpty, let fields = SimulatedDriver.fields(of: sensor.kind) else {
            return sample
        }
        let values = zip(fields, sample.values).map { field, value in
            settings[field.name] ?? value
        }
        return Sample(time: time, values: values)
    }
}
