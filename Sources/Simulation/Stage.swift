public import Samples
import Synchronization

/// What made-up sensors show now: a scenario, and fields that somebody has set by hand.
///
/// A change counts for the samples that are taken from then on.
public final class Stage: Sendable {
    private struct State {
        var kind: Scenario.Kind
        var settings: [SensorID: [String: Value]] = [:]
    }

    /// What chance follows from.
    public let seed: UInt64
    /// When it begins.
    public let start: Timestamp
    private let state: Mutex<State>

    public init(_ scenario: Scenario) {
        seed = scenario.seed
        start = scenario.start
        state = Mutex(State(kind: scenario.kind))
    }

    /// Goes on with another scenario, of the same seed.
    public func play(_ kind: Scenario.Kind) {
        state.withLock { $0.kind = kind }
    }

    /// Lets fields of a sensor have these values from now on, beside those that were set before.
    public func set(_ values: [String: Value], of sensor: SensorID) {
        state.withLock { $0.settings[sensor, default: [:]].merge(values) { $1 } }
    }

    /// Lets a sensor be as the scenario has it again.
    public func reset(_ sensor: SensorID) {
        state.withLock { $0.settings[sensor] = nil }
    }

    /// What a sensor shows at a moment; `nil` for one that is not simulated.
    public func sample(_ sensor: SensorID, at time: Timestamp) -> Sample? {
        let (kind, settings) = state.withLock { ($0.kind, $0.settings[sensor]) }
        let scenario = Scenario(kind, seed: seed, start: start)
        guard let sample = scenario.sample(sensor, at: time) else { return nil }
        guard let settings, let fields = SimulatedDriver.fields(of: sensor) else { return sample }
        let values = zip(fields, sample.values).map { field, value in
            settings[field.name] ?? value
        }
        return Sample(time: time, values: values)
    }
}
