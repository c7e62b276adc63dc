import Motion
import Samples
public import VM

/// Derives steps, activities, vibration, altitude and noise from other sensors.
///
/// Each instance of the input has its own derived sensor: `steps.left` is computed from
/// `accelerometer.left`. Derived sensors have their own samples, level and grants.
public struct DerivedDriver: SensorDeriver {
    private static let kinds = [
        DerivedKind(
            "steps", "Step counter", of: "accelerometer", StepCounter.self,
            make: { StepTotal() }),
        DerivedKind("activity", "Activity", of: "accelerometer", ActivityClassifier.self) {
            DerivedSamples(ActivityClassifier())
        },
        DerivedKind("vibration", "Vibration", of: "accelerometer", VibrationMeter.self) {
            DerivedSamples(VibrationMeter())
        },
        DerivedKind("altitude", "Height above the start", of: "barometer", Altimeter.self) {
            DerivedSamples(Altimeter())
        },
        DerivedKind(
            "noise", "Sound level", of: "microphone", reportsMissing: false, NoiseMeter.self
        ) {
            DerivedSamples(NoiseMeter())
        },
    ]

    /// Creates a driver.
    public init() {}

    public func discover(among sensors: [DiscoveredSensor]) -> [DiscoveredSensor] {
        Self.kinds.flatMap { $0.sensors(among: sensors) }
    }
}

/// A kind of sensor derived from another.
private struct DerivedKind: Sendable {
    private let id: SensorID
    private let title: String
    private let input: SensorID
    private let inputs: [Field]
    private let outputs: [Field]
    private let reportsMissing: Bool
    private let make: @Sendable () -> any SampleDeriver

    /// - Parameter reportsMissing: whether the sensor is listed as unavailable if there is no
    ///   input.
    init<Derivation: DerivedSensor>(
        _ id: SensorID, _ title: String, of input: SensorID, reportsMissing: Bool = true,
        _ type: Derivation.Type, make: @escaping @Sendable () -> any SampleDeriver
    ) {
        (self.id, self.title, self.input) = (id, title, input)
        (inputs, outputs) = (Derivation.inputs, Derivation.outputs)
        (self.reportsMissing, self.make) = (reportsMissing, make)
    }

    func sensors(among all: [DiscoveredSensor]) -> [DiscoveredSensor] {
        let candidates = all.filter { input.covers($0.sensor.id) }
        let there = candidates.filter { !$0.isUnavailable }.map(\.sensor)
        guard !there.isEmpty else {
            guard reportsMissing || !candidates.isEmpty else { return [] }
            let missing = Set(candidates.map(\.sensor.id)).union([input])
            return missing.sorted().map { unavailable(of: $0, "it needs \($0)") }
        }
        return there.map { source in
            guard inputs.allSatisfy(source.fields.contains) else {
                let names = inputs.map(\.name).joined(separator: ", ")
                let unit = inputs.first?.unit.map { " in \($0)" } ?? ""
                return unavailable(of: source.id, "it needs \(names)\(unit) of \(source.id)")
            }
            return DiscoveredSensor(sensor(of: source.id), .derived(from: source.id, make()))
        }
    }

    private func unavailable(of source: SensorID, _ reason: String) -> DiscoveredSensor {
        DiscoveredSensor(
            sensor(of: source), .unavailable(reason: reason, remedy: nil))
    }

    private func sensor(of source: SensorID) -> Sensor {
        let instance = source.description.dropFirst(input.description.count)
        return Sensor(
            id: SensorID("\(id)\(instance)") ?? id, title: title, fields: outputs,
            source: "computed from \(source)", cadence: .asTheyCome)
    }
}

/// A derivation that keeps no state while it is off.
private struct DerivedSamples<Derivation: DerivedSensor>: SampleDeriver {
    private var derivation: Derivation

    init(_ derivation: Derivation) {
        self.derivation = derivation
    }

    var inputs: [Field] { Derivation.inputs }
    var longestInterval: Duration? { Derivation.longestInterval }

    mutating func resume(after last: Sample) {}

    mutating func take(_ sample: Sample) -> Sample? { derivation.take(sample) }
}

/// Continues counting steps from the last stored total, so that the total never decreases.
struct StepTotal: SampleDeriver {
    private var counter = StepCounter()
    private var before: Int64 = 0

    var inputs: [Field] { StepCounter.inputs }
    var longestInterval: Duration? { StepCounter.longestInterval }

    mutating func resume(after last: Sample) {
        if case .integer(let total)? = last.values.first, total >= 0 { before = total }
    }

    mutating func take(_ sample: Sample) -> Sample? {
        guard let counted = counter.take(sample) else { return nil }
        let (total, overflow) = before.addingReportingOverflow(Int64(counter.steps))
        return Sample(time: counted.time, values: [.integer(overflow ? .max : total)])
    }
}
