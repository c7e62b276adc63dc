public import Samples

/// Tells the vibration of what an accelerometer lies on, whatever rate it has.
///
/// The rate is that of the samples, so that no frequency is told that they cannot show; the first 32
/// only tell it. Of fewer than ten a second nothing follows. See ``VibrationSpectrum``.
public struct VibrationMeter: Sendable {
    public private(set) var dropped = 0
    private var rate = SampleRate()
    private var spectrum: VibrationSpectrum?

    public init() {}
}

extension VibrationMeter: DerivedSensor {
    public static let inputs = Acceleration.fields
    /// Where the density is highest, the effective acceleration, and the effective speed.
    public static let outputs = [
        Field("frequency", unit: "Hz"), Field("acceleration", unit: "m/s2"),
        Field("speed", unit: "mm/s"),
    ]

    /// - Returns: one for each half of 256 samples.
    public mutating func take(_ sample: Sample) -> Sample? {
        guard let acceleration = Acceleration(sample) else {
            dropped += 1
            return nil
        }
        if rate.take(sample.time), let perSecond = rate.perSecond {
            spectrum = Int(exactly: perSecond.rounded()).flatMap { VibrationSpectrum(rate: $0) }
        }
        let before = spectrum?.dropped ?? 0
        // Only a task that is cancelled meanwhile gets none, and takes none either.
        let reading = try? spectrum?.take(acceleration, at: sample.time)
        dropped += (spectrum?.dropped ?? 0) - before
        return reading.map {
            Sample(
                time: $0.time,
                values: [.number($0.peak), .number($0.acceleration), .number($0.speed)])
        }
    }
}
