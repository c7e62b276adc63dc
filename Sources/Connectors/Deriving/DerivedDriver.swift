import Motion
import Samples
public import VM

/// Steps, activities, vibration, heights and noise, made of what other sensors measure.
///
/// One for each instance of the input: `steps.left` of `accelerometer.left`. Each is a sensor of its
/// own, with samples, a level and grants of its own.
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
            "noise", "Sound level", of: "microphone", isToldMissing: false, NoiseMeter.self
        ) {
            DerivedSamples(NoiseMeter())
        },
    ]

    public init() {}

    public func discover(among sensors: [DiscoveredSensor]) -> [DiscoveredSensor] {
        Self.kinds.flatMap { $0.sensors(among: sensors) }
    }
}
